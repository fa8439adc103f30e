// Channels that nobody uses are forgotten; their numbering is not.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Idle channels")
struct IdleChannelTests {
    @Test("are kept while there are few of them")
    func few() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        for number in 1...100 { client.post("c.\(number)") }
        #expect(stage.secondsToDeadline == nil)
        stage.advance(seconds: 1000)
        stage.tick()
        #expect(stage.channelCount == 100)
    }

    @Test("are kept up to ten thousand, and not one more", arguments: [(10_000, 10_000), (10_001, 0)])
    func limit(count: Int, kept: Int) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        for number in 0..<count { client.post("c.\(number)") }
        stage.advance(seconds: 100)
        stage.tick()
        #expect(stage.channelCount == kept)
    }

    @Test("that are very many are forgotten in pieces, between which others have their turn")
    func pieces() throws {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("c.1")
        for number in 0..<30_000 { client.post("c.\(number)") }
        stage.advance(seconds: 100)
        stage.tick()
        #expect((10_000..<30_000).contains(stage.channelCount))
        var ticks = 1
        while let seconds = stage.secondsToDeadline {
            #expect(seconds > 0 && seconds < 0.01)
            stage.now.monotonic += UInt64(seconds * 1e9) + 1
            stage.tick()
            ticks += 1
            try #require(ticks < 10)
        }
        #expect(stage.channelCount == 1)
    }

    @Test("beyond ten thousand are forgotten after a while, those in use are not")
    func many() throws {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("c.1")
        client.post("c.2", "1", more: #","retain":true"#)
        for number in 1...10_050 { client.post("c.\(number)") }
        #expect(stage.channelCount == 10_050)
        #expect(try #require(stage.secondsToDeadline) > 0)
        stage.advance(seconds: 5)
        stage.tick()
        #expect(stage.channelCount == 10_050, "not idle for long enough")
        stage.advance(seconds: 100)
        stage.tick()
        #expect(stage.channelCount == 2)
        #expect(stage.secondsToDeadline == nil)
        _ = client.read()
        #expect(client.ask(#"{"op":"get","id":1,"channel":"c.2"}"#)["message"]["payload"].int == 1)
    }

    @Test("come back with a number that nobody has seen")
    func numbersNeverRepeat() {
        let stage = Stage(channelRules: [.noHistory]) { $0.channels = 8 }
        let client = stage.connect()
        var seen: [String: [Int]] = [:]
        var random = SplitMix(state: 1)
        for _ in 0..<800 {
            let channel = "c.\(Int.random(in: 0..<30, using: &random))"
            let reply = client.ask(#"{"op":"post","id":1,"channel":"\#(channel)"}"#)
            seen[channel, default: []].append(reply["seq"].int ?? -1)
            #expect(stage.channelCount <= 9)
        }
        for (channel, numbers) in seen {
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(channel): \(numbers)")
        }
    }

    @Test("with somebody in them are never forgotten, and then new ones are refused at twice the limit")
    func full() {
        let stage = Stage(channelRules: [.noHistory]) { $0.channels = 4 }
        let client = stage.connect()
        for number in 1...8 { client.subscribe("c.\(number)") }
        let refused = client.ask(#"{"op":"post","id":1,"channel":"other"}"#)
        #expect(refused.code == "quota_exceeded")
        #expect(refused.message.contains("'channels'"))
        #expect(client.ask(#"{"op":"subscribe","id":1,"channel":"other"}"#).code == "quota_exceeded")
        #expect(stage.connect().ask(#"{"op":"post","id":1,"channel":"c.8"}"#)["seq"].int == 1)
        #expect(client.read().sequences == [1])
        client.subscribe("other.*")
    }

    @Test("named by waiting messages or gaps stay until these are told")
    func pinned() {
        let stage = Stage(channelRules: [.noHistory]) { $0.channels = 4 }
        let poster = stage.connect()
        let client = stage.connect()
        client.subscribe(">", #","buffer":{"messages":1}"#)
        client.block()
        for number in 1...6 { poster.post("c.\(number)") }
        stage.advance(seconds: 1000)
        client.unblock()
        let lines = client.read()
        #expect(lines.gaps.map { $0["channel"].text } == (1...5).map { "c.\($0)" })
        #expect(lines.messages.map { $0["channel"].text } == ["c.6"])
        poster.post("d")
        #expect(stage.channelCount <= 5)
    }

    @Test("with a past are kept until it is too old, however many they are")
    func withHistory() {
        let stage = Stage()
        let poster = stage.connect()
        for number in 1...10_001 { poster.post("c\(number)") }
        stage.advance(seconds: 59)
        stage.tick()
        #expect(stage.channelCount == 10_001)
        stage.advance(seconds: 1)
        while let seconds = stage.secondsToDeadline, seconds < 600 {
            stage.now.monotonic += UInt64(max(seconds, 0.001) * 1e9)
            stage.tick()
        }
        #expect(stage.channelCount == 0)
        #expect(stage.historyBytes == 0)
    }

    @Test("too many channels go in pieces, every other one of them, so that others have their turn")
    func urgentPieces() {
        let stage = Stage(channelRules: [.noHistory]) { $0.channels = 30_000 }
        let poster = stage.connect()
        for number in 0...30_000 { poster.post("c.\(number)") }
        #expect(25_000...29_999 ~= stage.channelCount)
        for _ in 0..<10 { stage.wakeUp {} }
        #expect(14_000...16_000 ~= stage.channelCount)
    }
}
