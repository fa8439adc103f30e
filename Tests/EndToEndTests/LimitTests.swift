// Each limit at n and n + 1, what it says, and that it ends with what filled it (trials T061, T087, T089).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct LimitTests {
    private func daemon(_ limits: String, prelude: String = ":") throws -> TestDaemon {
        try TestDaemon(configuration: "{ limits: { \(limits) } }", prelude: prelude)
    }

    @Test(arguments: ["clients", "clients_per_uid"]) func `connections`(limit: String) throws {
        let daemon = try daemon("\(limit): 3")
        var clients = try (0..<3).map { _ in try daemon.client() }
        for client in clients { try client.must(#"{"op":"ping"}"#) }
        for _ in 0..<3 {
            let refused = try daemon.client().linesToEnd()
            #expect(refused.map(\.op) == ["error", "bye"])
            #expect(refused[0].code == "quota_exceeded" && refused[0].message.contains("'\(limit)'"))
            #expect(refused[0].message.contains("3"))
        }
        for client in clients { try client.must(#"{"op":"ping"}"#) }
        clients.removeLast()
        try daemon.wait(clients[0], "clients", 2)
        try daemon.client().must(#"{"op":"ping"}"#)
        try daemon.waitForLog("refused", "'\(limit)'")
    }

    @Test func `subscriptions of one connection`() throws {
        let daemon = try daemon("subscriptions_per_client: 20")
        let client = try daemon.client()
        for number in 1...20 { try client.subscribe("l.\(number)") }
        let refused = try client.ask(#"{"op":"subscribe","channel":"l.21"}"#)
        #expect(refused.code == "quota_exceeded" && refused.message.contains("'subscriptions_per_client'"))
        try daemon.client().subscribe("l.21")
        try client.must(#"{"op":"unsubscribe","sub":20}"#)
        try client.subscribe("l.21")
    }

    @Test func `the queue that a subscription may ask for`() throws {
        let daemon = try daemon("queue_messages: 100, queue_bytes: 5000")
        let client = try daemon.client()
        for (name, largest) in [("messages", 100), ("bytes", 5000)] {
            try client.subscribe("q", ",\"buffer\":{\"\(name)\":\(largest)}")
            let refused = try client.ask(
                "{\"op\":\"subscribe\",\"channel\":\"q\",\"buffer\":{\"\(name)\":\(largest + 1)}}")
            #expect(refused.code == "invalid_field" && refused.message.contains("'queue_\(name)'"))
        }
        let listed = try client.must(#"{"op":"subscriptions"}"#).list("subscriptions")
        #expect(listed.allSatisfy { ($0["messages"] as? Int ?? 0) <= 100 && ($0["bytes"] as? Int ?? 0) <= 5000 })
    }

    @Test func `channels in use are counted, idle ones make room`() throws {
        let daemon = try daemon("channels: 50")
        let client = try daemon.client()
        let poster = try daemon.client()
        // Retained messages and subscriptions keep a channel; this many are never given up.
        var refused: ReceivedLine?
        for number in 1...200 where refused == nil {
            let answer = try client.ask("{\"op\":\"subscribe\",\"channel\":\"keep.\(number)\"}")
            if answer.op == "error" { refused = answer }
        }
        #expect(refused?.code == "quota_exceeded" && refused?.message.contains("'channels'") == true)
        #expect(try poster.ask(#"{"op":"post","channel":"new.one"}"#).code == "quota_exceeded")
        #expect(
            try poster.ask(#"{"op":"batch","posts":[{"channel":"keep.1"},{"channel":"new.one"}]}"#).code
                == "quota_exceeded")
        #expect(try poster.post("keep.1").integer("seq") == 1)
        client.close()
        try daemon.wait(poster, "subscriptions", 0)
        for number in 1...500 { try poster.post("passing.\(number)") }
        #expect(try poster.must(#"{"op":"stats"}"#).integer("stats", "channels") <= 150)
    }

    @Test func `each of a hundred thousand names costs nothing for long`() throws {
        let daemon = try daemon("channels: 1000")
        let poster = try daemon.client()
        let listener = try daemon.client()
        try listener.subscribe("end")
        func round(_ name: String, _ count: Int) throws {
            var lines = ""
            for number in 0..<count {
                lines += "{\"op\":\"post\",\"channel\":\"\(name).\(number)\"}\n"
                if number % 1000 == 999 {
                    try poster.send(bytes: Array(lines.utf8))
                    lines = ""
                }
            }
            try poster.post("end")
            _ = try listener.line()
        }
        try round("warm", 5000)
        let before = daemon.peakMemory
        try round("many", 100_000)
        daemon.expectPeak(since: before, below: 4 << 10)
        #expect(try poster.must(#"{"op":"stats"}"#).integer("stats", "channels") <= 2001)
    }

    @Test func `it raises its own descriptor limit as far as it may`() throws {
        let daemon = try daemon("", prelude: "ulimit -S -n 64; ulimit -H -n 512")
        let clients = try (0..<300).map { _ in try daemon.client() }
        for client in clients { try client.must(#"{"op":"ping"}"#) }
    }

    @Test func `connections that say nothing hold nobody up`() throws {
        let daemon = try TestDaemon()
        let silent = try (0..<500).map { _ in try daemon.client() }
        for client in silent.prefix(50) { try client.send(bytes: [UInt8(ascii: "{")]) }
        let (listener, poster) = (try daemon.client(), try daemon.client())
        try listener.subscribe("s")
        for number in 1...20 {
            try poster.post("s", "\(number)")
            #expect(try listener.line().payload == "\(number)")
        }
        try daemon.waitUntilQuiet("500 silent connections")
    }
}
