// What becomes of messages for which a queue has no room, policy by policy, and where their absence is told.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Buffer policies")
struct PolicyTests {
    /// A listener that does not read, with a queue under this policy, and what it gets when it reads again.
    private func lines(
        _ buffer: String, _ pattern: String = "a", posts: (StageClient) -> Void
    ) -> [JSON] {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe(pattern, #","buffer":{\#(buffer)}"#)
        listener.block()
        posts(poster)
        listener.unblock()
        #expect(stage.pins == (listener.peer.pointee.subscriptions?.pointee.gaps == nil ? 0 : 1))
        #expect(listener.peer.pointee.waitingMessageBytes == 0 && listener.peer.pointee.waitingReplyBytes == 0)
        #expect(listener.peer.pointee.notes == 0)
        return listener.read()
    }

    private func gap(_ channel: String, _ from: Int, _ to: Int, count: Int, _ reason: String = "overflow") -> JSON {
        JSON(
            #"{"op":"gap","sub":1,"channel":"\#(channel)","from":\#(from),"to":\#(to),"count":\#(count),"#
                + #""reason":"\#(reason)"}"#)
    }

    private static var lineLength: Int {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a")
        poster.post("a", "1")
        return (listener.readRaw().first?.utf8.count ?? 0) + 1
    }

    // MARK: oldest

    @Test("oldest: what waits stays, what comes is lost and told behind it", arguments: [2, 3, 4, 9])
    func oldest(posts: Int) {
        let lines = lines(#""policy":"oldest","messages":3"#) { poster in
            for number in 1...posts {
                let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number)}"#)
                #expect(receipt["matched"].int == 1 && receipt["dropped"].int == (number > 3 ? 1 : 0))
            }
        }
        #expect(lines.payloads == Array(1...min(posts, 3)))
        #expect(lines.dropFirst(3) == (posts > 3 ? [gap("a", 4, posts, count: posts - 3)] : []))
    }

    @Test("oldest: holds as many bytes as it may and not one more", arguments: [0, -1])
    func oldestBytes(extra: Int) {
        let lines = lines(#""policy":"oldest","bytes":\#(3 * Self.lineLength + extra)"#) { poster in
            for number in 1...4 { poster.post("a", "\(number)") }
        }
        #expect(lines.payloads == (extra == 0 ? [1, 2, 3] : [1, 2]))
        #expect(lines.last == gap("a", extra == 0 ? 4 : 3, 4, count: extra == 0 ? 1 : 2))
    }

    @Test("oldest: an empty queue takes a message however long it is")
    func oldestLong() {
        let lines = lines(#""policy":"oldest","bytes":1"#) { poster in
            for number in 1...3 { poster.post("a", "\(number)") }
        }
        #expect(lines.payloads == [1])
        #expect(lines.last == gap("a", 2, 3, count: 2))
    }

    @Test("oldest: a gap stands between what waited before the loss and what came after it")
    func oldestInPlace() {
        let large = "\"\(String(repeating: "x", count: 600))\""
        let lines = lines(#""policy":"oldest","bytes":600"#, ">") { poster in
            poster.post("a", "1")
            poster.post("a", large)
            poster.post("b", large)
            poster.post("a", "2")
            poster.post("b", large)
        }
        #expect(lines.map(\.op) == ["message", "gap", "gap", "message", "gap"])
        #expect(lines.payloads == [1, 2])
        #expect(lines.gaps == [gap("a", 2, 2, count: 1), gap("b", 1, 1, count: 1), gap("b", 2, 2, count: 1)])
    }

