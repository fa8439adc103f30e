// `ttl_ms`: what waits too long is not sent, and told as a gap in its place; a last value is forgotten.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Messages with a time to live")
struct TimeToLiveTests {
    private func ttl(_ milliseconds: Int) -> String { #","ttl_ms":\#(milliseconds)"# }

    @Test("are delivered like others to who reads, and carry no trace of it")
    func delivered() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: ttl(1))
        let lines = client.read()
        #expect(lines.payloads == [1])
        #expect(lines[0]["ttl_ms"] == .null)
        #expect(stage.deadline == nil)
    }

    @Test("are sent up to the last nanosecond of it, and not after", arguments: [(0, true), (1, false)])
    func edge(nanoseconds: UInt64, isSent: Bool) {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.block()
        poster.post("a", "0")
        poster.post("a", "1", more: ttl(50))
        stage.now.monotonic += 49_999_999 + nanoseconds
        reader.unblock()
        let lines = reader.read()
        #expect(lines.payloads == (isSent ? [0, 1] : [0]))
        #expect(lines.gaps.count == (isSent ? 0 : 1))
    }

    @Test("leave an exact gap in their place, before the next message that is sent")
    func place() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe(">")
        reader.block()
        let fields = ["", ttl(10), ttl(10), "", ttl(10), ttl(1000), ttl(10)]
        for (number, more) in fields.enumerated() { poster.post(number == 2 ? "b" : "a", "\(number)", more: more) }
        stage.advance(milliseconds: 10)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.map(\.op) == ["message", "gap", "gap", "message", "gap", "message", "gap"])
        #expect(lines.payloads == [0, 3, 5])
        #expect(lines.gaps.map { $0["channel"].text } == ["a", "b", "a", "a"])
        #expect(lines.gaps.map { $0["from"].int } == [2, 1, 4, 6])
        #expect(lines.gaps.map { $0["to"].int } == [2, 1, 4, 6])
        #expect(lines.gaps.allSatisfy { $0["count"].int == 1 && $0["reason"].text == "expired" })
        #expect(stage.pins == 0 && stage.statistics["queued_messages"].int == 0)
    }

    @Test("that all expire are told though nothing follows, each subscription's for itself")
    func nothingFollows() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.subscribe("*")
        reader.block()
        for number in 1...3 { poster.post("a", "\(number)", more: ttl(10)) }
        stage.advance(milliseconds: 20)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.map(\.op) == ["gap", "gap"])
        #expect(lines.compactMap { $0["sub"].int }.sorted() == [1, 2])
        #expect(lines.allSatisfy { $0["from"].int == 1 && $0["to"].int == 3 && $0["count"].int == 3 })
        poster.post("a", "4")
        #expect(reader.read().payloads == [4, 4])
    }

    @Test("are sent whole once their line has begun")
    func begun() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.room = 10
        poster.post("a", "1", more: ttl(10))
        poster.post("a", "2", more: ttl(10))
        stage.advance(milliseconds: 10)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.payloads == [1])
        #expect(lines.gaps.map { $0["from"].int } == [2])
    }

    @Test("are told as expired, not as overflow, when they make room for others")
    func room() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a", #","buffer":{"messages":2}"#)
        reader.block()
        poster.post("a", "1", more: ttl(10))
        poster.post("a", "2")
        stage.advance(milliseconds: 10)
        let receipts = (3...4).map { poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#($0)}"#) }
        #expect(receipts.map { $0["dropped"].int } == [0, 1])
        #expect(stage.takeSlow().count == 1)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.payloads == [3, 4])
        #expect(lines.gaps.map { $0["reason"].text } == ["expired", "overflow"])
        #expect(lines.gaps.map { $0["from"].int } == [1, 2])
    }

    @Test("do not make a subscription slow by expiring")
    func notSlow() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.block()
        poster.post("a", "1", more: ttl(10))
        stage.advance(milliseconds: 10)
        reader.unblock()
        #expect(reader.read().gaps.count == 1)
        #expect(stage.takeSlow().isEmpty)
        #expect(stage.statistics["dropped"].int == 1)
    }

    @Test("that have expired are told, not flushed, when their reader says bye")
    func bye() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.block()
        for (number, more) in [ttl(10), "", ttl(10)].enumerated() { poster.post("a", "\(number)", more: more) }
        stage.advance(milliseconds: 10)
        reader.send(#"{"op":"bye"}"#)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.map(\.op) == ["gap", "message", "gap"])
        #expect(lines.gaps.map { $0["from"].int } == [1, 3])
    }

    @Test("keep the others' expiry when a full queue is made real on the way")
    func madeReal() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a", #","buffer":{"messages":2}"#)
        reader.block()
        let posts = [ttl(10), "", ttl(10)].map { #"{"channel":"a"\#($0)}"# }.joined(separator: ",")
        poster.send(#"{"op":"batch","posts":[\#(posts)]}"#)
        stage.advance(milliseconds: 10)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.map(\.op) == ["gap", "message", "gap"])
        #expect(lines.sequences == [2])
        #expect(lines.gaps.map { $0["reason"].text } == ["overflow", "expired"])
    }
}

@Suite("Retained messages with a time to live")
struct RetainedTimeToLiveTests {
    private let retained = #","retain":true,"ttl_ms":50"#

    @Test("are forgotten when it is over, and not before")
    func forgotten() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("a", "1", more: retained)
        #expect(stage.secondsToDeadline == 0.05)
        stage.pass(milliseconds: 49)
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]["payload"].int == 1)
        #expect(stage.statistics["retained"].int == 1)
        stage.pass(milliseconds: 1)
        #expect(stage.statistics["retained"].int == 0)
        #expect(stage.retainedBytes == 0)
        #expect(stage.deadline == nil)
    }

    @Test("are not shown after it, even if the daemon has been too busy to forget them", arguments: [49, 50])
    func late(milliseconds: UInt64) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("a", "1", more: retained)
        client.post("b", "2", more: retained)
        stage.advance(milliseconds: milliseconds)
        let isThere = milliseconds < 50
        #expect((client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"] != .null) == isThere)
        client.send(#"{"op":"subscribe","channel":"*","replay":"retained"}"#)
        #expect(client.read().map(\.op) == (isThere ? ["message", "message", "live"] : ["live"]))
    }

    @Test("go by the time to live of the newest", arguments: [#","ttl_ms":100"#, ""])
    func replaced(newer: String) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("a", "1", more: retained)
        client.post("a", "2", more: #","retain":true"# + newer)
        stage.pass(milliseconds: 99)
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]["payload"].int == 2)
        stage.pass(milliseconds: 1)
        #expect((client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"] == .null) == !newer.isEmpty)
    }

    @Test("that are cleared leave no deadline behind")
    func cleared() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("a", "1", more: retained)
        client.send(#"{"op":"clear","channel":"a"}"#)
        #expect(stage.deadline == nil)
        stage.pass(milliseconds: 100)
        #expect(stage.statistics["retained"].int == 0)
    }

    @Test("do not care whether the wall clock is set", arguments: [-3_600_000_000_000, 3_600_000_000_000])
    func wallClock(jump: Int64) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("a", "1", more: retained)
        stage.now.wall += jump
        stage.pass(milliseconds: 49)
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"] != .null)
        stage.pass(milliseconds: 1)
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"] == .null)
    }
}
