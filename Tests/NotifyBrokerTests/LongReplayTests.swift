// A past that is too long to be said at once: it is said in pieces, as far as its reader takes it, and what the history
// loses meanwhile is told.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("A long replay")
struct LongReplayTests {
    /// Pieces of about three messages, if they are not `wide`; and nobody gets more than one without `goOn`.
    private func stage(
        messages: Int = 64, wide: Bool = false, rules: [ChannelRule] = [], _ change: (inout Limits) -> Void = { _ in }
    ) -> Stage {
        var rule = ChannelRule(pattern: ">")
        rule.history.messages = messages
        let stage = Stage(pieceBytes: wide ? 3000 : 400, channelRules: rules + [rule], change)
        stage.goesOn = false
        return stage
    }

    private func post(_ stage: Stage, _ channel: String, _ range: ClosedRange<Int>, more: String = "") {
        let poster = stage.connect()
        defer { stage.disconnect(poster) }
        for number in range { poster.post(channel, "\(number)", more: more) }
    }

    private func ask(_ stage: Stage, _ channel: String, _ replay: String, _ more: String = "") -> StageClient {
        let listener = stage.connect()
        listener.send(#"{"op":"subscribe","channel":"\#(channel)","replay":\#(replay)\#(more)}"#)
        return listener
    }

    /// What comes in each turn from now on.
    private func turns(_ stage: Stage, _ listener: StageClient) -> [[JSON]] {
        var turns = [listener.read()]
        while listener.isBlocked, turns.count < 1000 {
            stage.goOn()
            turns.append(listener.read())
        }
        return turns
    }

    private func gap(_ from: Int, _ to: Int, count: Int?, _ channel: String = "a") -> JSON {
        let count = count.map { "\($0)" } ?? "null"
        return JSON(
            #"{"op":"gap","sub":1,"channel":"\#(channel)","from":\#(from),"to":\#(to),"count":\#(count),"reason":"history"}"#
        )
    }

    // MARK: Pieces

    @Test(
        "is said at once if it fits into one piece, and in two turns if it is longer by a message", arguments: [3, 4])
    func onePiece(count: Int) {
        let probe = stage(wide: true)
        post(probe, "a", 1...3)
        let bytes = ask(probe, "a", #"{"last":9}"#).readRaw().dropLast().reduce(0) { $0 + $1.utf8.count + 1 }
        let stage = Stage(pieceBytes: bytes)
        stage.goesOn = false
        post(stage, "a", 1...count)
        let listener = ask(stage, "a", #"{"last":9}"#)
        #expect(listener.isBlocked == (count > 3))
        let turns = turns(stage, listener)
        #expect(turns.map(\.payloads) == (count > 3 ? [[1, 2, 3], [4]] : [[1, 2, 3]]))
        #expect(turns.last?.last?.op == "live")
    }

    @Test("gives the messages of many channels in the order of the posts, whatever was asked for")
    func order() {
        let stage = stage()
        let poster = stage.connect()
        for number in 1...99 { poster.post("\(["a", "b", "c", "d"][number * 7 % 4]).\(number % 5)", "\(number)") }
        for (replay, expected) in [
            (#"{"last":99}"#, Array(1...99)), (#"{"after":50}"#, Array(51...99)), (#"{"last":1}"#, Array(80...99)),
        ] {
            let listener = ask(stage, ">", replay)
            let turns = turns(stage, listener)
            #expect(turns.flatMap(\.self).payloads == expected)
            #expect(turns.flatMap(\.self).map(\.op) == expected.map { _ in "message" } + ["live"])
            #expect(turns.allSatisfy { $0.count <= 4 })
            #expect(stage.pins == 0)
        }
    }

    @Test("lets others go on between its pieces, and what they post comes after it")
    func seam() {
        let stage = stage()
        post(stage, "a", 1...20)
        let listener = ask(stage, "a", #"{"last":99}"#, #","buffer":{"messages":3}"#)
        let poster = stage.connect()
        var lines = listener.read()
        for number in 21...25 {
            poster.post("a", "\(number)", more: #","id":1"#)
            #expect(poster.read().map(\.op) == ["ok"])
            stage.goOn()
            lines += listener.read()
        }
        lines += turns(stage, listener).flatMap(\.self)
        #expect(lines.sequences == Array(1...20) + [23, 24, 25])
        #expect(
            lines.map(\.op) == Array(repeating: "message", count: 20) + ["live", "gap"]
                + Array(repeating: "message", count: 3))
        #expect(lines.first { $0.op == "live" }?["pos"].int == 20)
        #expect(lines.gaps.first?["reason"].text == "overflow")
        #expect(lines.gaps.first?["count"].int == 2)
        #expect(lines.suffix(3).allSatisfy { $0["replay"] == .null })
    }

    @Test("takes nothing but a piece of memory from a reader that does not read")
    func slowReader() {
        let stage = stage(wide: true)
        for channel in ["a", "b"] { post(stage, channel, 1...64) }
        let listener = stage.connect()
        listener.block()
        listener.send(#"{"op":"subscribe","channel":">","replay":{"last":99}}"#)
        for _ in 0..<9 { stage.goOn() }
        #expect(stage.unsent(to: listener).reduce(0) { $0 + $1.utf8.count } < 3400)
        listener.makeRoom(5000)
        #expect(stage.unsent(to: listener).reduce(0) { $0 + $1.utf8.count } < 3400)
        listener.room = nil
        #expect(turns(stage, listener).flatMap(\.self).messages.count == 128)
    }

    @Test("pauses its peer's requests when it asks for ever more and reads nothing")
    func greedy() {
        let stage = stage(wide: true)
        for number in 1...1000 { post(stage, "a.\(number)", 1...1) }
        let listener = stage.connect()
        listener.block()
        var asked = 0
        while !listener.isPaused, asked < 100 {
            listener.send(#"{"op":"subscribe","channel":">","replay":{"last":1}}"#)
            asked += 1
        }
        #expect((3...8).contains(asked))
        listener.unblock()
        #expect(turns(stage, listener).flatMap(\.self).messages.count == 1000 * asked)
        #expect(!listener.isPaused)
        #expect(stage.pins == 0)
    }

    @Test("is said in smaller pieces when many are under way", arguments: [8, 16, 64, 65])
    func share(count: Int) {
        let stage = stage(wide: true)
        post(stage, "a", 1...60)
        let listeners = (0..<count).map { _ in
            let listener = stage.connect()
            listener.block()
            listener.send(#"{"op":"subscribe","channel":"a","replay":{"last":99}}"#)
            return listener
        }
        for listener in listeners { listener.makeRoom(99999) }
        for listener in listeners { _ = listener.read() }
        stage.goOn()
        let piece = listeners[0].readRaw().reduce(0) { $0 + $1.utf8.count + 1 }
        let expected = max(3000 / 8, 8 * 3000 / count)
        #expect((expected..<(expected + 200)).contains(piece))
    }

    @Test("goes on when nothing of a piece passes the filter")
    func filtered() {
        let stage = stage()
        post(stage, "a", 1...60)
        post(stage, "a", 61...61, more: #","type":"T""#)
        let listener = ask(stage, "a", #"{"after":0}"#, #","type":"T""#)
        let turns = turns(stage, listener)
        #expect(turns.count > 9)
        #expect(turns.flatMap(\.self).payloads == [61])
        #expect(turns.last?.map(\.op) == ["message", "live"])
    }

    @Test("gives of each channel the last that pass, and tells nothing of those before them")
    func lastFiltered() {
        let stage = stage(messages: 9)
        let poster = stage.connect()
        for number in 1...18 {
            poster.post(number % 2 == 0 ? "a" : "b", "\(number)", more: #","type":"T\#(number % 3)""#)
        }
        let listener = ask(stage, "*", #"{"last":2}"#, #","type":"T0""#)
        // Of `a` 6, 12 and 18 pass.
        poster.post("a", "19")
        let lines = turns(stage, listener).flatMap(\.self)
        #expect(lines.messages.filter { $0["replay"].bool == true }.payloads == [9, 12, 15, 18])
        #expect(lines.gaps.isEmpty)
    }

    // MARK: What is lost meanwhile

    @Test("tells exactly what was evicted before its turn", arguments: [0, 1, 2, 6, 7, 8])
    func evicted(count: Int) {
        let stage = stage(messages: 10)
        post(stage, "a", 1...10)
        let listener = ask(stage, "a", #"{"after":0}"#)
        let said = listener.read().payloads
        #expect(said == [1, 2, 3])
        // The first three that go have been said.
        if count > 0 { post(stage, "a", 11...(10 + 3 + count)) }
        let lines = turns(stage, listener).flatMap(\.self)
        let lost = min(count, 7)
        #expect(lines.gaps == (lost == 0 ? [] : [gap(4, 3 + lost, count: lost)]))
        #expect(lines.messages.filter { $0["replay"].bool == true }.payloads == Array((4 + lost)..<11))
        #expect(lines.first?.op == (lost == 0 ? "message" : "gap"))
        #expect(lines.messages.filter { $0["replay"] == .null }.count == (count == 0 ? 0 : 3 + count))
        #expect(stage.pins == 0)
    }

    @Test("tells what was evicted in the place of its channel, of a filter without a number")
    func evictedInPlace() {
        let stage = stage(messages: 4)
        post(stage, "a", 1...4)
        post(stage, "b", 5...8)
        for (more, count) in [("", 2), (#","from_uid":1000"#, nil)] {
            let listener = ask(stage, "*", #"{"last":4}"#, more)
            #expect(listener.read().payloads.suffix(3).count == 3)
            let first = stage.position
            post(stage, "b", 1...2)
            let lines = turns(stage, listener).flatMap(\.self)
            let from = first == 8 ? 1 : 3
            #expect(lines.gaps == [gap(from, from + 1, count: count, "b")])
            #expect(lines.prefix(2).map(\.op) == ["message", "gap"])
            stage.disconnect(listener)
        }
    }

    @Test("tells exactly what has grown too old")
    func aged() {
        let stage = stage()
        post(stage, "a", 1...5)
        stage.advance(seconds: 30)
        post(stage, "a", 6...9)
        let listener = ask(stage, "a", #"{"last":9}"#)
        #expect(listener.read().payloads == [1, 2, 3])
        stage.advance(seconds: 30)
        post(stage, "a", 10...10)
        let lines = turns(stage, listener).flatMap(\.self)
        #expect(lines.gaps == [gap(4, 5, count: 2)])
        #expect(lines.payloads == [6, 7, 8, 9, 10])
    }

    @Test("tells of what has expired before its turn", arguments: [999, 1000])
    func expired(milliseconds: UInt64) {
        let stage = stage()
        post(stage, "a", 1...3)
        post(stage, "a", 4...4, more: #","ttl_ms":1000"#)
        post(stage, "a", 5...5)
        let listener = ask(stage, "a", #"{"last":9}"#)
        #expect(listener.read().payloads == [1, 2, 3])
        stage.advance(milliseconds: milliseconds)
        let lines = turns(stage, listener).flatMap(\.self)
        #expect(lines.payloads == (milliseconds < 1000 ? [4, 5] : [5]))
        #expect(lines.gaps.map { $0["reason"].text } == (milliseconds < 1000 ? [] : ["expired"]))
        #expect(lines.gaps.allSatisfy { $0["from"].int == 4 && $0["to"].int == 4 && $0["count"].int == 1 })
    }

    @Test("tells of what is given up because the configuration wants no history any more")
    func reconfigured() {
        let stage = stage()
        post(stage, "a", 1...9)
        let listener = ask(stage, "a", #"{"last":9}"#)
        #expect(listener.read().payloads == [1, 2, 3])
        stage.setRules([.noHistory])
        post(stage, "a", 10...10)
        let lines = turns(stage, listener).flatMap(\.self)
        #expect(lines.gaps == [gap(4, 9, count: 6)])
        #expect(lines.map(\.op) == ["gap", "live", "message"])
    }

    @Test("tells how many of the last are missing, those that go before their turn among them")
    func lastMissing() {
        let stage = stage(messages: 5)
        for channel in ["a", "b", "c", "d", "e", "f", "g", "h"] { post(stage, channel, 1...6) }
        let listener = stage.connect()
        listener.block()
        listener.send(#"{"op":"subscribe","channel":"*","replay":{"last":6}}"#)
        // Of `a` the first piece has been made.
        for channel in ["g", "h"] { post(stage, channel, 7...8) }
        listener.room = nil
        let lines = turns(stage, listener).flatMap(\.self)
        for channel in ["a", "b", "g", "h"] {
            let isRobbed = channel > "f"
            let told = lines.gaps.filter { $0["channel"].text == channel }
            #expect(told.reduce(0) { $0 + ($1["count"].int ?? 99) } == (isRobbed ? 3 : 1))
            #expect(told.first?["from"].int == 1)
            #expect(told.last?["to"].int == (isRobbed ? 3 : 1))
        }
        #expect(lines.messages.filter { $0["replay"].bool == true }.count == 8 * 5 - 4)
    }

    // MARK: Retained

    @Test("of retained messages comes in pieces; what is none any more when its turn comes is left out")
    func retained() {
        let stage = stage()
        let poster = stage.connect()
        for number in 1...9 { poster.post("a.\(number)", "\(number)", more: #","retain":true"#) }
        poster.post("a.10", "10", more: #","retain":true,"ttl_ms":1000"#)
        poster.post("a.11", "11", more: #","retain":true"#)
        let listener = ask(stage, "a.*", #""retained""#)
        let first = listener.read()
        #expect((1...3).contains(first.count))
        poster.send(#"{"op":"clear","channel":"a.5"}"#)
        poster.post("a.6", "66", more: #","retain":true"#)
        poster.post("a.7", "77")
        stage.advance(milliseconds: 1000)
        let lines = first + turns(stage, listener).flatMap(\.self)
        #expect(lines.payloads == [1, 2, 3, 4, 7, 8, 9, 11, 66, 77])
        #expect(lines.map(\.op) == Array(repeating: "message", count: 8) + ["live", "message", "message"])
        #expect(stage.pins == 0)
    }
}
