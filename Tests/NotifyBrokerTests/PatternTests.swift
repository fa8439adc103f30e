// The pattern index against a matcher that a child could write.

import NotifyTestSupport
import Testing

@Suite("Patterns")
struct PatternTests {
    static let rows: [(String, String, Bool)] = [
        (">", "a", true), (">", "a.b.c", true), ("a.>", "a", false), ("a.>", "a.b", true), ("a.>", "a.b.c.d", true),
        ("a.>", "ab.c", false), ("a.*", "a", false), ("a.*", "a.b", true), ("a.*", "a.b.c", false), ("*", "a", true),
        ("*", "a.b", false), ("*.b", "a.b", true), ("*.b", "a.c", false), ("*.*", "a.b", true), ("*.*", "a", false),
        ("a.*.c", "a.b.c", true), ("a.*.c", "a.c", false), ("a.*.c", "a.b.b.c", false), ("a.*.>", "a.b", false),
        ("a.*.>", "a.b.c", true), ("*.>", "a", false), ("*.>", "a.b", true), ("a.b", "a.b", true),
        ("a.b", "A.b", false),
        ("a.b", "a.bb", false), ("a.bb", "a.b", false), ("a.b.c.>", "a.b.c", false), ("a.b.*.d.>", "a.b.c.d.e.f", true),
        ("*.*.*.*.*.*.*.*.*.*.x", "1.2.3.4.5.6.7.8.9.10.x", true),
        ("*.*.*.*.*.*.*.*.*.*.x", "1.2.3.4.5.6.7.8.9.x", false),
    ]

    @Test("match live, retained, in the lists and after unsubscribing alike", arguments: rows)
    func everywhere(pattern: String, channel: String, isMatch: Bool) {
        let stage = Stage()
        let client = stage.connect()
        let poster = stage.connect()
        client.subscribe(pattern)
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"\#(channel)","payload":1,"retain":true}"#)
        #expect(receipt["matched"].int == (isMatch ? 1 : 0))
        #expect(client.read().count == (isMatch ? 1 : 0))

        let later = stage.connect()
        later.send(#"{"op":"subscribe","channel":"\#(pattern)","replay":"retained"}"#)
        #expect(later.read().map(\.op) == (isMatch ? ["message", "live"] : ["live"]))

        let listed = poster.ask(#"{"op":"channels","id":1,"match":"\#(pattern)"}"#)["channels"].elements
        #expect(listed.contains { $0["channel"].text == channel } == isMatch)
        #expect(
            poster.ask(#"{"op":"channels","id":1}"#)["channels"].elements.first {
                $0["channel"].text == channel
            }?["subscriptions"].int == (isMatch ? 2 : 0))

        #expect(client.ask(#"{"op":"unsubscribe","id":1,"sub":1}"#).op == "ok")
        stage.disconnect(later)
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"\#(channel)"}"#)["matched"].int == 0)
    }

    @Test("find the subscriptions that a plain matcher finds, while they come and go", arguments: 1...6)
    func againstBruteForce(seed: UInt64) {
        var random = SplitMix(state: seed)
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        var patterns: [Int: String] = [:]
        for _ in 0..<300 {
            if patterns.count < 40, !random.once(in: 3) {
                let pattern = Self.pattern(&random)
                let reply = client.subscribe(pattern)
                patterns[reply["sub"].int ?? -1] = pattern
            } else if let number = patterns.keys.sorted().randomElement(using: &random), random.once(in: 2) {
                patterns[number] = nil
                client.send(#"{"op":"unsubscribe","sub":\#(number)}"#)
            }
            let channel = Self.channel(&random)
            poster.post(channel)
            let got = Set(client.read().map { $0["sub"].int ?? -1 })
            #expect(got == Set(patterns.filter { matches($0.value, channel) }.keys), "\(channel) among \(patterns)")
        }
        stage.disconnect(client)
        #expect(stage.patternCount == 0)
    }

    private static func channel(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(["a", "b", "c", "ab"]) }
            .joined(separator: ".")
    }

    private static func pattern(_ random: inout SplitMix) -> String {
        var tokens = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(["a", "b", "ab", "*", "*"]) }
        if random.once(in: 3) { tokens[tokens.count - 1] = ">" }
        return tokens.joined(separator: ".")
    }
}

/// Token by token, as the protocol's page says it.
func matches(_ pattern: String, _ channel: String) -> Bool {
    let wanted = pattern.split(separator: ".")
    let found = channel.split(separator: ".")
    if channel.hasPrefix("$"), !pattern.hasPrefix("$") { return false }
    for (index, token) in wanted.enumerated() {
        if token == ">" { return found.count > index }
        if index >= found.count || token != "*" && token != found[index] { return false }
    }
    return wanted.count == found.count
}
