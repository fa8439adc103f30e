// What waits for a peer that does not read: bounded, and whatever is lost is told where it is missing.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Queues")
struct QueueTests {
    @Test("hold as many messages as they may and lose the oldest after that", arguments: [3, 4, 5, 9])
    func messageLimit(posts: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"messages":3}"#)
        listener.block()
        var dropped: [Int] = []
        for number in 1...posts {
            let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number)}"#)
            #expect(receipt["matched"].int == 1)
            dropped.append(receipt["dropped"].int ?? -1)
        }
        #expect(dropped == (1...posts).map { $0 <= 3 ? 0 : 1 })
        let waiting = stage.statistics
        #expect(waiting["queued_messages"].int == 3)
        #expect(waiting["dropped"].int == posts - 3)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == Array(posts - 2...posts))
        if posts == 3 {
            #expect(lines.gaps.isEmpty)
        } else {
            #expect(lines[0] == gap(sub: 1, "a", 1, posts - 3, count: posts - 3))
            #expect(lines.gaps.count == 1)
        }
        #expect(stage.statistics["queued_bytes"].int == 0)
    }

    @Test("hold as many bytes as they may and not one more", arguments: [0, -1])
    func byteLimit(extra: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let probe = stage.connect()
        probe.subscribe("a")
        poster.post("a", "1")
        let length = (probe.readRaw().first?.utf8.count ?? 0) + 1
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"bytes":\#(3 * length + extra)}"#)
        listener.block()
        for number in 2...4 { poster.post("a", "\(number)") }
        listener.unblock()
        #expect(listener.read().payloads == (extra == 0 ? [2, 3, 4] : [3, 4]))
    }

    @Test("always take one message, however long it is")
    func longMessage() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"bytes":1}"#)
        listener.block()
        for number in 1...3 { poster.post("a", "\(number)") }
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [3])
        #expect(lines[0] == gap(sub: 1, "a", 1, 2, count: 2))
    }

    @Test("lose nothing while the peer reads, whatever the limits")
    func readingPeer() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"messages":1}"#)
        stage.wakeUp { for number in 1...100 { poster.post("a", "\(number)") } }
        let lines = listener.read()
        #expect(lines.payloads == Array(1...100))
        #expect(lines.gaps.isEmpty)
    }

    @Test("share what one connection may have in all", arguments: [0, -1])
    func clientLimit(extra: Int) {
        let probe = Stage()
        let one = probe.connect()
        one.subscribe("a")
        one.post("a", "1")
        let length = (one.readRaw().first?.utf8.count ?? 0) + 1

        let stage = Stage { $0.clientQueueBytes = 4 * length + extra }
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a")
        listener.subscribe("a", #","sub":2"#)
        listener.block()
        poster.post("a", "1")
        poster.post("a", "2")
        #expect(stage.statistics["dropped"].int == (extra == 0 ? 0 : 1))
        #expect(stage.statistics["queued_messages"].int == (extra == 0 ? 4 : 3))
    }

    @Test("keep the gaps of different channels apart")
    func gapsByChannel() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe(">", #","buffer":{"messages":1}"#)
        listener.block()
        for channel in ["a", "b", "a", "c", "a"] { poster.post(channel) }
        listener.unblock()
        let lines = listener.read()
        #expect(
            lines.dropLast() == [
                gap(sub: 1, "a", 1, 2, count: 2), gap(sub: 1, "b", 1, 1, count: 1), gap(sub: 1, "c", 1, 1, count: 1),
            ])
        #expect(lines.last?["seq"].int == 3)
    }

    @Test("tell the losses of very many channels together", arguments: [63, 64, 65, 200])
    func manyGaps(channels: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe(">", #","buffer":{"messages":1}"#)
        listener.block()
        for number in 0...channels { poster.post("c.\(number)") }
        listener.unblock()
        let gaps = listener.read().gaps
        #expect(gaps.count == min(channels, 64) + (channels > 64 ? 1 : 0))
        #expect(gaps.reduce(0) { $0 + ($1["count"].int ?? 0) } == channels)
        if channels > 64 { #expect(gaps.last?.keys == ["op", "sub", "count", "reason"]) }
        #expect(stage.pins == 0)
    }

    @Test("of one subscription do not touch those of another")
    func independence() {
        let stage = Stage()
        let poster = stage.connect()
        let slow = stage.connect()
        let fast = stage.connect()
        slow.subscribe("a", #","buffer":{"messages":2}"#)
        slow.subscribe("a", #","buffer":{"messages":5}"#)
        fast.subscribe("a", #","buffer":{"messages":2}"#)
        slow.block()
        for number in 1...6 {
            poster.post("a", "\(number)")
            #expect(fast.read().payloads == [number])
        }
        slow.unblock()
        let lines = slow.read()
        #expect(lines.filter { $0["sub"].int == 1 }.payloads == [5, 6])
        #expect(lines.filter { $0["sub"].int == 2 }.payloads == [2, 3, 4, 5, 6])
        #expect(lines.messages.map { $0["pos"].int ?? 0 } == [2, 3, 4, 5, 5, 6, 6])
    }

    @Test("never drop a line that has begun to be sent", arguments: [1, 10, 60])
    func partlySent(bytes: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"messages":1}"#)
        listener.room = bytes
        for number in 1...4 { poster.post("a", "\(number)") }
        #expect(listener.partial == bytes)
        listener.makeRoom(3)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [1, 4])
        #expect(lines.map(\.op) == ["message", "gap", "message"])
        #expect(lines[1] == gap(sub: 1, "a", 2, 3, count: 2))
    }

    @Test("empty themselves exactly, overflow after overflow")
    func accounting() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe(">", #","buffer":{"messages":5,"bytes":2000}"#)
        var total = 0
        for round in 1...30 {
            listener.room = round * 7
            for number in 1...10 {
                let more = number % 3 == 0 ? #","type":"T","subject":"s""# : ""
                poster.post("c.\(number % 4)", "\"\(String(repeating: "y", count: number * round))\"", more: more)
                total += 1
            }
            listener.unblock()
            let state = stage.statistics
            #expect(state["queued_messages"].int == 0)
            #expect(state["queued_bytes"].int == 0)
        }
        let lines = listener.read()
        let lost = lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) }
        #expect(lines.messages.count + lost == total)
        #expect(lost > 0)
        #expect(stage.pins == 0)
    }

    @Test("count losses within a batch that is longer than the queue")
    func longBatch() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"messages":3}"#)
        let posts = (1...8).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
        let reply = poster.ask(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)
        let dropped = reply["results"].elements.reduce(0) { $0 + ($1["dropped"].int ?? 0) }
        let lines = listener.read()
        let lost = lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) }
        #expect(lines.messages.count + lost == 8)
        #expect(dropped == lost)
        #expect(lines.payloads.last == 8)
    }

    @Test("tell of a loss when all else has been read, also if nothing of the subscription waits", arguments: [1, 7])
    func lossWithNothingWaiting(messages: Int) {
        let stage = Stage { $0.clientQueueBytes = 700 }
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","sub":1"#)
        listener.subscribe("b", #","sub":2"#)
        listener.block()
        let text = "\"\(String(repeating: "x", count: 400))\""
        poster.post("a", text)
        for _ in 1...messages { poster.post("b", text) }
        listener.makeRoom(100)
        #expect(listener.read().isEmpty)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.map { $0["sub"].int } == [1, 2])
        #expect(lines.last == gap(sub: 2, "b", 1, messages, count: messages))
        #expect(stage.pins == 0 && listener.peer.pointee.notes == 0)
        poster.post("b", "1")
        #expect(listener.read().map(\.op) == ["message"])
    }

    @Test("tell of a loss when all that waited before it is given up", arguments: ["", #","id":7"#])
    func lossWithNothingLeftWaiting(id: String) {
        let stage = Stage { $0.clientQueueBytes = 700 }
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","sub":1"#)
        listener.subscribe("b", #","sub":2"#)
        listener.block()
        let text = "\"\(String(repeating: "x", count: 400))\""
        poster.post("a", text)
        poster.post("b", text)
        listener.send(#"{"op":"unsubscribe","sub":1\#(id)}"#)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.gaps == [gap(sub: 2, "b", 1, 1, count: 1)])
        #expect(lines.count == (id.isEmpty ? 1 : 2))
        #expect(stage.pins == 0 && listener.peer.pointee.notes == 0)
    }

    @Test("tell of a loss when nothing but the store was left to be waited for")
    func lossBeforeStored() {
        let stage = Stage(channelRules: [.persistent("p")], stored: StoredState(epoch: "e1")) {
            $0.clientQueueBytes = 700
        }
        let (poster, listener) = (stage.connect(), stage.connect())
        for (index, channel) in ["a", "b", "p"].enumerated() { listener.subscribe(channel, #","sub":\#(index + 1)"#) }
        listener.block()
        let text = "\"\(String(repeating: "x", count: 400))\""
        for channel in ["a", "b", "p"] { poster.post(channel, text) }
        listener.unblock()
        #expect(listener.read().map { $0["sub"].int } == [1])
        stage.commit()
        let lines = listener.read()
        #expect(lines.count == 2)
        for each in [gap(sub: 2, "b", 1, 1, count: 1), gap(sub: 3, "p", 1, 1, count: 1)] {
            #expect(lines.contains(each))
        }
        #expect(stage.pins == 0 && listener.peer.pointee.notes == 0 && stage.heldPeers == 0)
    }

    private func gap(sub: Int, _ channel: String, _ from: Int, _ to: Int, count: Int) -> JSON {
        JSON(
            #"{"op":"gap","sub":\#(sub),"channel":"\#(channel)","from":\#(from),"to":\#(to),"count":\#(count),"#
                + #""reason":"overflow"}"#)
    }
}