    @Test("oldest: the last losses are told as soon as what waited has been read, also behind a line read in parts")
    func oldestAtTheEnd() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"oldest","messages":1}"#)
        listener.block()
        for number in 1...3 { poster.post("a", "\(number)") }
        listener.makeRoom(20)
        #expect(listener.read().isEmpty)
        poster.post("a", "4")
        poster.post("a", "5")
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [1, 4])
        #expect(lines.gaps == [gap("a", 2, 3, count: 2), gap("a", 5, 5, count: 1)])
        #expect(lines.map(\.op) == ["message", "gap", "message", "gap"])
    }

    // MARK: latest

    @Test("latest: of each channel and subject only the last message waits")
    func latest() {
        let lines = lines(#""policy":"latest""#, ">") { poster in
            poster.post("a", "1", more: #","subject":"x""#)
            poster.post("a", "2", more: #","subject":"y""#)
            poster.post("b", "3", more: #","subject":"x""#)
            poster.post("a", "4")
            poster.post("a", "5", more: #","subject":"\u0078""#)
            let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":6,"subject":"x"}"#)
            #expect(receipt["matched"].int == 1 && receipt["dropped"].int == 0)
            poster.post("b", "7", more: #","subject":"x""#)
        }
        #expect(lines.payloads == [2, 4, 6, 7])
        #expect(lines.map(\.op) == ["gap", "message", "gap", "message", "gap", "message", "message"])
        #expect(
            lines.gaps == [
                gap("a", 1, 1, count: 1, "coalesced"), gap("b", 1, 1, count: 1, "coalesced"),
                gap("a", 4, 4, count: 1, "coalesced"),
            ])
    }

    @Test("latest: beyond the limit the oldest goes, as overflow", arguments: [3, 4])
    func latestLimit(subjects: Int) {
        let lines = lines(#""policy":"latest","messages":3"#) { poster in
            for number in 1...subjects { poster.post("a", "\(number)", more: #","subject":"s\#(number)""#) }
            for number in 1...subjects { poster.post("a", "\(10 + number)", more: #","subject":"s\#(number)""#) }
        }
        #expect(lines.payloads == (11...10 + subjects).suffix(3))
        let reasons = lines.gaps.map { "\($0["reason"].text ?? "") \($0["count"].int ?? 0)" }
        #expect(reasons == (subjects == 3 ? ["coalesced 3"] : ["overflow 5"]))
    }

    @Test("latest: a peer that reads gets every message")
    func latestReading() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"latest"}"#)
        stage.wakeUp { for number in 1...9 { poster.post("a", "\(number)") } }
        #expect(listener.read().payloads == Array(1...9))
        listener.room = 10
        stage.wakeUp { for number in 10...19 { poster.post("a", "\(number)") } }
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [10, 19])
        #expect(lines.gaps == [gap("a", 11, 18, count: 8, "coalesced")])
    }

    @Test("latest: a line that has begun to be sent is not replaced")
    func latestPartly() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"latest"}"#)
        listener.block()
        poster.post("a", "1")
        listener.makeRoom(5)
        poster.post("a", "2")
        poster.post("a", "3")
        listener.unblock()
        #expect(listener.read().payloads == [1, 3])
        #expect(stage.statistics["dropped"].int == 0)
        let shown = listener.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements.first
        #expect(shown?["policy"].text == "latest" && shown?["coalesced"].int == 1)
    }

    // MARK: fail

    @Test("fail: what waits is still sent, then an error ends the subscription", arguments: [3, 4, 7])
    func fail(posts: Int) {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"fail","messages":3}"#)
        listener.subscribe("a", #","sub":2"#)
        listener.block()
        var matched: [Int] = []
        for number in 1...posts {
            matched.append(poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number)}"#)["matched"].int ?? -1)
        }
        #expect(matched == (1...posts).map { $0 <= 4 ? 2 : 1 })
        listener.unblock()
        let lines = listener.read()
        #expect(lines.filter { $0["sub"].int == 1 }.payloads == Array(1...3))
        #expect(lines.filter { $0["sub"].int == 2 }.payloads == Array(1...posts))
        #expect(lines.gaps.isEmpty)
        let errors = lines.filter { $0.op == "error" }
        #expect(errors.count == (posts == 3 ? 0 : 1))
        if let error = errors.first {
            #expect(error["code"].text == "overflow" && error["sub"].int == 1 && error.keys.contains("message"))
            #expect(!error.keys.contains("id"))
            #expect(error["message"].text?.contains("seq 4 of 'a'") == true)
        }
        #expect(stage.statistics["subscriptions"].int == (posts == 3 ? 2 : 1))
        #expect(stage.statistics["queued_messages"].int == 0)
        #expect(listener.peer.pointee.waitingMessageBytes == 0 && listener.peer.pointee.waitingReplyBytes == 0)
        #expect(stage.pins == 0)
        // Its number is free again.
        if posts > 3 { listener.subscribe("a", #","sub":1"#) }
    }

    @Test("fail: holds as many bytes as it may and not one more", arguments: [0, -1])
    func failBytes(extra: Int) {
        let lines = lines(#""policy":"fail","bytes":\#(3 * Self.lineLength + extra)"#) { poster in
            for number in 1...3 { poster.post("a", "\(number)") }
        }
        #expect(lines.payloads == (extra == 0 ? [1, 2, 3] : [1, 2]))
        #expect(lines.contains { $0.op == "error" } == (extra != 0))
    }

    @Test("fail: ends within a batch, or when what was written is not taken, with nothing behind the end")
    func failWithin() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        let posts = (1...8).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
        for room in [nil, 0, 30] as [Int?] {
            listener.subscribe("a", #","buffer":{"policy":"fail","messages":3}"#)
            listener.room = room
            poster.send(#"{"op":"batch","posts":[\#(posts)]}"#)
            poster.post("a", "9")
            listener.unblock()
            let lines = listener.read()
            #expect(lines.payloads == Array(1...3))
            #expect(lines.last?["code"].text == "overflow" && lines.count == 4)
        }
        #expect(stage.pins == 0)
    }

    @Test("fail: unsubscribing in the same moment is an end of another kind")
    func failAndUnsubscribe() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"fail","messages":1}"#)
        listener.block()
        stage.wakeUp {
            for number in 1...3 { poster.post("a", "\(number)") }
            listener.send(#"{"op":"unsubscribe","id":2,"sub":1}"#)
        }
        listener.unblock()
        #expect(listener.read().map(\.op) == ["ok"])
    }

    @Test("fail: saying bye in the same moment does not hide what was lost", arguments: [3, 4])
    func failAndBye(posts: Int) {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"fail","messages":3}"#)
        listener.block()
        listener.send(#"{"op":"ping","id":1}"#)
        stage.wakeUp {
            for number in 1...posts { poster.post("a", "\(number)") }
            listener.send(#"{"op":"bye","id":2}"#)
        }
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [1, 2, 3])
        #expect(lines.filter { $0.op == "error" }.map(\.code) == (posts == 3 ? [] : ["overflow"]))
        #expect(listener.isEnding && stage.pins == 0)
    }

    @Test("fail: a peer that only listens, and has nothing more to listen to, is let go")
    func failAtTheEnd() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"fail","messages":1}"#)
        stage.endInput(of: listener)
        listener.block()
        for number in 1...2 { poster.post("a", "\(number)") }
        #expect(listener.isEnding)
    }

    @Test("fail: full queues in turn do not add up beyond what a connection may have")
    func failInTurn() {
        let stage = Stage { $0.clientQueueBytes = 5000 }
        let (poster, listener) = (stage.connect(), stage.connect())
        for number in 1...50 {
            listener.subscribe("a.\(number)", #","buffer":{"policy":"fail","messages":9}"#)
        }
        listener.block()
        for number in 1...50 { for _ in 1...10 { poster.post("a.\(number)") } }
        #expect(listener.peer.pointee.waitingMessageBytes <= 5000)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.filter { $0.op == "error" }.count == 50)
        #expect(listener.peer.pointee.waitingMessageBytes == 0)
        #expect(listener.peer.pointee.subscriptionCount == 0)
    }

    @Test(
        "of several subscriptions of one connection each has its own",
        arguments: ["newest", "oldest", "latest", "fail"])
    func siblings(policy: String) {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"\#(policy)","messages":2}"#)
        listener.subscribe("a", #","buffer":{"messages":9}"#)
        listener.block()
        for number in 1...9 { poster.post("a", "\(number)") }
        listener.unblock()
        #expect(listener.read().filter { $0["sub"].int == 2 }.payloads == Array(1...9))
    }

    @Test("leave gaps only as far as a connection has places for them")
    func manyPlaces() {
        let stage = Stage()
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe(">", #","buffer":{"policy":"latest"}"#)
        listener.block()
        listener.peer.pointee.notes = Limits.notesPerClient - 1
        for channel in ["a", "b"] { poster.post(channel, "1") }
        for channel in ["a", "b"] { poster.post(channel, "2") }
        listener.unblock()
        let lines = listener.read()
        #expect(lines.gaps.count == 2)
        #expect(lines.gaps.first == gap("a", 1, 1, count: 1, "coalesced"))
        #expect(lines.gaps.last == JSON(#"{"op":"gap","sub":1,"count":1,"reason":"coalesced"}"#))
    }
}
