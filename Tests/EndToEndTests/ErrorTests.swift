// What is wrong with a request is said with a code, a sentence and the request's id, and costs nothing else
// (trials T007, T023, T025, T091).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct ErrorTests {
    let client: RawClient
    private let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        client = try daemon.client()
        try client.subscribe("taken", ",\"sub\":5")
    }

    /// A request without `id` that is refused with this code and a message that contains these words.
    struct Case: CustomTestStringConvertible {
        let code: String
        let request: String
        let words: String

        init(_ code: String, _ request: String, _ words: String) {
            self.code = code
            self.request = request
            self.words = words
        }

        var testDescription: String { "\(code): \(request.prefix(100))" }

        func with(id: String) -> String { "{\"id\":\(id)" + (request == "{}" ? "" : ",") + request.dropFirst() }
    }

    static let cases: [Case] = [
        Case("invalid_request", #"{}"#, "'op'"),
        Case("invalid_request", #"{"channel":"a"}"#, "'op'"),
        Case("invalid_request", #"{"op":"ping","op":"ping"}"#, "'op' stands twice"),
        Case("invalid_request", #"{"op":"post","channel":"a","\u0063hannel":"b"}"#, "'channel' stands twice"),
        Case("unknown_op", #"{"op":"shout"}"#, "'shout'"),
        Case("invalid_field", #"{"op":"cancel","schedule":"s"}"#, "'schedule'"),
        Case("unknown_field", #"{"op":"will","channel":"a","delay_ms":1}"#, "'delay_ms'"),
        Case("unknown_field", #"{"op":"ping","chanel":1}"#, "'chanel'"),
        Case("unknown_field", #"{"op":"ping","channel":"a"}"#, "'channel'"),
        Case("unknown_field", #"{"op":"post","channel":"a","from":{"uid":0}}"#, "'from'"),
        Case("missing_field", #"{"op":"post","payload":1}"#, "'channel'"),
        Case("missing_field", #"{"op":"subscribe"}"#, "'channel'"),
        Case("missing_field", #"{"op":"unsubscribe"}"#, "'sub'"),
        Case("missing_field", #"{"op":"hello"}"#, "'version'"),
        Case("missing_field", #"{"op":"batch"}"#, "'posts'"),
        Case("missing_field", #"{"op":"batch","posts":[{"channel":"a"},{}]}"#, "posts[1]"),
        Case("missing_field", #"{"op":"get"}"#, "'channel'"),
        Case("missing_field", #"{"op":"clear"}"#, "'channel'"),
        Case("invalid_field", #"{"op":5}"#, "'op'"),
        Case("invalid_field", #"{"op":"post","channel":5}"#, "'channel'"),
        Case("invalid_field", #"{"op":"post","channel":"a","type":""}"#, "'type'"),
        Case("invalid_field", #"{"op":"post","channel":"a","subject":"a\nb"}"#, "'subject'"),
        Case("invalid_field", #"{"op":"post","channel":"a","retain":"yes"}"#, "'retain'"),
        Case("invalid_field", #"{"op":"hello","version":1,"name":"a\u0000b"}"#, "'name'"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","sub":0}"#, "'sub'"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","echo":1}"#, "'echo'"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","buffer":{"policy":"best"}}"#, "policy"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","buffer":{"messages":0}}"#, "messages"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","buffer":{"messages":65537}}"#, "65536"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","min_interval_ms":0}"#, "milliseconds"),
        Case("invalid_field", #"{"op":"subscribe","channel":"a","group":""}"#, "'group'"),
        Case("invalid_channel", #"{"op":"post","channel":"a..b"}"#, "'a..b': empty token at byte 2"),
        Case("invalid_channel", #"{"op":"get","channel":"a.*"}"#, "byte 2"),
        Case("invalid_channel", #"{"op":"clear","channel":""}"#, "byte 0"),
        Case("invalid_pattern", #"{"op":"subscribe","channel":"a.>.b"}"#, "byte 2"),
        Case("invalid_pattern", #"{"op":"channels","match":"a b"}"#, "byte 1"),
        Case("invalid_pattern", #"{"op":"subscriptions","match":">x"}"#, "byte 0"),
        Case("unsupported_version", #"{"op":"hello","version":2}"#, "version 2"),
        Case("unknown_subscription", #"{"op":"unsubscribe","sub":77}"#, "77"),
        Case("duplicate_subscription", #"{"op":"subscribe","channel":"a","sub":5}"#, "5"),
        Case("denied", #"{"op":"post","channel":"$notifyd.reload"}"#, "'$notifyd.reload'"),
        Case("denied", #"{"op":"clear","channel":"$notifyd.reload"}"#, "'$notifyd.reload'"),
    ]

    @Test func `each refusal has its code, its words and the id as it came`() throws {
        for each in Self.cases {
            for id in ["0", "9007199254740991", #""a\u00e9\/b""#] {
                try client.send(each.with(id: id))
                let answer = try client.line()
                #expect(answer.op == "error", "\(each)")
                #expect(answer.code == each.code, "\(each)")
                #expect(answer.message.contains(each.words), "\(each): \(answer.message)")
                #expect(answer.text.hasPrefix("{\"op\":\"error\",\"id\":\(id),"), "\(each)")
            }
            try client.send(each.request)
            let answer = try client.line()
            #expect(answer.code == each.code, "\(each)")
            #expect(!answer.has("id"), "\(each)")
        }
        #expect(try client.ask("{\"op\":\"ping\"}").op == "ok")
    }

    @Test func `the versions that are spoken are listed`() throws {
        let answer = try client.ask("{\"op\":\"hello\",\"version\":2}")
        #expect(answer["supported"] == [1])
    }

    static let notJSON: [(bytes: String, offset: Int)] = [
        ("x", 0), ("[]", 0), ("\"op\"", 0), ("5", 0), ("{", 1), ("{\"op\":\"ping\"", 12), ("{\"op\":\"ping\",}", 13),
        ("{\"op\":\"ping\"} x", 14), ("{\"op\":\"ping\"}{}", 13), ("\u{FEFF}{\"op\":\"ping\"}", 0),
        ("{'op':\"ping\"}", 1),
        ("{\"op\":\"ping\" /* hm */}", 13), ("{\"op\":\"ping\",\"id\":01}", 19), ("{\"op\":\"ping\",\"id\":NaN}", 18),
        ("{\"op\":\"a\tb\"}", 8), ("{\"op\":\"\\x\"}", 7), ("{\"op\":\"\\ud800\"}", 7), ("{op:1}", 1),
        ("{\"a\":1.}", 7), ("{\"a\":.5}", 5), ("{\"a\":1e}", 7), ("{\"a\":+1}", 5), ("{\"a\":nul}", 5),
    ]

    @Test func `what is not one strict object is refused with the place`() throws {
        for (text, offset) in Self.notJSON {
            try client.send(text)
            let answer = try client.line()
            #expect(answer.code == "invalid_json", "\(text)")
            #expect(answer.integer("offset") == offset, "\(text): \(answer)")
            #expect(answer.message.contains("expected"), "\(text): \(answer)")
        }
        #expect(try client.ask("{\"op\":\"ping\"}").op == "ok")
    }

    static let notText: [[UInt8]] = [
        [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
        [0x80], [0x00], [0x1F],
    ]

    @Test(arguments: ["op", "channel", "payload", "key"]) func `bytes that are not text are refused`(place: String)
        throws
    {
        for bytes in Self.notText {
            let (head, tail) =
                switch place {
                case "op": ("{\"op\":\"p", "\"}")
                case "channel": ("{\"op\":\"post\",\"channel\":\"a", "b\"}")
                case "payload": ("{\"op\":\"post\",\"channel\":\"taken\",\"payload\":\"a", "b\"}")
                default: ("{\"op\":\"post\",\"channel\":\"taken\",\"payload\":{\"a", "b\":1}}")
                }
            try client.send(bytes: Array(head.utf8) + bytes + Array(tail.utf8) + [10])
            let answer = try client.line()
            #expect(answer.code == "invalid_json", "\(bytes)")
            #expect(
                (head.utf8.count...head.utf8.count + bytes.count).contains(answer.integer("offset")),
                "\(bytes): \(answer)")
        }
    }

    static let badIntegers = [
        "1.7976931348623157e308", "-1e25", "1e19", "9223372036854775808", "-9223372036854775809", "0.5", "1e400", "-1",
        "1e0", "1.0", "\"1\"", "true", "null", "[]", "18446744073709551616",
    ]

    static let integerFields: [(field: String, request: String)] = [
        ("sub", #"{"op":"subscribe","channel":"a","sub":@}"#), ("sub", #"{"op":"unsubscribe","sub":@}"#),
        ("from_uid", #"{"op":"subscribe","channel":"a","from_uid":@}"#), ("version", #"{"op":"hello","version":@}"#),
        ("buffer", #"{"op":"subscribe","channel":"a","buffer":{"messages":@}}"#),
        ("buffer", #"{"op":"subscribe","channel":"a","buffer":{"bytes":@}}"#), ("id", #"{"op":"ping","id":@}"#),
    ]

    @Test func `an integer is a plain one in its range`() throws {
        for (field, request) in Self.integerFields {
            for value in Self.badIntegers where field != "id" || value != "\"1\"" {
                try client.send(request.replacing("@", with: value))
                let answer = try client.line()
                #expect(answer.code == "invalid_field", "\(field) \(value)")
                #expect(answer.message.contains("'\(field)'"), "\(field) \(value): \(answer)")
            }
        }
    }

    @Test func `an id is an integer up to 2^53-1 or a string up to 64 bytes`() throws {
        let longest = "\"" + String(repeating: "i", count: 64) + "\""
        for id in ["0", "9007199254740991", "\"\"", longest] {
            try client.send("{\"op\":\"ping\",\"id\":\(id)}")
            #expect(try client.line().text == "{\"op\":\"ok\",\"id\":\(id)}")
        }
        for id in ["9007199254740992", "\"i" + longest.dropFirst()] {
            try client.send("{\"op\":\"ping\",\"id\":\(id)}")
            let answer = try client.line()
            #expect(answer.code == "invalid_field")
            #expect(!answer.has("id"))
        }
    }

    @Test func `a bad line between good ones loses none of their answers`() throws {
        let good = (1...6).map { "{\"op\":\"post\",\"id\":\($0),\"channel\":\"good\"}" }
        let bad = [
            "{", "{\"op\":7}", "{\"op\":\"nope\"}", "{\"op\":\"post\",\"channel\":\".\"}",
            String(repeating: "z", count: 1 << 20),
        ]
        for line in bad {
            try client.send(bytes: Array((good[..<3] + [line] + good[3...]).map { $0 + "\n" }.joined().utf8))
            let answers = try client.lines(7)
            #expect(answers.map { $0.integer("id") } == [1, 2, 3, -1, 4, 5, 6], "\(line.prefix(30))")
            #expect(answers.map(\.op) == ["ok", "ok", "ok", "error", "ok", "ok", "ok"], "\(line.prefix(30))")
        }
    }

    @Test func `success without an id is silent`() throws {
        try client.send(
            "{\"op\":\"post\",\"channel\":\"a\"}", "{\"op\":\"subscribe\",\"channel\":\"b\",\"sub\":9}",
            "{\"op\":\"ping\"}",
            "{\"op\":\"unsubscribe\",\"sub\":9}", "{\"op\":\"hello\",\"version\":1}", "{\"op\":\"stats\"}",
            "{\"op\":\"get\",\"channel\":\"a\"}", "{\"op\":\"batch\",\"posts\":[{\"channel\":\"a\"}]}")
        #expect(try client.ask("{\"op\":\"ping\"}").op == "ok")
    }
}
