// At most one message of a channel and subject in an interval, and the last one always.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("A shortest interval")
struct IntervalTests {
    let stage = Stage()
    let poster: StageClient
    let listener: StageClient

    init() {
        poster = stage.connect()
        listener = stage.connect()
    }

    /// Whether anything but history has a deadline.
    private var isAwaited: Bool { stage.secondsToDeadline ?? 60 < 50 }

    private func subscribe(_ pattern: String = "a", _ more: String = "") {
        listener.subscribe(pattern, #","min_interval_ms":100\#(more)"#)
    }

    private func gap(_ from: Int, _ to: Int, _ reason: String = "coalesced", channel: String = "a") -> JSON {
        JSON(
            #"{"op":"gap","sub":1,"channel":"\#(channel)","from":\#(from),"to":\#(to),"count":\#(to - from + 1),"#
                + #""reason":"\#(reason)"}"#)
    }

    @Test("lets the first message through and the last of a burst when it is over, without another to push it")
    func burst() {
        subscribe()
        for number in 1...5 {
            let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number)}"#)
            #expect(receipt["matched"].int == 1 && receipt["dropped"].int == 0)
        }
        #expect(listener.read().payloads == [1])
        stage.pass(milliseconds: 99)
        #expect(listener.read().isEmpty)
        stage.pass(milliseconds: 1)
        let lines = listener.read()
        #expect(lines.map(\.op) == ["gap", "message"])
        #expect(lines.first == gap(2, 4))
        #expect(lines.payloads == [5])
        stage.pass(milliseconds: 500)
        #expect(listener.read().isEmpty)
        #expect(!isAwaited)
        let shown = listener.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements.first
        #expect(shown?["min_interval_ms"].int == 100 && shown?["coalesced"].int == 3 && shown?["dropped"].int == 0)
    }

    @Test("counts from the last message that went", arguments: [99, 100, 101] as [UInt64])
    func edges(milliseconds: UInt64) {
        subscribe()
        poster.post("a", "1")
        stage.pass(milliseconds: milliseconds)
        poster.post("a", "2")
        #expect(listener.read().payloads == (milliseconds < 100 ? [1] : [1, 2]))
        stage.pass(milliseconds: 100)
        poster.post("a", "3")
        #expect(listener.read().payloads == (milliseconds < 100 ? [2] : [3]))
    }

