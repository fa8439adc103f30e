// What a daemon says in a long conversation: each member of each line has to be in notifyd-protocol(7).

import Foundation
import NotifyTestSupport
import Testing

@Suite("Answers of a daemon")
struct AnswerTests {
    /// Objects whose members are named elsewhere: as in notifyd.conf(5), by codes, or by outcomes.
    private static let opaque: Set<String> = ["limits", "refusals", "outcomes"]

    @Test("have the limits and features that the page says of hello")
    func hello() throws {
        let item = try #require(ManualPage("notifyd-protocol.7").section("OPS").items.first)
        let daemon = try TestDaemon()
        let answer = try RawClient(daemon.socketPath).must(#"{"op":"hello","version":1}"#)
        let limits: [String: Any] = try #require(answer["limits"])
        let features: [String] = try #require(answer["features"])
        let told = item.body.matches(of: /(limits has|can do:) ([a-z_, ]+?)[;.]/).map { match in
            match.2.matches(of: /[a-z_]+/).map { String($0.output) }.filter { $0 != "and" }
        }
        #expect(told.first?.sorted() == limits.keys.sorted())
        #expect(told.last == features)
    }

    @Test("have no member that notifyd-protocol(7) does not have")
    func members() throws {
        let page = try ManualPage("notifyd-protocol.7")
        let words = Set(page.words(of: "Cm"))
        var members: Set<String> = []
        var limits: Set<String> = []
        for line in try conversation() {
            let object = try object(line)
            Self.collect(object, into: &members)
            limits.formUnion(
                line.text.matches(of: /"limits":\{([^}]*)\}/).flatMap { match in
                    match.1.matches(of: /"(\w+)":/).map { String($0.1) }
                })
        }
        #expect(members.count > 85, "\(members.sorted())")
        #expect(members.subtracting(words) == [])
        #expect(limits.count > 15)
        #expect(limits.subtracting(try ManualPage("notifyd.conf.5").words(of: "Ic")) == [])
    }

    @Test("are those that the example of notifyd-protocol(7) shows")
    func example() throws {
        let shown =
            try ManualPage("notifyd-protocol.7").section("EXAMPLES").lines
            .split { $0 == ".Ed" }.last.map { Array($0.drop { !$0.hasPrefix(".Bd") }.dropFirst()) } ?? []
        var answers: [String] = []
        for line in shown where line.hasPrefix(" ") {
            let text = MdocLine.text(of: String(line)).trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("{\"op\"") { answers.append(text) } else { answers[answers.count - 1] += text }
        }
        let daemon = try TestDaemon()
        let client = try RawClient(daemon.socketPath)
        try client.post("a.b", "[1,2]")
        for request in shown where request.hasPrefix("{") { try client.send(String(request)) }
        #expect(answers.count > 3)
        for answer in answers {
            // Of people and their processes, and of times, this machine has others.
            let told = try client.line().text.replacing(/"(time|pid|uid)":("[^"]*"|\d+)/) { "\"\($0.1)\":0" }
            #expect(told == answer.replacing(/"(time|pid|uid)":("[^"]*"|\d+)/) { "\"\($0.1)\":0" })
        }
    }

    private func object(_ line: ReceivedLine) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any])
    }

    private static func collect(_ value: Any, into members: inout Set<String>) {
        if let list = value as? [Any] { list.forEach { collect($0, into: &members) } }
        guard let object = value as? [String: Any] else { return }
        let isOwn = (object["channel"] as? String)?.hasPrefix("$") == true
        for (name, value) in object {
            members.insert(name)
            // What is in a payload is its poster's to name.
            if !opaque.contains(name), name != "payload" || isOwn { collect(value, into: &members) }
        }
    }

    private func conversation() throws -> [ReceivedLine] {
        let daemon = try TestDaemon(configuration: "{ channels: [{ pattern: 'kept.>', persist: true }] }")
        let watcher = try RawClient(daemon.socketPath)
        for pattern in ["$notifyd.>", "$notifyd.trace.>"] { try watcher.subscribe(pattern) }
        var lines: [ReceivedLine] = []
        let client = try RawClient(daemon.socketPath)
        func ask(_ request: String) throws { lines.append(try client.ask(request) { lines.append($0) }) }
        try ask(#"{"op":"hello","version":1,"name":"shopd"}"#)
        try ask(#"{"op":"hello","version":2}"#)
        try ask(#"{"op":"subscribe","channel":"a.*","type":"T","subject":"s","from_uid":0,"echo":false,"group":"g"}"#)
        try ask(#"{"op":"subscribe","channel":"a.*","min_interval_ms":60000}"#)
        try ask(#"{"op":"post","channel":"a.b","type":"T","subject":"s","retain":true,"dedup":"k","payload":{"x":1}}"#)
        try ask(#"{"op":"post","channel":"a.b","type":"T","subject":"s","retain":true,"dedup":"k","payload":{"x":1}}"#)
        try ask(#"{"op":"post","channel":"a.b","type":"T","subject":"s","priority":"high"}"#)
        try ask(#"{"op":"post","channel":"a.b","if_seq":7}"#)
        try ask(#"{"op":"post","channel":"a.b","delay_ms":3600000}"#)
        for _ in 0..<2 { try ask(#"{"op":"post","channel":"a.c","coalesce_ms":3600000}"#) }
        try ask(#"{"op":"post","channel":"nobody","require_subscribers":true}"#)
        try ask(#"{"op":"batch","posts":[{"channel":"a.b"},{"channel":"kept.b"}]}"#)
        try ask(#"{"op":"subscribe","channel":"a.b","replay":{"after":99,"epoch":"other"}}"#)
        try ask(#"{"op":"subscribe","channel":"a.b","replay":"retained"}"#)
        for list in ["channels", "clients", "subscriptions", "stats"] { try ask("{\"op\":\"\(list)\"}") }
        try ask(#"{"op":"get","channel":"a.b"}"#)
        try ask(#"{"op":"explain","right":"post","channel":"a.b","uid":1,"groups":[1],"unit":"a.service"}"#)
        try client.send("{", #"{"op":"post","channel":"x"#)
        lines += try client.lines(2)
        try ask(#"{"op":"bye"}"#)
        lines += try client.linesToEnd()
        // All that was told of that client has come before this.
        try watcher.send(#"{"op":"post","channel":"a.b"}"#, #"{"op":"ping","id":1}"#)
        lines += try watcher.lines { $0.op == "ok" && $0.integer("id") == 1 }
        return lines
    }
}
