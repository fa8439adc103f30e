// Answers that are large or many: whole, in order, and bounded while nobody reads them.

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct AnswerTests {
    let daemon: TestDaemon
    let client: RawClient
    let other: RawClient

    init() throws {
        daemon = try TestDaemon()
        client = try daemon.client()
        other = try daemon.client()
    }

    @Test func `large answers are not piled up for who does not read them`() throws {
        try other.post("big", SlowReaderTests.payload(900_000), ",\"retain\":true")
        let before = daemon.peakMemory
        let count = 300
        let requests = (1...count).map { "{\"op\":\"get\",\"id\":\($0),\"channel\":\"big\"}\n" }
        try client.send(bytes: Array(requests.joined().utf8))
        for _ in 0..<20 { try other.must(#"{"op":"ping"}"#) }
        daemon.expectPeak(since: before, below: 12 << 10)
        for id in 1...count {
            let raw = try #require(try client.rawLine())
            #expect(raw.count > 900_000)
            if id % 50 == 0 { #expect(try ReceivedLine(raw).integer("id") == id) }
        }
        daemon.expectPeak(since: before, below: 12 << 10)
    }

    @Test func `requests behind large answers are handled as these are read`() throws {
        try other.post("big", SlowReaderTests.payload(900_000), ",\"retain\":true")
        try other.subscribe("after")
        for id in 1...10 { try client.send("{\"op\":\"get\",\"id\":\(id),\"channel\":\"big\"}") }
        try client.send(#"{"op":"post","channel":"after","id":11}"#)
        let ids = try client.lines(11).map { $0.integer("id") }
        #expect(ids == Array(1...11))
        #expect(try other.line()["channel"] == "after")
    }

    @Test func `what many connections of a user ask and do not read comes to no more than the user may have`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { queued_bytes_per_uid: 2000000 } }")
        let other = try daemon.client()
        try other.post("r", SlowReaderTests.payload(4000), ",\"retain\":true")
        let count = 400
        let requests = (1...count).map { "{\"op\":\"get\",\"id\":\($0),\"channel\":\"r\"}\n" }
        let greedy = try (1...20).map { _ in try daemon.client() }
        for client in greedy {
            try client.send(bytes: Array(requests.joined().utf8))
            try client.waitUntilRead()
        }
        let stats: [String: Any] = try other.must(#"{"op":"stats"}"#)["stats"] ?? [:]
        let waiting = (stats["accounts"] as? [[String: Any]])?.first?["queued_bytes"] as? Int
        #expect(500_000...2_000_000 + 20 * 8192 ~= waiting ?? 0)
        // All of it comes, and what others ask meanwhile.
        for client in greedy {
            for id in 1...count {
                let raw = try #require(try client.rawLine())
                if id % 100 == 0 { #expect(try ReceivedLine(raw).integer("id") == id) }
            }
            try other.must(#"{"op":"ping"}"#)
        }
    }

    @Test func `a list that would be longer than a line ends early and says so`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { line_bytes: 20000 } }")
        let client = try daemon.client()
        for number in 1...300 { try client.subscribe("list.\(String(repeating: "n", count: 100)).\(number)") }
        for op in ["channels", "subscriptions"] {
            let answer = try client.must("{\"op\":\"\(op)\"}")
            #expect(answer["truncated"] == true && answer.text.utf8.count < 20000)
            #expect((1..<300).contains(answer.list(op).count))
            let exact = try client.must("{\"op\":\"\(op)\",\"match\":\"list.*.7\"}")
            #expect(exact.list(op).count == 1 && !exact.has("truncated"))
        }
    }

    @Test func `hello says who and where one is, and the limits`() throws {
        let answer = try client.must(#"{"op":"hello","version":1,"name":"n"}"#)
        #expect(answer.integer("version") == 1 && answer.integer("pos") == 0 && answer.integer("client") > 0)
        #expect(answer["server"] == "notifyd 0.1.0")
        let epoch: String? = answer["epoch"]
        #expect(epoch?.isEmpty == false)
        #expect(answer.integer("limits", "line_bytes") == 1 << 20)
        #expect(
            answer.integer("limits", "queue_messages") == 65536 && answer.integer("limits", "queue_bytes") == 8 << 20)
        let features: [String]? = answer["features"]
        #expect(features?.contains("retained") == true && features?.contains("will") == true)
        // At any time, and again.
        #expect(try client.must(#"{"op":"hello","version":1}"#)["epoch"] == epoch)
        #expect(try other.must(#"{"op":"hello","version":1}"#).integer("client") != answer.integer("client"))
    }
}
