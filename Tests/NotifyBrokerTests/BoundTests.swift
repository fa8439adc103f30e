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
        // What did not fit into the connection's own bound is told when the rest has been read.
        #expect(lines.messages.count == 200 - (receipt["dropped"].int ?? 0))
        #expect(lines.gaps.count == receipt["dropped"].int)
        poster.post("a", "2")
        #expect(listener.read().map(\.op) == Array(repeating: "message", count: 200))
        #expect(poster.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]["seq"].int == 1)
    }

    @Test(
        "a turn is over when more subscriptions were looked at than it allows, whether or not they wanted the message")
    func turns() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        for _ in 0..<1000 { listener.send(#"{"op":"subscribe","channel":"a","type":"nobody"}"#) }
        let turns = Limits.workPerTurn / 1000
        #expect(!stage.turnIsOver { for _ in 0..<turns { poster.send(#"{"op":"post","channel":"a"}"#) } })
        #expect(stage.turnIsOver { for _ in 0...turns { poster.send(#"{"op":"post","channel":"a"}"#) } })
        #expect(!stage.turnIsOver { poster.send(#"{"op":"post","channel":"a"}"#) }, "each turn begins anew")
    }

    @Test(
        "searching costs a turn what it searches",
        arguments: [
            #"{"op":"channels","id":1,"match":"z.*"}"#, #"{"op":"subscribe","channel":"z.*","replay":"retained"}"#,
        ])
    func searches(request: String) {
        let stage = Stage()
        let poster = stage.connect()
        for number in 0..<1000 { poster.post("a.\(number)", "1", more: #","retain":true"#) }
        let searches = Limits.workPerTurn / 1000
        #expect(!stage.turnIsOver { for _ in 0..<searches { poster.send(request) } })
        #expect(stage.turnIsOver { for _ in 0...searches { poster.send(request) } })
    }

    @Test("a batch may cause a million deliveries, and not one more")
    func batchDeliveries() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        // Exact and with wildcards; none of them wants the messages, but that shows only when they are posted.
        for _ in 0..<500 { listener.send(#"{"op":"subscribe","channel":"a","type":"nobody"}"#) }
        for _ in 0..<500 { listener.send(#"{"op":"subscribe","channel":"*","type":"nobody"}"#) }
        let posts = Limits.batchDeliveries / 1000
        let post = #"{"channel":"a"}"#
        let fits = Array(repeating: post, count: posts).joined(separator: ",")
        let ok = poster.ask(#"{"op":"batch","id":1,"posts":[\#(fits)]}"#)
        #expect(ok["results"].elements.count == posts)
        let refused = poster.ask(#"{"op":"batch","id":2,"posts":[\#(fits),{"channel":"new"}]}"#)
        #expect(refused["code"] == .string("quota_exceeded"))
        #expect(poster.ask(#"{"op":"post","id":3,"channel":"a"}"#)["seq"].int == posts + 1, "none was accepted")
    }

    @Test("matches that are too many to be kept with a channel are found all the same", arguments: [15, 16, 17, 40])
    func manyMatches(count: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let listeners = (0..<count).map { _ in stage.connect() }
        for listener in listeners { listener.subscribe(">") }
        // Two channels in turn: neither may take the other's matches for its own.
        let narrow = stage.connect()
        narrow.subscribe("b.>")
        for round in 1...3 {
            for channel in ["a", "b.c"] { poster.post(channel, "\(round)") }
        }
        for listener in listeners { #expect(listener.read().payloads == [1, 1, 2, 2, 3, 3]) }
        #expect(narrow.read().payloads == [1, 2, 3])
        #expect(
            poster.ask(#"{"op":"channels","id":1}"#)["channels"].elements.map { $0["subscriptions"].int }
                == [count, count + 1])
        stage.disconnect(listeners[0])
        poster.post("a", "4")
        for listener in listeners.dropFirst() { #expect(listener.read().payloads == [4]) }
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

extension BoundTests {
    @Test("a turn ends however often something is written in it")
    func writtenTurns() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let listener = stage.connect()
        for _ in 0..<1000 { listener.send(#"{"op":"subscribe","channel":"a"}"#) }
        let payload = "\"\(String(repeating: "x", count: 2000))\""
        let turns = Limits.workPerTurn / 1000
        // Each of these is written before the next one is read.
        let isOver = stage.turnIsOver {
            for _ in 0...turns { poster.send(#"{"op":"post","channel":"a","payload":\#(payload)}"#) }
        }
        #expect(isOver)
    }

    @Test("a turn ends the sooner the more is told of its posts to traces")
    func tracedTurns() {
        let stage = Stage(channelRules: [.noHistory])
        let (poster, listener) = (stage.connect(), stage.connect())
        for _ in 0..<64 { listener.send(#"{"op":"subscribe","channel":"a"}"#) }
        let posts = { for _ in 0..<1000 { poster.send(#"{"op":"post","channel":"a"}"#) } }
        #expect(!stage.turnIsOver(after: posts))
        for _ in 0..<8 { stage.connect().subscribe("$notifyd.trace.a") }
        #expect(stage.turnIsOver(after: posts))
    }
}
