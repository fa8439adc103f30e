// Policy `block`: who waits for room, for how long, and who never does.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posters to a queue that blocks")
struct BlockTests {
    let stage = Stage()
    let poster: StageClient
    let listener: StageClient

    init() {
        poster = stage.connect()
        listener = stage.connect()
    }

    private func subscribe(messages: Int = 3, _ client: StageClient? = nil) {
        let client = client ?? listener
        client.subscribe("a", #","buffer":{"policy":"block","messages":\#(messages)}"#)
        client.block()
        // Something waits, so that it is known not to read.
        client.send(#"{"op":"ping","id":0}"#)
    }

    /// Whether anything but history has a deadline.
    private var isAwaited: Bool { stage.secondsToDeadline ?? 60 < 50 }

    private func post(_ numbers: ClosedRange<Int>, from client: StageClient? = nil) {
        for number in numbers { (client ?? poster).post("a", "\(number)") }
    }

    private var waiting: Int { Int(listener.peer.pointee.subscriptions?.pointee.waitingMessages ?? 0) }

    @Test("wait when the last room is taken, not before", arguments: [2, 3])
    func limit(posts: Int) {
        subscribe()
        post(1...posts)
        #expect(poster.isPaused == (posts == 3))
        #expect((isAwaited) == (posts == 3))
        #expect(waiting == posts)
        listener.unblock()
        #expect(!poster.isPaused && !isAwaited)
        #expect(stage.takeReleased() == (posts == 3 ? [poster.peer.pointee.slot] : []))
        #expect(listener.read().payloads == Array(1...posts))
    }

    @Test(
        "wait likewise for one of whom nobody knew yet that it does not read", arguments: 1...4,
        ["in one moment", "one after the other", "in a batch"])
    func unknown(posts: Int, way: String) {
        // Nobody who waits posts a fourth.
        if posts == 4, way != "in a batch" { return }
        listener.subscribe("a", #","buffer":{"policy":"block","messages":3}"#)
        listener.block()
        switch way {
        case "in one moment": stage.wakeUp { post(1...posts) }
        case "in a batch":
            let posts = (1...posts).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
            poster.send(#"{"op":"batch","posts":[\#(posts)]}"#)
        default: post(1...posts)
        }
        #expect(poster.isPaused == (posts >= 3) && isAwaited == (posts >= 3))
        #expect(waiting == posts)
        listener.unblock()
        #expect(!poster.isPaused && !isAwaited)
        let lines = listener.read()
        #expect(lines.payloads == Array(1...posts) && lines.gaps.isEmpty)
    }

    @Test("do not wait for one that reads", arguments: [1, 3])
    func reader(messages: Int) {
        listener.subscribe("a", #","buffer":{"policy":"block","messages":\#(messages)}"#)
        stage.wakeUp {
            for number in 1...10 {
                poster.post("a", "\(number)")
                #expect(!poster.isPaused)
            }
        }
        #expect(stage.takeReleased() == [] && !isAwaited)
        #expect(listener.read().payloads == Array(1...10))
    }

    @Test("wait for bytes of which nobody knew that they are not read, however many come with the last message")
    func unknownBytes() {
        listener.subscribe("a", #","buffer":{"policy":"block","bytes":400}"#)
        listener.block()
        stage.wakeUp {
            post(1...2)
            #expect(!poster.isPaused)
            poster.post("a", "3", more: #","subject":"\#(String(repeating: "x", count: 250))""#)
        }
        #expect(poster.isPaused && waiting == 3)
        listener.unblock()
        #expect(listener.read().payloads == [1, 2, 3])
        #expect(!poster.isPaused)
    }

    @Test("wait for bytes, too", arguments: [0, 1])
    func bytes(extra: Int) {
        listener.subscribe("a")
        post(1...1)
        let length = (listener.readRaw().first?.utf8.count ?? 0) + 1
        listener.subscribe("b", #","buffer":{"policy":"block","bytes":\#(2 * length + extra)}"#)
        listener.block()
        poster.post("b", "1")
        #expect(!poster.isPaused)
        poster.post("b", "2")
        #expect(poster.isPaused == (extra == 0))
    }

    @Test("go on as soon as one message has been read")
    func oneRead() {
        subscribe()
        post(1...3)
        listener.makeRoom(30)
        #expect(waiting < 3 && !poster.isPaused)
    }

    @Test("each may be one message beyond the bound, and none is lost")
    func several() {
        subscribe()
        post(1...3)
        let others = (4...6).map { number in
            let other = stage.connect()
            post(number...number, from: other)
            return other
        }
        #expect(others.allSatisfy { $0.isPaused })
        #expect(waiting == 6)
        listener.unblock()
        #expect(Set(stage.takeReleased()) == Set(([poster] + others).map { $0.peer.pointee.slot }))
        let lines = listener.read()
        #expect(lines.payloads == Array(1...6) && lines.gaps.isEmpty)
    }

    @Test("wait no longer than they must; then the oldest are dropped until there was room")
    func patience() {
        subscribe()
        post(1...3)
        stage.pass(milliseconds: 999)
        #expect(poster.isPaused)
        stage.pass(milliseconds: 1)
        #expect(!poster.isPaused && stage.takeReleased() == [poster.peer.pointee.slot])
        post(4...5)
        #expect(!poster.isPaused && waiting == 3)
        listener.makeRoom(60)
        post(6...6)
        listener.unblock()
        var lines = listener.read()
        #expect(lines.payloads.suffix(1) == [6])
        #expect(lines.payloads.count + lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) } == 6)
        // There was room: they wait again.
        listener.block()
        post(7...9)
        #expect(poster.isPaused)
        listener.unblock()
        lines = listener.read()
        #expect(lines.payloads == [7, 8, 9] && lines.gaps.isEmpty)
    }

    @Test("wait again for one that has read all, and then stops reading", arguments: 1...3)
    func again(messages: Int) {
        subscribe(messages: messages)
        post(1...messages)
        stage.pass(milliseconds: 1000)
        #expect(!poster.isPaused)
        listener.unblock()
        listener.block()
        post(11...(10 + messages))
        #expect(poster.isPaused)
        let other = stage.connect()
        post(20...20, from: other)
        #expect(other.isPaused)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == Array(1...messages) + Array(11...(10 + messages)) + [20] && lines.gaps.isEmpty)
    }

    @Test("wait as long as the limit says", arguments: [0, 50] as [UInt64])
    func blockLimit(milliseconds: UInt64) {
        let stage = Stage { $0.blockMilliseconds = Int(milliseconds) }
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","buffer":{"policy":"block","messages":1}"#)
        listener.block()
        listener.send(#"{"op":"ping","id":0}"#)
        poster.post("a", "1")
        if milliseconds > 0 {
            stage.pass(milliseconds: milliseconds - 1)
            #expect(poster.isPaused)
        }
        stage.pass(milliseconds: milliseconds > 0 ? 1 : 0)
        #expect(!poster.isPaused)
    }

    @Test("never wait for a queue of their own connection")
    func own() {
        subscribe(messages: 2, poster)
        post(1...5)
        #expect(!poster.isPaused && !isAwaited)
        poster.unblock()
        let lines = poster.read()
        #expect(lines.payloads == [4, 5])
        #expect(lines.gaps.first?["count"].int == 3)
    }

    @Test(
        "of another user do not wait, unless it is root that subscribes",
        arguments: [(1000, true), (1001, false), (0, true)])
    func users(uid: Int, waits: Bool) {
        let other = stage.connect(uid: UInt32(uid))
        subscribe(messages: 1, other)
        post(1...2)
        #expect(poster.isPaused == waits)
    }

    @Test("who wait for each other go on in the end")
    func circle() {
        subscribe(messages: 1)
        poster.subscribe("b", #","buffer":{"policy":"block","messages":1}"#)
        poster.block()
        poster.send(#"{"op":"ping","id":0}"#)
        poster.post("a", "1")
        listener.post("b", "1")
        #expect(poster.isPaused && listener.isPaused)
        stage.pass(milliseconds: 1000)
        #expect(!poster.isPaused && !listener.isPaused)
    }

    @Test("go on when the subscription ends", arguments: ["unsubscribe", "leave", "deaf"])
    func end(way: String) {
        subscribe(messages: 1)
        post(1...1)
        #expect(poster.isPaused)
        switch way {
        case "leave": stage.disconnect(listener)
        case "deaf": stage.deafen(listener)
        default: listener.send(#"{"op":"unsubscribe","sub":1}"#)
        }
        #expect(!poster.isPaused && !isAwaited)
        #expect(stage.takeReleased() == [poster.peer.pointee.slot])
    }

    @Test("that have gone leave nothing behind", arguments: ["leave", "deaf"])
    func posterEnds(way: String) {
        subscribe(messages: 1)
        post(1...1)
        if way == "leave" { stage.disconnect(poster) } else { stage.deafen(poster) }
        #expect(!isAwaited)
        // Another one waits for itself.
        let other = stage.connect()
        post(2...2, from: other)
        #expect(other.isPaused)
        listener.unblock()
        #expect(listener.read().payloads == [1, 2])
        #expect(!other.isPaused)
    }

    @Test("have no more of their posts that are made later go beyond the bound than the one they wait for")
    func scheduled() {
        subscribe()
        stage.wakeUp { for number in 1...9 { poster.post("a", "\(number)", more: #","delay_ms":5"#) } }
        stage.pass(milliseconds: 5)
        #expect(poster.isPaused && waiting == 3)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == [7, 8, 9] && lines.gaps.map { $0["count"].int } == [6])
    }

    @Test("wait for all queues that are full")
    func twoQueues() {
        let second = stage.connect()
        subscribe(messages: 1)
        subscribe(messages: 1, second)
        post(1...1)
        listener.unblock()
        #expect(poster.isPaused)
        second.unblock()
        #expect(!poster.isPaused)
    }

    @Test("of a batch wait after it, and it is delivered whole", arguments: [true, false])
    func batch(reads: Bool) {
        subscribe()
        if reads { listener.unblock() }
        let posts = (1...8).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
        poster.send(#"{"op":"batch","posts":[\#(posts)]}"#)
        #expect(poster.isPaused == !reads)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.payloads == Array(1...8) && lines.gaps.isEmpty)
    }

    @Test("do not make a connection hold more than it may")
    func clientLimit() {
        let stage = Stage { $0.clientQueueBytes = 1000 }
        let (listener, text) = (stage.connect(), "\"\(String(repeating: "x", count: 300))\"")
        listener.subscribe("a", #","buffer":{"policy":"block","messages":2}"#)
        listener.block()
        for _ in 1...9 { stage.connect().post("a", text) }
        #expect(listener.peer.pointee.waitingMessageBytes <= 1000)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.messages.count + lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) } == 9)
    }

    @Test("are let go, and held no more, when the daemon stops")
    func stop() {
        subscribe(messages: 1)
        post(1...1)
        #expect(poster.isPaused)
        stage.stopBlocking()
        #expect(!poster.isPaused)
        post(2...2)
        #expect(!poster.isPaused)
    }

    @Test("are shown what they wait for")
    func shown() {
        listener.subscribe("a", #","buffer":{"policy":"block","messages":2}"#)
        let shown = poster.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements.first
        #expect(shown?["policy"].text == "block" && shown?["messages"].int == 2)
    }
}