    @Test("is each channel's and each subject's own")
    func topics() {
        subscribe(">")
        for channel in ["a", "b"] {
            for subject in ["x", "y", "\\u0078", "x"] { poster.post(channel, more: #","subject":"\#(subject)""#) }
            poster.post(channel)
            poster.post(channel)
        }
        #expect(
            listener.read().map { "\($0["channel"].text ?? "")\($0["seq"].int ?? 0)" } == [
                "a1", "a2", "a5", "b1", "b2", "b5",
            ])
        stage.pass(milliseconds: 100)
        let lines = listener.read()
        #expect(lines.messages.map { "\($0["channel"].text ?? "")\($0["seq"].int ?? 0)" } == ["a4", "a6", "b4", "b6"])
        #expect(lines.gaps == [gap(3, 3), gap(3, 3, channel: "b")])
    }

    @Test("goes on for as long as messages come, one each time")
    func stream() {
        subscribe()
        var received: [Int] = []
        for number in 1...100 {
            poster.post("a", "\(number)")
            stage.pass(milliseconds: 10)
            received += listener.read().payloads
        }
        stage.pass(milliseconds: 100)
        received += listener.read().payloads
        #expect(received.count == 11 && received.last == 100)
        #expect(received.first == 1 && received == received.sorted())
    }

    @Test("meets a peer that does not read like any message, and its policy", arguments: ["newest", "latest", "fail"])
    func blocked(policy: String) {
        subscribe("a", #","buffer":{"policy":"\#(policy)","messages":1}"#)
        listener.block()
        for number in 1...5 {
            poster.post("a", "\(number)")
            stage.pass(milliseconds: 100)
        }
        listener.unblock()
        let lines = listener.read()
        switch policy {
        case "fail": #expect(lines.payloads == [1] && lines.last?["code"].text == "overflow")
        case "latest": #expect(lines.payloads == [5] && lines.first == gap(1, 4))
        default: #expect(lines.payloads == [5] && lines.first == gap(1, 4, "overflow"))
        }
        stage.disconnect(listener)
        #expect(stage.pins == 0)
        #expect(!isAwaited)
    }

    @Test("tells what was replaced before the message in whose place it is, also when that expires")
    func expiry() {
        subscribe()
        for number in 1...3 { poster.post("a", "\(number)", more: #","ttl_ms":50"#) }
        stage.pass(milliseconds: 100)
        poster.post("a", "4")
        stage.pass(milliseconds: 100)
        let lines = listener.read()
        #expect(lines.payloads == [1, 4])
        #expect(lines.gaps == [gap(2, 2), gap(3, 3, "expired")])
    }

    @Test("ends with the subscription, and what is held goes when the client says bye or the daemon stops")
    func ends() {
        subscribe()
        for number in 1...2 { poster.post("a", "\(number)") }
        #expect(listener.read().payloads == [1])
        listener.send(#"{"op":"unsubscribe","sub":1}"#)
        stage.pass(milliseconds: 100)
        #expect(listener.read().isEmpty)
        #expect(stage.pins == 0 && !isAwaited)
        subscribe(">")
        for channel in ["b", "c", "b", "c"] { poster.post(channel) }
        _ = listener.read()
        listener.send(#"{"op":"bye","id":9}"#)
        #expect(Set(listener.read().messages.map { $0["channel"].text }) == ["b", "c"])
        #expect(listener.peer.pointee.waitingMessageBytes == 0 && listener.peer.pointee.notes == 0)
    }

    @Test("leaves nothing behind when its client goes, or the daemon does with messages held")
    func departure() {
        subscribe()
        for number in 1...3 { poster.post("a", "\(number)") }
        #expect(stage.pins > 0)
        stage.disconnect(listener)
        #expect(stage.pins == 0 && !isAwaited && stage.chunkBytes == 0)
        let other = stage.connect()
        other.subscribe("a", #","min_interval_ms":100"#)
        for number in 1...3 { poster.post("a", "\(number)") }
    }

    @Test(
        "is kept for so many channels and subjects of a connection; further ones are lost, and told", arguments: [0, 1])
    func manyTopics(extra: Int) {
        subscribe()
        listener.peer.pointee.notes = Limits.notesPerClient - 2
        for number in 1...2 + extra { poster.post("a", "\(number)", more: #","subject":"s\#(number)""#) }
        let lines = listener.read()
        #expect(lines.payloads == [1, 2])
        #expect(lines.gaps.map { $0["count"].int } == (extra == 0 ? [] : [1]))
        stage.pass(milliseconds: 100)
        poster.post("a", "9")
        #expect(listener.read().payloads == [9])
        #expect(listener.peer.pointee.notes == Limits.notesPerClient - 1)
    }

    @Test("holds no more than one connection may have waiting")
    func heldBytes() {
        let stage = Stage { $0.clientQueueBytes = 1000 }
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","min_interval_ms":100"#)
        let text = "\"\(String(repeating: "x", count: 300))\""
        for subject in 1...4 { for _ in 1...2 { poster.post("a", text, more: #","subject":"\#(subject)""#) } }
        #expect(listener.peer.pointee.waitingMessageBytes <= 1000)
        #expect(listener.peek().messages.count == 4)
        stage.pass(milliseconds: 100)
        poster.post("a", "9")
        let lines = listener.read()
        #expect(lines.messages.count + lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) } == 9)
        #expect(lines.gaps.contains { $0["reason"].text == "overflow" })
    }

    @Test("ends a subscription that must not lose anything when there is no room for what is held")
    func heldBytesOfOneThatFails() {
        let stage = Stage { $0.clientQueueBytes = 500 }
        let (poster, listener) = (stage.connect(), stage.connect())
        listener.subscribe("a", #","min_interval_ms":100,"buffer":{"policy":"fail"}"#)
        poster.post("a", "1")
        poster.post("a", "\"\(String(repeating: "x", count: 500))\"")
        let lines = listener.read()
        #expect(lines.payloads == [1] && lines.gaps.isEmpty)
        #expect(lines.last?.code == "overflow")
        #expect(stage.pins == 0 && stage.statistics["subscriptions"].int == 0)
    }

    @Test("tells one that must not lose anything when bye brings more than it has room for")
    func byeOfOneThatFails() {
        subscribe(">", #","buffer":{"policy":"fail","messages":1}"#)
        for channel in ["a", "b", "a", "b"] { poster.post(channel) }
        #expect(listener.read().messages.count == 2)
        listener.send(#"{"op":"bye","id":9}"#)
        let lines = listener.read()
        #expect(lines.messages.count == 1)
        #expect(lines.filter { $0.op == "error" }.map(\.code) == ["overflow"])
        #expect(stage.pins == 0 && !isAwaited)
    }

    @Test("shares one copy of a message with others, whatever is written after it")
    func bytes() {
        let stage = Stage(chunkBytes: 256)
        let (poster, listener, other) = (stage.connect(), stage.connect(), stage.connect())
        listener.subscribe("a", #","min_interval_ms":100"#)
        other.subscribe("a")
        other.subscribe("a", #","sub":7"#)
        for number in 1...40 { poster.post("a", "\(number)") }
        #expect(other.read().count == 80)
        stage.pass(milliseconds: 100)
        #expect(listener.read().payloads == [1, 40])
        stage.disconnect(listener)
        #expect(stage.chunkBytes == 0 && stage.pins == 0)
    }
}
