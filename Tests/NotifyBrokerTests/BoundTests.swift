// What one request can cost, however many it reaches; and who is told to be slow.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Bounds")
struct BoundTests {
    @Test("one post to very many numbers of one client does not fill the log with copies of its line")
    func manyNumbers() {
        let stage = Stage { $0.clientQueueBytes = 12 << 20 }
        let poster = stage.connect()
        let listener = stage.connect()
        for _ in 0..<200 { listener.send(#"{"op":"subscribe","channel":"a"}"#) }
        let payload = "\"\(String(repeating: "x", count: 100_000))\""
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(payload),"retain":true}"#)
        #expect(receipt["matched"].int == 200)
        #expect(stage.logCapacity <= 2 * Limits.logCeiling + (1 << 20))
        let lines = listener.read()
        #expect(Set(lines.messages.map { $0["sub"].int ?? -1 }).count == lines.messages.count)
        #expect(lines.messages.allSatisfy { $0["payload"].text?.utf8.count == 100_000 && $0["seq"].int == 1 })
        #expect(lines.messages.count < 200)
        // What did not fit into the connection's own bound is told with the next message.
        #expect(lines.messages.count == 200 - (receipt["dropped"].int ?? 0))
        poster.post("a", "2")
        let told = listener.read()
        #expect(told.messages.count == 200)
        #expect(told.gaps.count == receipt["dropped"].int)
        #expect(poster.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]["seq"].int == 1)
    }

    @Test("a subscription is told to be slow once until it has caught up")
    func slow() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect(uid: 7, pid: 9)
        listener.subscribe("a.*", #","sub":3,"buffer":{"messages":2}"#)
        #expect(stage.takeSlow().isEmpty)
        for round in 1...2 {
            listener.block()
            for _ in 1...2 { poster.post("a.b") }
            #expect(stage.takeSlow().isEmpty, "full is not slow yet")
            for _ in 1...5 { poster.post("a.b") }
            let slow = stage.takeSlow()
            #expect(slow.count == 1, "round \(round)")
            #expect(slow.first?.client == listener.number)
            #expect(slow.first?.pid == 9)
            #expect(slow.first?.uid == 7)
            #expect(slow.first?.sub == 3)
            #expect(slow.first?.pattern == "a.*")
            #expect(stage.takeSlow().isEmpty)
            listener.unblock()
        }
    }

    @Test("a peer that is gone for reading still gets its requests done, and costs no answers")
    func deaf() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("a")
        let client = stage.connect()
        client.subscribe("a")
        client.block()
        client.post("a", "1")
        stage.deafen(client)
        #expect(!client.isBlocked)
        #expect(stage.statistics["subscriptions"].int == 1)
        for number in 2...4 { client.send(#"{"op":"post","id":\#(number),"channel":"a","payload":\#(number)}"#) }
        client.send("nonsense")
        #expect(listener.read().payloads == [1, 2, 3, 4])
        client.unblock()
        #expect(client.read().isEmpty)
        stage.disconnect(client)
        #expect(stage.pins == 0)
    }

    @Test("a batch to a slow subscription with many others leaves the others whole")
    func mixedBatch() {
        let stage = Stage()
        let poster = stage.connect()
        let slow = stage.connect()
        let fast = stage.connect()
        slow.subscribe("a", #","buffer":{"messages":1}"#)
        fast.subscribe("a")
        fast.subscribe("a")
        slow.block()
        let posts = (1...40).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
        let reply = poster.ask(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)
        #expect(reply["results"].elements.map { $0["dropped"].int } == [0] + [Int](repeating: 1, count: 39))
        for number in 1...2 {
            #expect(fast.peek().filter { $0["sub"].int == number }.payloads == Array(1...40))
        }
        slow.unblock()
        #expect(slow.read().map { $0["count"].int ?? $0["payload"].int } == [39, 40])
    }
}
