// Which names are taken, and which patterns get which channels: the same on every way to a message
// (trials T040, T042, T044, T046, T048).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct NamesTests {
    let client: RawClient
    private let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        client = try daemon.client()
    }

    /// As they stand inside a JSON string.
    static let badEverywhere = [
        "", ".", "..", "a.", ".a", "a..b", "a...b", "a. x", "a.x ", " a", "a b", #"a\t"#, #"a\nb"#, #"a\r"#,
        #"a\u0000b"#,
        #"a\u00a0b"#, #"a\"q\""#, #"a\\"#, "a.%0a", #"a.\u001b[31m"#, #"a\u007f"#, #"a\u202ex"#, "a;rm", "a.$(id)",
        "a,b", "a.#",
        "é", "a.\u{301}x", "a\u{301}.x", "a.\u{200D}x", "a.x\u{FE0F}", "a.$b", "$", "$.a",
    ]
    static let badInChannels = ["*", ">", "a.*", "a.>", "a.*.b", "a*", "a>"]
    static let badPatterns = [
        "a.>.b", ">.a", "a*", "*a", "a.**", "a.>>", "a.*>", "a.b>", "*\u{FE0F}", ">\u{301}", "a.\u{200D}*",
    ]
    static let good = ["a", "a.b", "A.b", "a-b_c9", "a:b", "a@b", "a/b", "a+b", "a=b", "/etc/x", "0", "-"]

    @Test(arguments: badEverywhere + badInChannels) func `no request takes a channel that is none`(name: String) throws
    {
        for request in [
            #"{"op":"post","channel":"@"}"#, #"{"op":"post","channel":"@","retain":true}"#,
            #"{"op":"get","channel":"@"}"#,
            #"{"op":"clear","channel":"@"}"#, #"{"op":"batch","posts":[{"channel":"good"},{"channel":"@"}]}"#,
        ] {
            #expect(try client.ask(request.replacing("@", with: name)).code == "invalid_channel", "\(request)")
        }
        #expect(try client.must(#"{"op":"channels"}"#).list("channels").isEmpty)
    }

    @Test(arguments: badEverywhere + badPatterns) func `no request takes a pattern that is none`(name: String) throws {
        for request in [
            #"{"op":"subscribe","channel":"@"}"#, #"{"op":"channels","match":"@"}"#,
            #"{"op":"subscriptions","match":"@"}"#,
        ] {
            #expect(try client.ask(request.replacing("@", with: name)).code == "invalid_pattern", "\(request)")
        }
    }

    @Test func `every allowed character may stand in a channel`() throws {
        for name in Self.good {
            try client.subscribe(name, ",\"sub\":1")
            try client.send("{\"op\":\"post\",\"channel\":\"\(name)\"}")
            #expect(try client.line()["channel"] == name)
            try client.must(#"{"op":"unsubscribe","sub":1}"#)
        }
    }

    @Test func `a refusal shows no control character of the name`() throws {
        for name in [#"a\u001b[31m"#, #"a\u0000b"#, #"a\nb"#, #"a\u009bb"#, #"a\u202eb"#] {
            let answer = try client.ask("{\"op\":\"post\",\"channel\":\"\(name)\"}")
            #expect(answer.message.contains("'a\u{FFFD}"), "\(name): \(answer)")
        }
    }

    @Test func `a name has at most 255 bytes and 32 tokens`() throws {
        let longest = String(repeating: "n", count: 255)
        let deepest = Array(repeating: "t", count: 32).joined(separator: ".")
        for name in [longest, deepest] {
            try client.post(name)
            try client.subscribe(name)
        }
        for name in [longest + "n", deepest + ".t"] {
            #expect(try client.ask("{\"op\":\"post\",\"channel\":\"\(name)\"}").code == "invalid_channel")
            #expect(try client.ask("{\"op\":\"subscribe\",\"channel\":\"\(name)\"}").code == "invalid_pattern")
        }
    }

    static let matrix: [(pattern: String, channel: String, matches: Bool)] = [
        (">", "a", true), (">", "a.b.c", true), ("a.>", "a", false), ("a.>", "a.b", true), ("a.>", "a.b.c.d", true),
        ("a.>", "ab.c", false), ("a.*", "a", false), ("a.*", "a.b", true), ("a.*", "a.b.c", false), ("*", "a", true),
        ("*", "a.b", false), ("*.b", "a.b", true), ("*.b", "a.c", false), ("*.*", "a.b", true), ("*.*", "a", false),
        ("a.*.c", "a.b.c", true), ("a.*.c", "a.c", false), ("a.*.c", "a.b.b.c", false), ("a.*.>", "a.b", false),
        ("a.*.>", "a.b.c", true), ("*.>", "a", false), ("*.>", "a.b", true), ("a.b", "a.b", true),
        ("a.b", "A.b", false),
        ("a.b", "a.bb", false), ("a.bb", "a.b", false), ("*.*.*.*.*.*.*.*.*.*.x", "1.2.3.4.5.6.7.8.9.10.x", true),
        ("*.*.*.*.*.*.*.*.*.*.x", "1.2.3.4.5.6.7.8.9.x", false), ("a.b.c.>", "a.b.c", false),
        ("a.b.*.d.>", "a.b.c.d.e.f", true), ("a", "a.b", false), ("a.b", "a", false), ("*.a", "aa.a", true),
    ]

    /// Live, retained and listed, the answers agree; and after `unsubscribe` nothing comes.
    @Test func `a pattern gets what its tokens say, whichever way`() throws {
        let poster = try daemon.client()
        for (pattern, channel, matches) in Self.matrix {
            try client.subscribe(pattern, ",\"sub\":1")
            let receipt = try poster.post(channel, "\"live\"", ",\"retain\":true")
            #expect(receipt.integer("matched") == (matches ? 1 : 0), "\(pattern) \(channel)")
            var live = 0
            try client.must(#"{"op":"ping"}"#) { _ in live += 1 }
            #expect(live == (matches ? 1 : 0), "\(pattern) \(channel)")

            let listed = try poster.must("{\"op\":\"channels\",\"match\":\"\(pattern)\"}").list("channels")
            #expect(listed.contains { $0["channel"] as? String == channel } == matches, "\(pattern) \(channel)")
            try client.must(#"{"op":"unsubscribe","sub":1}"#)
            #expect(try poster.post(channel, "0").integer("matched") == 0)

            try client.subscribe(pattern, ",\"sub\":1,\"replay\":\"retained\"")
            let replayed = try client.lines { $0.op == "live" }.dropLast()
            #expect(replayed.map { $0["channel"] } == (matches ? [channel] : []), "\(pattern) \(channel)")
            try client.must(#"{"op":"unsubscribe","sub":1}"#)
            try poster.must("{\"op\":\"clear\",\"channel\":\"\(channel)\"}")
        }
    }
}
