// SIGHUP: the new configuration all at once, or not at all (trials T095, T099).

import Glibc
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct ReloadTests {
    let daemon: TestDaemon
    let client: RawClient

    init() throws {
        daemon = try TestDaemon(configuration: "{ limits: { subscriptions_per_client: 3 } }")
        client = try daemon.client()
    }

    private func limit() throws -> Int {
        try client.must(#"{"op":"hello","version":1}"#).integer("limits", "subscriptions_per_client")
    }

    @Test func `a good file changes what it says, for those who are there already`() throws {
        for number in 1...3 { try client.subscribe("r.\(number)") }
        #expect(try client.ask(#"{"op":"subscribe","channel":"r.4"}"#).code == "quota_exceeded")
        try daemon.configure("{ limits: { subscriptions_per_client: 4 }, /* and */ log_level: 'debug', }")
        daemon.signal(SIGHUP)
        try daemon.wait("the new limit") { try limit() == 4 }
        try daemon.waitForLog("limits.subscriptions_per_client: 3 → 4")
        try daemon.waitForLog("log_level: info → debug")
        try client.subscribe("r.4")
        #expect(try client.ask(#"{"op":"subscribe","channel":"r.5"}"#).code == "quota_exceeded")
    }

    /// Each leaves the old values in force and is told with the file, the key and what is wrong.
    static let bad: [(text: String, words: [String])] = [
        ("", []), ("{", []), ("[]", ["object"]), ("5", ["object"]), ("\0\0\0\0", []), ("{} x", []),
        ("{ limits: { subscriptions_per_client: 9 } }}}", []),
        ("{ limits: { subscriptions_per_client: 9 }, limit: {} }", ["limit"]),
        ("{ limits: { subscriptions_per_client: 9, client: 5 } }", ["limits.client", "unknown key"]),
        ("{ limits: { subscriptions_per_client: 0 } }", ["limits.subscriptions_per_client", "0", "1 to"]),
        ("{ limits: { subscriptions_per_client: '9' } }", ["limits.subscriptions_per_client", "integer"]),
        ("{ limits: { subscriptions_per_client: 9.5 } }", ["limits.subscriptions_per_client", "9.5", "integer"]),
        ("{ limits: { subscriptions_per_client: 1e30 } }", ["limits.subscriptions_per_client"]),
        ("{ limits: { subscriptions_per_client: 0xFFFFFFFFFFFFFFFFFFFF } }", ["limits.subscriptions_per_client"]),
        ("{ limits: { subscriptions_per_client: 1e+ } }", ["limits.subscriptions_per_client", "1e+", "no number"]),
        ("{ limits: { subscriptions_per_client: null } }", ["limits.subscriptions_per_client"]),
        ("{ limits: [] }", ["limits", "object"]), ("{ mode: 438 }", ["mode", "string"]),
        ("{ mode: 'rw' }", ["mode", "rw"]),
        ("{ mode: '0o666' }", ["mode"]), ("{ mode: '1777' }", ["mode"]), ("{ socket: '' }", ["socket"]),
        ("{ socket: 'relative' }", ["socket", "relative"]), ("{ socket: '@' }", ["socket"]),
        ("{ socket: 8080 }", ["socket"]),
        ("{ log_level: 'loud' }", ["log_level", "loud", "debug"]),
    ]

    @Test func `a bad file leaves the old values in force and says why`() throws {
        let refusals = { daemon.log.split(separator: "\n").filter { $0.contains("not reloaded") } }
        for (text, words) in Self.bad {
            let before = refusals().count
            try daemon.configure(text)
            daemon.signal(SIGHUP)
            try daemon.wait("a word about \(text)") { refusals().count == before + 1 }
            let line = try #require(refusals().last)
            for word in words + ["notifyd.json5"] { #expect(line.contains(word), "\(text): \(line)") }
            #expect(try limit() == 3, "\(text)")
        }
        try daemon.configure("{ limits: { subscriptions_per_client: 4 } }")
        daemon.signal(SIGHUP)
        try daemon.wait("the new limit") { try limit() == 4 }
    }

    @Test(arguments: bad.map(\.text)) func `at the start a bad file ends it`(text: String) throws {
        let failure = #expect(throws: TestDaemon.Failure.self) { try TestDaemon(configuration: text) }
        #expect(failure?.status == 78)
        #expect(failure?.log.split(separator: "\n").count == 1, "\(failure?.log ?? "")")
    }

    @Test func `what waits for the next start is told, but not where the command line says otherwise`() throws {
        try daemon.configure("{ mode: '0666', socket: '/nowhere/socket', limits: { subscriptions_per_client: 4 } }")
        daemon.signal(SIGHUP)
        try daemon.waitForLog("configuration reloaded")
        #expect(daemon.log.contains("configuration: mode: at the next start"))
        #expect(!daemon.log.contains("configuration: socket: at the next start"), "there is --socket")
    }

    @Test func `who loses a subscription is named in the log with the rule, and of many the number`() throws {
        for number in 1...3 { try client.subscribe("secret.\(number)") }
        try daemon.configure("{ access: [ { deny: 'listen', channels: 'secret.>' } ] }")
        daemon.signal(SIGHUP)
        try daemon.waitForLog("2 more subscriptions have ended with the change of the access rules")
        let lines = daemon.log.split(separator: "\n").filter { $0.contains("loses its subscription") }
        let line = try #require(lines.first)
        #expect(lines.count == 1 && line.contains("uid \(geteuid())") && line.contains(" to secret."))
        #expect(
            line.contains("it has no right 'listen' any more: { deny: \"listen\", channels: \"secret.>\" } (")
                && line.hasSuffix("/notifyd.json5, rule 1)"), "\(line)")
    }

    @Test func `is possible when clients have taken all descriptors, again and again`() throws {
        let daemon = try TestDaemon(
            configuration: "{ limits: { subscriptions_per_client: 3 } }", prelude: "ulimit -n 48")
        let client = try daemon.client()
        func limit() throws -> Int {
            try client.must(#"{"op":"hello","version":1}"#).integer("limits", "subscriptions_per_client")
        }
        var crowd: [RawClient] = []
        /// Whether one more is refused for want of descriptors.
        func isFull() throws -> Bool {
            let next = try daemon.client()
            try? next.send(#"{"op":"ping","id":1}"#)
            let answer = try next.line()
            if answer.op == "ok" { crowd.append(next) }
            return answer.message.contains("no file descriptor left")
        }
        try daemon.wait("a full table") { try isFull() }
        for number in 4...6 {
            // To know a name takes a descriptor, too.
            let access = "access: [ { deny: 'all', user: 'nobody' }, { deny: 'post', channels: 'secret.\(number)' } ]"
            try daemon.configure("{ limits: { subscriptions_per_client: \(number) }, \(access) }")
            daemon.signal(SIGHUP)
            try daemon.wait("the new limit") { try limit() == number }
            #expect(try client.ask(#"{"op":"post","channel":"secret.\#(number)"}"#).code == "denied")
            #expect(try client.ask(#"{"op":"post","channel":"secret.\#(number - 1)"}"#).op == "ok")
            #expect(try isFull(), "newcomers are still told why")
        }
        #expect(crowd.count > 20 && !daemon.log.contains("not reloaded"), "\(daemon.log)")
    }

    @Test func `a file that is gone or no file is bad, too`() throws {
        for ruin in ["rm @", "rm -f @; mkdir @", "rmdir @; ln -s @ @", "rm @; head -c 2000000 /dev/zero > @", "rm @"] {
            let before = daemon.log.split(separator: "\n").count
            try daemon.shell(ruin.replacing("@", with: daemon.directory.path("notifyd.json5")))
            daemon.signal(SIGHUP)
            try daemon.wait("a word after \(ruin)") { daemon.log.split(separator: "\n").count > before }
            #expect(daemon.log.split(separator: "\n").last?.contains("not reloaded") == true, "\(daemon.log)")
            #expect(try limit() == 3)
        }
    }
}
