// The past: what is kept, for how long, and what a new subscription gets of it.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("History")
struct HistoryTests {
    private func stage(
        messages: Int = 64, bytes: Int = 64 << 10, seconds: UInt64 = 60, pattern: String = ">",
        _ change: (inout Limits) -> Void = { _ in }
    ) -> Stage {
        var rule = ChannelRule(pattern: pattern)
        rule.history.messages = messages
        rule.history.bytes = bytes
        rule.history.age = seconds * 1_000_000_000
        return Stage(channelRules: [rule], change)
    }

    /// What a new subscription gets: the payloads of its replayed messages, and the gaps before them.
    private func replay(_ stage: Stage, _ channel: String, _ replay: String, _ more: String = "") -> [JSON] {
        let listener = stage.connect()
        defer { stage.disconnect(listener) }
        listener.send(#"{"op":"subscribe","channel":"\#(channel)","replay":\#(replay)\#(more)}"#)
        let lines = listener.read()
        #expect(lines.last?.op == "live")
        for line in lines.dropLast() where line.op == "message" { #expect(line["replay"].bool == true) }
        return lines.dropLast()
    }

    private func post(_ stage: Stage, _ channel: String, _ range: ClosedRange<Int>, more: String = "") {
        let poster = stage.connect()
        defer { stage.disconnect(poster) }
        for number in range { poster.post(channel, "\(number)", more: more) }
    }

    // MARK: last

    @Test("gives the last messages of a channel, as many as are wanted", arguments: [1, 2, 3, 4])
    func last(count: Int) {
        let stage = stage()
        post(stage, "a", 1...3)
        post(stage, "b", 9...9)
        let lines = replay(stage, "a", #"{"last":\#(count)}"#)
        #expect(lines.payloads == Array(max(1, 4 - count)...3))
        #expect(lines.gaps.isEmpty, "nothing was lost: there were only three")
    }

    @Test("tells how many of the last are no longer there", arguments: [2, 3, 4])
    func lastIsGone(count: Int) {
        let stage = stage(messages: 2)
        post(stage, "a", 1...3)
        let lines = replay(stage, "a", #"{"last":\#(count)}"#)
        #expect(lines.payloads == [2, 3])
        let gaps =
            count == 2
            ? [] : [JSON(#"{"op":"gap","sub":1,"channel":"a","from":1,"to":1,"count":1,"reason":"history"}"#)]
        #expect(lines.gaps == gaps)
        #expect(lines.first?.op == (count == 2 ? "message" : "gap"), "the gap stands before what follows it")
    }

    @Test("gives the last of each matching channel, in the order they were posted")
    func lastOfMany() {
        let stage = stage()
        let poster = stage.connect()
        for number in 1...9 { poster.post(["a.x", "a.y", "b.z"][number % 3], "\(number)") }
        #expect(replay(stage, "a.*", #"{"last":2}"#).payloads == [4, 6, 7, 9])
        #expect(replay(stage, ">", #"{"last":1}"#).payloads == [7, 8, 9])
    }

    // MARK: after and since

    @Test("gives what came after a position", arguments: 0...5)
    func after(position: Int) {
        let stage = stage()
        post(stage, "a", 1...3)
        post(stage, "b", 4...4)
        post(stage, "a", 5...5)
        let expected = [1, 2, 3, 5].filter { $0 > position }
        let lines = replay(stage, "a", #"{"after":\#(position),"epoch":"e1"}"#)
        #expect(lines.payloads == expected)
        #expect(lines.gaps.isEmpty)
    }

    @Test("tells that something between a position and the oldest message is gone", arguments: [0, 1, 2, 3])
    func afterIsGone(position: Int) {
        let stage = stage(messages: 2)
        post(stage, "a", 1...4)
        let lines = replay(stage, "a", #"{"after":\#(position)}"#)
        #expect(lines.payloads == (position == 3 ? [4] : [3, 4]))
        #expect(lines.gaps.map { $0["to"].int } == (position < 2 ? [2] : []))
        for gap in lines.gaps {
            #expect(gap["count"] == .null)
            #expect(gap["reason"].text == "history")
        }
    }

    @Test(
        "gives everything, and tells so, to a position of another life",
        arguments: [#"{"after":1,"epoch":"other"}"#, #"{"after":5}"#])
    func epoch(wanted: String) {
        let stage = stage()
        post(stage, "a", 1...4)
        let lines = replay(stage, "a", wanted)
        #expect(lines.first == JSON(#"{"op":"gap","sub":1,"count":null,"reason":"epoch"}"#))
        #expect(lines.payloads == [1, 2, 3, 4])
    }

    @Test("gives what was accepted at a time or later")
    func since() {
        let stage = stage()
        post(stage, "a", 1...1)
        stage.advance(seconds: 1)
        post(stage, "a", 2...2)
        stage.advance(seconds: 1)
        post(stage, "a", 3...3)
        #expect(replay(stage, "a", #"{"since":"2001-09-09T01:46:41Z"}"#).payloads == [2, 3])
        #expect(replay(stage, "a", #"{"since":"2001-09-09T01:46:41.000000001Z"}"#).payloads == [3])
        #expect(replay(stage, "a", #"{"since":"2001-09-09T01:46:43Z"}"#).payloads == [])
        #expect(replay(stage, "a", #"{"since":"2001-09-09T01:46:40Z"}"#).gaps.isEmpty)
    }

    // MARK: What may be had

    @Test("passes the subscription's filters, escapes and all")
    func filters() {
        let stage = stage()
        let poster = stage.connect(uid: 7)
        poster.post("a", "1", more: #","type":"T\u00e9","subject":"x""#)
        poster.post("a", "2", more: #","type":"T","subject":"x""#)
        poster.post("a", "3", more: #","subject":"x""#)
        post(stage, "a", 4...4, more: #","type":"T""#)
        #expect(replay(stage, "a", #"{"last":9}"#, #","type":"Té""#).payloads == [1])
        #expect(replay(stage, "a", #"{"last":9}"#, #","type":"T""#).payloads == [2, 4])
        #expect(
            replay(stage, "a", #"{"last":1}"#, #","type":"T""#).payloads == [4], "the last that pass, not of the last")
        #expect(replay(stage, "a", #"{"last":9}"#, #","subject":"x""#).payloads == [1, 2, 3])
        #expect(replay(stage, "a", #"{"last":9}"#, #","from_uid":7"#).payloads == [1, 2, 3])
    }

    @Test("tells of messages whose time to live is over instead of giving them", arguments: [999, 1000])
    func expired(milliseconds: UInt64) {
        let stage = stage()
        let poster = stage.connect()
        for number in 1...3 { poster.post("a", "\(number)", more: number == 2 ? #","ttl_ms":1000"# : "") }
        stage.advance(milliseconds: milliseconds)
        let lines = replay(stage, "a", #"{"last":3}"#)
        let isOver = milliseconds == 1000
        #expect(lines.payloads == (isOver ? [1, 3] : [1, 2, 3]))
        #expect(lines.map(\.op) == ["message", isOver ? "gap" : "message", "message"])
        let gap = JSON(#"{"op":"gap","sub":1,"channel":"a","from":2,"to":2,"count":1,"reason":"expired"}"#)
        #expect(lines.gaps == (isOver ? [gap] : []))
    }

    @Test("joins the present without a hole and without a double")
    func seam() {
        let stage = stage()
        let poster = stage.connect()
        let listener = stage.connect()
        stage.wakeUp {
            for number in 1...3 { poster.post("a", "\(number)") }
            listener.send(#"{"op":"subscribe","channel":"a","replay":{"last":9}}"#)
            for number in 4...6 { poster.post("a", "\(number)") }
        }
        let lines = listener.read()
        #expect(lines.payloads == [1, 2, 3, 4, 5, 6])
        #expect(lines.map(\.op) == ["message", "message", "message", "live", "message", "message", "message"])
        #expect(lines[3]["pos"].int == 3)
        #expect(lines.dropFirst(4).allSatisfy { $0["replay"] == .null })
    }

    // MARK: Bounds

    @Test("keeps as many messages as its rule says", arguments: [0, 1, 2, 5])
    func messages(bound: Int) {
        let stage = stage(messages: bound)
        post(stage, "a", 1...7)
        #expect(replay(stage, "a", #"{"after":0}"#).payloads == Array(1...7).suffix(bound))
    }

    @Test("keeps the same of a burst as of single messages", arguments: [3, 64])
    func burst(bound: Int) {
        let stage = stage(messages: bound)
        let poster = stage.connect()
        stage.wakeUp { for number in 1...200 { poster.post(number % 2 == 0 ? "a" : "b", "\(number)") } }
        for (channel, numbers) in [
            ("a", stride(from: 2, through: 200, by: 2)), ("b", stride(from: 1, through: 199, by: 2)),
        ] {
            let lines = replay(stage, channel, #"{"last":100}"#)
            #expect(lines.payloads == Array(numbers).suffix(bound))
            #expect(lines.gaps.map { $0["count"].int } == [100 - bound])
        }
    }

    @Test("keeps as many bytes as its rule says, and nothing of a message that is longer", arguments: [0, -1])
    func bytes(extra: Int) {
        let probe = stage()
        post(probe, "a", 1...1)
        let body = probe.historyBytes - 72
        let stage = stage(bytes: 3 * body + extra)
        post(stage, "a", 2...6)
        #expect(replay(stage, "a", #"{"after":0}"#).payloads == (extra == 0 ? [4, 5, 6] : [5, 6]))
        let poster = stage.connect()
        poster.post("a", "\"\(String(repeating: "x", count: 3 * body))\"")
        let lines = replay(stage, "a", #"{"after":0}"#)
        #expect(lines.messages.isEmpty)
        #expect(lines.gaps.map { $0["to"].int } == [6])
    }

    @Test("gives up what is too old, and its memory", arguments: [59, 60])
    func age(seconds: UInt64) {
        let stage = stage()
        post(stage, "a", 1...2)
        stage.advance(seconds: seconds)
        let lines = replay(stage, "a", #"{"after":0}"#)
        #expect(lines.payloads == (seconds == 59 ? [1, 2] : []))
        #expect(lines.gaps.count == (seconds == 59 ? 0 : 1))
        stage.advance(seconds: 60)
        #expect(stage.secondsToDeadline ?? 1 <= 0)
        stage.tick()
        #expect(stage.historyBytes == 0)
        #expect(stage.secondsToDeadline == nil)
    }

    @Test("gives up first, when all together are too much, what nobody has posted to for the longest")
    func budget() {
        let stage = stage { $0.historyBytes = 3000 }
        for channel in ["a", "b", "c", "d"] { post(stage, channel, 1...4) }
        post(stage, "b", 5...5)
        #expect(stage.historyBytes <= 3000)
        #expect(stage.historyBytes > 2500)
        #expect(replay(stage, "a", #"{"after":0}"#).gaps.count == 1)
        #expect(replay(stage, "b", #"{"last":1}"#).payloads == [5])
        #expect(replay(stage, "d", #"{"last":4}"#).payloads == [1, 2, 3, 4])
    }

    @Test("follows the first rule that matches a channel, and the default after all")
    func rules() {
        let stage = stage(messages: 1, pattern: "a.*")
        for channel in ["a.x", "a.x.y", "b"] { post(stage, channel, 1...3) }
        #expect(replay(stage, "a.x", #"{"after":0}"#).payloads == [3])
        #expect(replay(stage, "a.x.y", #"{"after":0}"#).payloads == [1, 2, 3])
        #expect(replay(stage, "b", #"{"after":0}"#).payloads == [1, 2, 3])
    }

    @Test("is told to have been lost with channels that were forgotten")
    func forgotten() {
        let stage = stage { $0.channels = 4 }
        for number in 1...12 { post(stage, "c\(number)", number...number) }
        #expect(stage.channelCount <= 8)
        let lines = replay(stage, ">", #"{"after":0}"#)
        #expect(lines.first == JSON(#"{"op":"gap","sub":1,"count":null,"reason":"history"}"#))
        #expect(lines.payloads.last == 12)
        #expect(replay(stage, ">", #"{"after":11}"#).gaps.isEmpty)
    }

    @Test("is read at the reader's pace: a long replay waits, whatever the buffer holds, and nothing of it is dropped")
    func slowReader() {
        let stage = stage(messages: 2000, bytes: 4 << 20)
        let text = String(repeating: "x", count: 1000)
        let poster = stage.connect()
        for number in 1...1000 { poster.post("a", #"[\#(number),"\#(text)"]"#) }
        let listener = stage.connect()
        listener.block()
        listener.send(#"{"op":"subscribe","channel":"a","buffer":{"messages":2},"replay":{"last":1000}}"#)
        for number in 1001...1005 { poster.post("a", "[\(number)]") }
        listener.unblock()
        let lines = listener.read()
        #expect(lines.messages.count == 1002)
        #expect(lines.sequences == Array(1...1000) + [1004, 1005])
        #expect(lines.gaps.map { $0["count"].int } == [3])
    }
}
