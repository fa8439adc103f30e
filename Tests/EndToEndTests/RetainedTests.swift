// A channel's last value: kept, replayed in its place before live messages, forgotten only when asked
// (trials T011, T013, T027, T050, T052, T056).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct RetainedTests {
    let daemon: TestDaemon
    let listener: RawClient
    let poster: RawClient

    init() throws {
        daemon = try TestDaemon()
        listener = try daemon.client()
        poster = try daemon.client()
    }

    /// What a payload may be: passed on byte for byte on every way.
    static let payloads = [
        "null", "\"\"", "{}", "[]", "0", "false", "9007199254740993", "18446744073709551616", "1.0", "1e2", "-0",
        "0.30000000000000004",
        String(repeating: "7", count: 100), #"{"b":1,"a":2,"b":3}"#, "[ 1 ,\t2 ]", #""\ud83d\ude00\/\u002f\u0000""#,
        #"{"":"\u2028","url":"https://a/b"}"#, "\"\u{2028}\u{FFFF}\u{10FFFF}\u{7F}\"", #"{"op":"error","channel":"x"}"#,
    ]

    @Test(arguments: payloads) func `a payload is passed on byte for byte, live, kept and asked for`(payload: String)
        throws
    {
        try listener.subscribe("v")
        try poster.post("v", payload, ",\"retain\":true")
        #expect(try listener.line().payload == payload)
        #expect(try poster.must(#"{"op":"get","channel":"v"}"#).text.hasSuffix("\"payload\":\(payload)}}"))
        try listener.subscribe("*", ",\"replay\":\"retained\"")
        #expect(try listener.line().payload == payload)
    }

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `what may be nested live may be nested on every way`() throws {
        try listener.subscribe("deep")
        // The object of the request is the first of 128 levels.
        for depth in [1, 64, 126, 127] {
            try poster.post("deep", Self.nested(depth), ",\"retain\":true")
            #expect(try listener.line().payload == Self.nested(depth))
            try poster.subscribe("deep", ",\"sub\":1,\"replay\":\"retained\"")
            #expect(try poster.line().payload == Self.nested(depth))
            #expect(try poster.line().op == "live")
            try poster.must(#"{"op":"unsubscribe","sub":1}"#)
        }
        for depth in [128, 513, 5000, 500_000] {
            try poster.send("{\"op\":\"post\",\"channel\":\"deep\",\"payload\":\(Self.nested(depth))}")
            #expect(try poster.line().code == "invalid_json")
        }
    }

    @Test func `only clear forgets`() throws {
        for payload in ["null", "\"\"", "{}", "[]", "0", "false"] {
            try poster.post("v", payload, ",\"retain\":true")
            try poster.post("v", "\"passing\"")
            #expect(
                try poster.must(#"{"op":"get","channel":"v"}"#).text.hasSuffix(
                    "\"retain\":true,\"payload\":\(payload)}}"))
        }
        try poster.must(#"{"op":"clear","channel":"v"}"#)
        #expect(try poster.must(#"{"op":"get","channel":"v"}"#).text.hasSuffix("\"message\":null}"))
        try listener.subscribe("v", ",\"replay\":\"retained\"")
        #expect(try listener.line().op == "live")
        // Clearing what is not there is no fault.
        try poster.must(#"{"op":"clear","channel":"v"}"#)
        try poster.must(#"{"op":"clear","channel":"never"}"#)
    }

    @Test func `replay is: answer, kept messages in the order they were posted, live`() throws {
        for (index, name) in ["r.c", "r.a", "r.b", "other", "r.a"].enumerated() {
            try poster.post(name, "\(index)", ",\"type\":\"T\",\"subject\":\"s\",\"retain\":true")
        }
        let answer = try listener.subscribe("r.*", ",\"replay\":\"retained\"")
        let lines = try listener.lines { $0.op == "live" }
        #expect(lines.map(\.payload) == ["0", "2", "4", ""])
        #expect(lines.map { $0.integer("seq") } == [1, 1, 2, -1])
        for line in lines.dropLast() {
            #expect(line["replay"] == true && line["retain"] == true && line["type"] == "T" && line["subject"] == "s")
            #expect(line.integer("sub") == 1)
        }
        #expect(lines[3].integer("pos") == 5 && answer.integer("pos") == 5)
        try poster.post("r.a", "9", ",\"retain\":true")
        let live = try listener.line()
        #expect(live.payload == "9" && !live.has("replay") && live["retain"] == true)
    }

    @Test func `a replay is filtered like what is live`() throws {
        try poster.post("f.a", "1", ",\"type\":\"A\",\"subject\":\"s\",\"retain\":true")
        try poster.post("f.b", "2", ",\"type\":\"B\",\"subject\":\"s\",\"retain\":true")
        for (filter, expected) in [
            (#","type":"A""#, ["1"]), (#","subject":"s""#, ["1", "2"]), (#","type":"B","subject":"t""#, []),
            (#","from_uid":4294967295"#, []),
        ] {
            try listener.subscribe("f.*", filter + ",\"sub\":1,\"replay\":\"retained\"")
            #expect(try listener.lines { $0.op == "live" }.dropLast().map(\.payload) == expected, "\(filter)")
            try listener.must(#"{"op":"unsubscribe","sub":1}"#)
        }
    }

    @Test func `a kept value never comes after a newer one`() throws {
        // The posts of a fast poster and the subscriptions of a restless listener meet in the daemon in every order.
        var posted = 0
        for _ in 0..<300 {
            var posts = ""
            for _ in 0..<20 {
                posted += 1
                posts += "{\"op\":\"post\",\"channel\":\"v\",\"payload\":\(posted),\"retain\":true}\n"
            }
            try poster.send(bytes: Array(posts.utf8))
            try listener.send(
                #"{"op":"subscribe","channel":"v","sub":1,"replay":"retained"}"#, #"{"op":"ping","id":1}"#,
                #"{"op":"unsubscribe","sub":1}"#, #"{"op":"ping","id":2}"#)
            let lines = try listener.lines { $0.integer("id") == 2 }
            let values = lines.filter { $0.op == "message" }.compactMap { Int($0.payload) }
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(values)")
            let live = try #require(lines.firstIndex { $0.op == "live" })
            #expect(lines[..<live].allSatisfy { $0["replay"] == true } && live <= 1)
            #expect(lines[live...].allSatisfy { $0["replay"] == nil as Bool? })
        }
    }

    @Test func `all that is kept has a bound`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { retained_bytes: 10000 } }")
        let client = try daemon.client()
        let value = "\"" + String(repeating: "k", count: 3000) + "\""
        for number in 1...2 { try client.post("k.\(number)", value, ",\"retain\":true") }
        let refused = try client.ask(
            "{\"op\":\"post\",\"channel\":\"k.4\",\"payload\":\"\(String(repeating: "k", count: 9000))\",\"retain\":true}"
        )
        #expect(refused.code == "quota_exceeded" && refused.message.contains("retained_bytes"))
        #expect(try client.must(#"{"op":"stats"}"#).integer("stats", "retained") == 2)
        try client.must(#"{"op":"clear","channel":"k.1"}"#)
        #expect(try client.must(#"{"op":"stats"}"#).integer("stats", "retained") == 1)
        try client.post("k.3", value, ",\"retain\":true")
    }

    @Test func `a replay is whole, however small the subscription's queue`() throws {
        for number in 1...6 { try poster.post("r.\(number)", "\(number)", ",\"retain\":true") }
        try listener.subscribe("r.*", ",\"replay\":\"retained\",\"buffer\":{\"messages\":1,\"bytes\":1}")
        #expect(try listener.lines { $0.op == "live" }.map(\.payload) == ["1", "2", "3", "4", "5", "6", ""])
    }

    @Test func `a replay is whole, also when it is larger than any queue`() throws {
        let value = SlowReaderTests.payload(900_000)
        let count = 20
        for number in 1...count { try poster.post("r.\(number)", value, ",\"retain\":true") }
        try listener.subscribe("r.*", ",\"replay\":\"retained\"")
        #expect(
            try listener.lines { $0.op == "live" }.map { $0["channel"] ?? "" } == (1...count).map { "r.\($0)" } + [""])
    }

    @Test func `replays that nobody reads are not piled up`() throws {
        for number in 1...10 { try poster.post("r.\(number)", SlowReaderTests.payload(900_000), ",\"retain\":true") }
        let before = daemon.peakMemory
        let requests = (1...100).map {
            "{\"op\":\"subscribe\",\"channel\":\"r.*\",\"sub\":\($0),\"replay\":\"retained\"}\n"
        }
        try listener.send(bytes: Array(requests.joined().utf8))
        for _ in 0..<20 { try poster.must(#"{"op":"ping"}"#) }
        // One replay is 9 MB, a hundred would be 900.
        daemon.expectPeak(since: before, below: 40 << 10)
        for _ in 0..<1000 {
            let raw = try #require(try listener.rawLine())
            if raw.count < 1000 { #expect(try ReceivedLine(raw).op == "live") }
        }
    }
}
