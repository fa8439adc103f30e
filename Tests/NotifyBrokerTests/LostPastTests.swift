// The past that is not there any more: channels that were forgotten, and channels whose messages nobody keeps. Whoever
// goes on after a position or a time is told.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("The past that is gone")
struct LostPastTests {
    private func lines(_ stage: Stage, _ channel: String, _ replay: String) -> [JSON] {
        let listener = stage.connect()
        defer { stage.disconnect(listener) }
        listener.send(#"{"op":"subscribe","channel":"\#(channel)","replay":\#(replay)}"#)
        let lines = listener.read()
        #expect(lines.last?.op == "live")
        return lines.dropLast()
    }

    // MARK: Channels that were forgotten

    /// `old` has had the message with `pos` 1, at 01:46:40, and was forgotten with others ten seconds later.
    private func crowded() -> Stage {
        let stage = Stage { $0.channels = 4 }
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("kept")
        poster.post("old", "1")
        poster.post("kept", "2")
        stage.advance(seconds: 10)
        for number in 3...12 { poster.post("c\(number)", "\(number)") }
        return stage
    }

    @Test(
        "of a channel that was forgotten is told by its exact name, after a position and since a time",
        arguments: [#"{"after":0}"#, #"{"after":0,"epoch":"e1"}"#, #"{"since":"2001-09-09T01:46:40Z"}"#])
    func exactly(replay: String) {
        let stage = crowded()
        let lines = lines(stage, "old", replay)
        #expect(lines.count == 1)
        #expect(lines.first?.op == "gap")
        #expect(lines.first?["channel"].text == "old")
        #expect(lines.first?["reason"].text == "history")
        #expect(lines.first?["count"] == .null)
    }

    @Test("of a channel that was forgotten stands before what was posted on it since")
    func andSince() {
        let stage = crowded()
        // It is in use: not forgotten once more.
        stage.connect().subscribe("old")
        stage.connect().post("old", "77")
        let lines = lines(stage, "old", #"{"after":0}"#)
        #expect(lines.map(\.op) == ["gap", "message"])
        #expect(lines.payloads == [77])
        #expect((lines.gaps.first?["to"].int).map { $0 + 1 } == lines.sequences.first)
    }

    @Test(
        "is not told to whoever was there later than anything that was forgotten",
        arguments: [#"{"after":12}"#, #"{"since":"2001-09-09T01:46:51Z"}"#, #"{"last":5}"#])
    func later(replay: String) {
        let stage = crowded()
        #expect(lines(stage, "old", replay).isEmpty)
        #expect(lines(stage, ">", replay).gaps.isEmpty)
    }

    @Test("is not told of a channel that was there all the time", arguments: [0, 1, 2])
    func there(position: Int) {
        let stage = crowded()
        let lines = lines(stage, "kept", #"{"after":\#(position)}"#)
        #expect(lines.gaps.isEmpty)
        #expect(lines.payloads == (position < 2 ? [2] : []))
    }

    @Test("of channels that came and went is told for each of their lives")
    func twice() {
        let stage = crowded()
        let poster = stage.connect()
        poster.post("old", "20")
        let position = stage.connect().subscribe("never")["pos"].int ?? 0
        for number in 30...49 { poster.post("d\(number)") }
        #expect(lines(stage, "old", #"{"after":12}"#).gaps.count == 1, "20 is gone as well")
        #expect(lines(stage, "old", #"{"after":\#(position + 20)}"#).isEmpty)
    }

    @Test(
        "of forgotten channels is told once for a pattern",
        arguments: [#"{"after":0}"#, #"{"since":"2001-09-09T01:46:40Z"}"#, #"{"since":"2001-09-09T01:46:50Z"}"#])
    func pattern(replay: String) {
        let stage = crowded()
        let lines = lines(stage, ">", replay)
        #expect(lines.gaps == [JSON(#"{"op":"gap","sub":1,"count":null,"reason":"history"}"#)])
        #expect(lines.first?.op == "gap")
    }

    // MARK: Channels without history

    @Test(
        "of a channel without history is told to whoever wants it, by name and by pattern",
        arguments: [#"{"after":1}"#, #"{"since":"2001-09-09T01:46:41Z"}"#, #"{"last":1}"#], ["a", "*"])
    func none(replay: String, pattern: String) {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        poster.post("a", "1")
        stage.advance(seconds: 1)
        poster.post("a", "2")
        let gap = #"{"op":"gap","sub":1,"channel":"a","to":2,"count":null,"reason":"history"}"#
        #expect(lines(stage, pattern, replay) == [JSON(gap)])
    }

    @Test(
        "of a channel without history is not told where nothing has come",
        arguments: [#"{"after":2}"#, #"{"since":"2001-09-09T01:46:42Z"}"#], ["a", "*", "b"])
    func nothing(replay: String, pattern: String) {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        for number in 1...2 { poster.post("a", "\(number)") }
        stage.advance(seconds: 1)
        #expect(lines(stage, pattern, replay).isEmpty)
        #expect(lines(stage, "b", #"{"last":1}"#).isEmpty, "nobody has posted there")
    }

    @Test("of a channel without history is not told because somebody has subscribed since")
    func subscribedSince() {
        let stage = Stage(channelRules: [.noHistory])
        stage.connect().post("a", "1")
        stage.advance(seconds: 2)
        stage.connect().subscribe("a")
        #expect(lines(stage, "a", #"{"since":"2001-09-09T01:46:41Z"}"#).isEmpty)
        #expect(lines(stage, "a", #"{"since":"2001-09-09T01:46:40Z"}"#).count == 1)
    }

    @Test("is told when the configuration has begun to want a history after some messages", arguments: [0, 1, 2, 3])
    func begun(position: Int) {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        poster.post("a", "1")
        poster.post("a", "2")
        stage.setRules([])
        poster.post("a", "3")
        let lines = lines(stage, "a", #"{"after":\#(position)}"#)
        #expect(lines.payloads == (position < 3 ? [3] : []))
        #expect(lines.gaps.map { $0["to"].int } == (position < 2 ? [2] : []))
    }

    @Test("is told when the configuration wanted none for a while", arguments: [0, 2, 3, 4])
    func interrupted(position: Int) {
        let stage = Stage()
        let poster = stage.connect()
        poster.post("a", "1")
        stage.setRules([.noHistory])
        poster.post("a", "2")
        poster.post("a", "3")
        #expect(lines(stage, "a", #"{"after":1}"#).gaps.map { $0["to"].int } == [3])
        stage.setRules([])
        poster.post("a", "4")
        let lines = lines(stage, "a", #"{"after":\#(position)}"#)
        #expect(lines.payloads == (position < 4 ? [4] : []))
        #expect(lines.gaps.map { $0["to"].int } == (position < 3 ? [3] : []))
    }
}
