// Several real users at one daemon: what each may do, what they are told, and what changes under them. (Trials T093, T095.)

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads, .enabled(if: geteuid() == 0, "only root can become others"))
struct AccessTests {
    private static let open = """
        { mode: "0666", access: [
            { deny: "all", channels: "public.closed.>", uid: 54321 },
            { allow: ["post", "listen"], channels: "public.>", uid: 54321 },
            { allow: ["post", "listen"], channels: "team.>", gid: 54399 },
            { allow: ["listen", "observe"], channels: [">", "$notifyd.>", "$notifyd.explain"], uid: 54323 },
        ] }
        """

    private let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon(configuration: Self.open)
        try daemon.shell("chmod 755 \(daemon.directory.url.path)")
    }

    private static func words(_ uid: Int, groups: [Int], _ arguments: [String]) -> [String] {
        let groups = groups.isEmpty ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
        return ["--reuid=\(uid)", "--regid=\(uid)", groups, Checkout.program("notifyctl")] + arguments
    }

    /// notifyctl as somebody else.
    private func ctl(_ uid: Int, groups: [Int] = [], _ arguments: String...) async throws -> Command.Outcome {
        try await Command.run(
            "setpriv", Self.words(uid, groups: groups, arguments + ["--socket", daemon.socketPath]),
            environment: ["NOTIFYD_SOCKET": nil])
    }

    private func reload(_ text: String) throws {
        let count = daemon.log.split(separator: "\n").filter { $0.contains("reloaded") }.count
        try daemon.configure(text)
        daemon.signal(SIGHUP)
        try daemon.wait("a word about the reload") {
            daemon.log.split(separator: "\n").filter { $0.contains("reloaded") }.count > count
        }
    }

    @Test func `each user may do what the rules say, and is told what not`() async throws {
        let root = try daemon.client()
        try root.subscribe(">")
        #expect(try await ctl(54321, "post", "public.x", "1").status == 0)
        let refused = try await ctl(54321, "post", "secret.x", "2")
        #expect(refused.status == 77 && refused.errors.contains("'secret.x'") && refused.errors.contains("'post'"))
        #expect(try await ctl(54321, "post", "public.closed.x", "3").status == 77)
        #expect(try await ctl(54322, "post", "public.x", "4").status == 77)
        #expect(try await ctl(54322, groups: [1, 54399, 7], "post", "team.x", "5").status == 0)
        #expect(try await ctl(54322, groups: [1, 7], "post", "team.x", "6").status == 77)
        #expect(try await ctl(54322, "post", "user.54322.x", "7").status == 0)
        #expect(try await ctl(54322, "post", "user.54321.x", "8").status == 77)
        #expect(try root.lines(3).map { $0.integer("payload") } == [1, 5, 7])
        #expect(try await ctl(54322, "listen", "public.>", "--timeout", "60").status == 77)
        #expect(try await ctl(54321, "get", "secret.x").status == 77)
        #expect(try await ctl(54323, "get", "secret.x").status == 1)
        #expect(try await ctl(54323, "listen", "$notifyd.>", "-n", "1", "--idle", "0.1").status == 124)
        #expect(try await ctl(54321, "listen", "$notifyd.>", "--timeout", "60").status == 77)
        try daemon.wait("the denials in the log") {
            daemon.log.contains(
                "uid 54322) has no right 'post' on user.54321.x: { deny: \"all\", channels: \"user.UID.>\" }")
                && daemon.log.contains(
                    "on public.closed.x: { deny: \"all\", channels: \"public.closed.>\", uid: 54321 } (")
                && daemon.log.contains("on secret.x: no rule allows it")
        }
        #expect(try root.must(#"{"op":"stats"}"#).integer("stats", "denied") >= 8)
    }

    @Test func `a pattern tells nothing of what may not be listened to`() async throws {
        let root = try daemon.client()
        for channel in ["secret.x", "public.x"] { try root.post(channel, "\"old\"", ",\"retain\":true") }
        for replay in ["retained", "5"] {
            let listener = try RunningTool(
                "/usr/bin/setpriv",
                Self.words(
                    54321, groups: [], ["listen", ">", "--replay", replay, "-n", "2", "--socket", daemon.socketPath]))
            #expect(await listener.output.next()?.contains("public.x") == true)
            try root.post("secret.x", "\"new\"")
            try root.post("public.x", "\"new\"")
            #expect(await listener.output.next()?.contains("public.x") == true)
            #expect(await listener.status() == 0)
        }
        let channels = try await ctl(54321, "channels")
        #expect(channels.output.contains("public.x") && !channels.output.contains("secret"), "\(channels.summary)")
        let clients = try await ctl(54321, "clients", "--json")
        #expect(!clients.output.contains("\"uid\":0") && clients.output.contains("\"uid\":54321"), "\(clients.summary)")
    }

    @Test func `the totals are for those who may observe, others see their own account`() async throws {
        let root = try daemon.client()
        for channel in ["secret.x", "secret.y"] { try root.post(channel, "1") }
        #expect(try await ctl(54321, "post", "public.x", "1").status == 0)
        let table = try await ctl(54321, "stats")
        let note = "only your own: no right 'observe' on '$notifyd.accounts'"
        #expect(table.status == 0 && table.errors == "notifyctl: stats: \(note)\n", "\(table.summary)")
        let lines = table.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("own posts ") && $0.hasSuffix(" 1") }, "\(table.summary)")
        #expect(!lines.contains { $0.hasPrefix("posts") || $0.hasPrefix("channels") })
        let json = try await ctl(54321, "stats", "--json")
        #expect(json.output.contains("\"totals\":false") && !json.output.contains("\"channels\""), "\(json.summary)")
        #expect(!(try await ctl(54321, "stats", "--openmetrics").output.contains("notifyd_posts")))
        let top = try await ctl(54321, "top", "-n", "100ms")
        #expect(top.status == 0 && top.output.contains("\n\(note)\n"), "\(top.summary)")
        #expect(!(try await ctl(54321, "top", "-n", "100ms", "--json").output.contains("\"rates\"")))
        let all = try await ctl(54323, "stats")
        #expect(all.errors == "" && all.output.contains("\nposts"), "\(all.summary)")
    }

    @Test(
        arguments: [
            ("'listen'", "{ deny: 'all', uid: 54321 }"),
            ("'listen'", "{ deny: 'listen', channels: 'notifyctl.bench.*.messages', uid: 54321 }"),
            ("'listen'", "{ deny: 'listen', channels: 'notifyctl.bench.*.credit', uid: 54321 }"),
            ("'post'", "{ deny: 'post', channels: 'notifyctl.bench.*.news', uid: 54321 }"),
            ("'post'", "{ deny: 'post', channels: 'notifyctl.bench.*.messages', uid: 54321 }"),
        ])
    func `bench says what is denied`(right: String, rule: String) async throws {
        try reload("{ access: [ \(rule), { allow: 'all', channels: 'notifyctl.bench.>', uid: 54321 } ] }")
        let outcome = try await ctl(54321, "bench", "--count", "100000")
        #expect(outcome.status == 77, "\(outcome.summary)")
        #expect(outcome.errors.hasPrefix("notifyctl: bench: channel 'notifyctl.bench."), "\(outcome.summary)")
        #expect(outcome.errors.contains(right), "\(outcome.summary)")
    }

    @Test func `whose right goes is told, and a bad file changes nothing`() async throws {
        let listener = try RunningTool(
            "/usr/bin/setpriv",
            Self.words(54321, groups: [], ["listen", "public.x", "--socket", daemon.socketPath]))
        let root = try daemon.client()
        try daemon.wait("the listener") {
            try root.must(#"{"op":"channels","match":"public.x"}"#).text.contains("\"subscriptions\":1")
        }
        for bad in [
            "", "{", "[]", "{ access: {} }", "{ access: [ { alow: 'post' } ] }",
            "{ access: [ { allow: 'post', user: 'no such user' } ] }", Self.open + "}}}",
        ] {
            try reload(bad)
            #expect(
                daemon.log.split(separator: "\n").last { $0.contains("reloaded") }?.contains("not reloaded") == true)
        }
        #expect(try await ctl(54321, "post", "secret.x", "1").status == 77)
        #expect(try await ctl(54321, "post", "public.x", "2").status == 0)
        #expect(await listener.output.next()?.contains("public.x") == true)
        try reload("{ access: [ { allow: 'post', channels: 'secret.>', uid: 54321 } ] }")
        #expect(await listener.status() == 77)
        #expect(await listener.errors.next(containing: "the access rules were changed") != nil)
        #expect(try await ctl(54321, "post", "secret.x", "1").status == 0)
        #expect(try await ctl(54321, "post", "public.x", "2").status == 77)
        #expect(daemon.log.contains("access: removed { deny: \"all\", channels: \"public.closed.>\", uid: 54321 }"))
        #expect(
            daemon.log.contains("access: added { allow: \"post\", channels: \"secret.>\", uid: 54321 }: uid 54321 ("))
        // Without a file of rules nobody else has any right.
        try reload("{}")
        #expect(try await ctl(54321, "post", "secret.x", "1").status == 77)
    }

    @Test func `which rule decides is explained`() async throws {
        let allowed = try await ctl(54321, "explain", "post", "public.x")
        #expect(
            allowed.status == 0 && allowed.output.hasPrefix("allowed: { allow: [\"post\", \"listen\"]"),
            "\(allowed.summary)")
        #expect(allowed.output.hasSuffix("/notifyd.json5, rule 2)\n"))
        let denied = try await ctl(54321, "explain", "listen", "public.closed.x")
        #expect(denied.status == 77 && denied.output.hasPrefix("denied: { deny"), "\(denied.summary)")
        #expect(try await ctl(54321, "explain", "post", "public.x", "--uid", "54322").errors.contains("'observe'"))
        let other = try await ctl(54323, "explain", "post", "team.x", "--uid", "54322", "--group", "54399", "--json")
        #expect(other.status == 0 && other.output.contains("\"groups\":[54399]"), "\(other.summary)")
        #expect(
            try await ctl(54323, "explain", "post", "team.x", "--uid", "54322").output
                == "denied: no rule is about it\n")
        #expect(try await ctl(54321, "explain", "pots", "a").errors.contains("did you mean 'post'?"))
        #expect(try await ctl(54321, "explain", "post", "a.*").status == 64)
    }

    @Test(arguments: [
        ("{ access: [ { allow: 'post', user: 'no such user' } ] }", "access[0].user"), ("{ access: [", "JSON5"),
    ])
    func `a daemon whose rules are not understood does not start`(text: String, words: String) throws {
        #expect(daemon.end() == 0)
        try daemon.configure(text)
        let failure = #expect(throws: TestDaemon.Failure.self) { try daemon.start() }
        #expect(failure?.status == 78 && failure?.log.contains(words) == true)
    }
}
