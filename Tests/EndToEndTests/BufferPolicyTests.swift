// What a client that reads too slowly gets, policy by policy, over real sockets (trials T057, T063).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct BufferPolicyTests {
    let daemon: TestDaemon
    let poster: RawClient
    let slow: RawClient

    init() throws {
        daemon = try TestDaemon()
        poster = try daemon.client()
        slow = try daemon.client()
    }

    private func subscribe(_ policy: String, messages: Int = 20, more: String = "") throws {
        try slow.subscribe("s", ",\"buffer\":{\"policy\":\"\(policy)\",\"messages\":\(messages)}\(more)")
    }

    /// Posts far more than a socket's buffer and the queue hold.
    private func flood(_ count: Int, subjects: Int? = nil) throws {
        let payload = SlowReaderTests.payload(5000)
        for number in 1...count {
            let subject = subjects.map { ",\"subject\":\"s\(number % $0)\"" } ?? ""
            try poster.send("{\"op\":\"post\",\"channel\":\"s\"\(subject),\"payload\":\(payload)}")
        }
        try poster.must(#"{"op":"ping"}"#)
    }

    @Test func `oldest keeps what came first and tells the rest behind it`() throws {
        try subscribe("oldest")
        try flood(500)
        let lines = try slow.lines { $0.op == "gap" }
        let received = lines.count - 1
        #expect(lines.dropLast().map { $0.integer("seq") } == Array(1...received))
        #expect(lines.last?.integer("from") == received + 1 && lines.last?.integer("to") == 500)
        #expect(lines.last?.integer("count") == 500 - received && lines.last?["reason"] == "overflow")
        // There is room again.
        try poster.post("s", "\"more\"")
        #expect(try slow.line().payload == "\"more\"")
    }

    @Test func `latest keeps the last of each subject and nothing else`() throws {
        try subscribe("latest", messages: 65536)
        try flood(1000, subjects: 7)
        var last: [String: Int] = [:]
        var (messages, replaced) = (0, 0)
        while messages + replaced < 1000 {
            let line = try slow.line()
            if line.op == "gap" {
                #expect(line["reason"] == "coalesced")
                replaced += line.integer("count")
            } else {
                messages += 1
                last[line["subject"] ?? ""] = line.integer("seq")
            }
        }
        #expect(last.values.sorted() == Array(994...1000))
        #expect(replaced > 0)
        let stats = try poster.must(#"{"op":"stats"}"#)
        #expect(stats.integer("stats", "dropped") == 0 && stats.integer("stats", "queued_bytes") == 0)
    }

    @Test func `fail ends with an error and nothing missing before it`() throws {
        try subscribe("fail")
        try slow.subscribe("s", ",\"sub\":2")
        try flood(500)
        let lines = try slow.lines { $0.integer("sub") == 2 && $0.integer("seq") == 500 }
        let own = lines.filter { $0.integer("sub") == 1 }
        #expect(own.last?.op == "error" && own.last?["code"] == "overflow" && own.last?.has("id") == false)
        #expect(own.dropLast().map { $0.integer("seq") } == Array(1..<own.count))
        #expect(lines.filter { $0.integer("sub") == 2 }.map { $0.integer("seq") } == Array(1...500))
        #expect(try poster.must(#"{"op":"subscriptions"}"#).list("subscriptions").count == 1)
        try subscribe("fail", more: ",\"sub\":1")
    }

    @Test(arguments: ["newest", "oldest", "latest", "fail"])
    func `a client that is killed in the middle leaves nothing behind`(policy: String) throws {
        try subscribe(policy)
        try flood(500, subjects: 50)
        slow.close()
        try daemon.wait(poster, "clients", 1)
        let stats = try poster.must(#"{"op":"stats"}"#)
        for name in ["queued_messages", "queued_bytes", "subscriptions"] {
            #expect(stats.integer("stats", name) == 0, "\(name)")
        }
        #expect(try poster.post("s").integer("matched") == 0)
    }
}
