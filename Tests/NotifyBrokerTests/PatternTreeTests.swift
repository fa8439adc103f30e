// What patterns cost when somebody means ill: how far a search may go before others have their turn, and what is left
// when the patterns are gone.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("The tree of patterns")
struct PatternTreeTests {
    /// Every combination of `a` and `*` in `tokens` places, with one more token behind.
    private static func combinations(_ tokens: Int, _ last: String) -> [String] {
        (0..<1 << tokens).map { bits in
            ((0..<tokens).map { bits >> $0 & 1 == 0 ? "a" : "*" } + [last]).joined(separator: ".")
        }
    }

    private static func channel(_ tokens: Int, _ last: String) -> String {
        (Array(repeating: "a", count: tokens) + [last]).joined(separator: ".")
    }

    /// A client with patterns that nearly match `a.a.….y`, but do not.
    private func nearMisses(on stage: Stage) -> StageClient {
        let listener = stage.connect()
        for pattern in Self.combinations(9, "x").dropFirst() {
            listener.send(#"{"op":"subscribe","channel":"\#(pattern)"}"#)
        }
        #expect(stage.patternCount == 511)
        return listener
    }

    @Test("searching it costs a turn what it searches, for new channels and after every change")
    func turns() {
        let stage = Stage()
        let listener = nearMisses(on: stage)
        let poster = stage.connect()
        let places = stage.places(searchedFor: Self.channel(9, "y"))
        #expect(places > 500)
        let fit = Limits.workPerTurn / (places * Limits.workPerPlace)
        func post(_ count: Int, _ name: String) {
            for number in 0..<count { poster.post(Self.channel(9, "\(name)\(number)")) }
        }
        #expect(!stage.turnIsOver { post(fit, "y") })
        #expect(stage.turnIsOver { post(fit + 1, "z") })
        #expect(
            stage.turnIsOver {
                for number in 0...fit {
                    listener.send(#"{"op":"subscribe","channel":"b.*","sub":\#(1000 + number)}"#)
                    poster.post(Self.channel(9, "y0"))
                }
            })
        #expect(!stage.turnIsOver { post(fit, "y0") }, "what is known costs nothing")
    }

    @Test("its tables become smaller when most patterns have gone, and are not gone through for each of the others")
    func room() {
        let stage = Stage()
        let listener = stage.connect()
        for number in 1...9000 { listener.send(#"{"op":"subscribe","channel":"a.*.x\#(number)","sub":\#(number)}"#) }
        #expect(stage.patternRoom > 2 * 9000)
        for number in 1...8500 { listener.send(#"{"op":"unsubscribe","sub":\#(number)}"#) }
        #expect(stage.patternRoom < 9000)
        listener.send(#"{"op":"post","channel":"a.b.x9000"}"#)
        #expect(listener.read().messages.count == 1)
        for number in 8501...9000 { listener.send(#"{"op":"unsubscribe","sub":\#(number)}"#) }
        #expect(stage.patternRoom < 2 * 1024 && stage.patternCount == 0)
    }

    @Test("a batch may look at a million places, and not at one more")
    func batch() {
        let stage = Stage()
        _ = nearMisses(on: stage)
        let poster = stage.connect()
        let fit = Limits.batchPlaces / stage.places(searchedFor: Self.channel(9, "y"))
        func batch(_ names: [String]) -> JSON {
            let posts = names.map { #"{"channel":"\#(Self.channel(9, $0))"}"# }.joined(separator: ",")
            return poster.ask(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)
        }
        let names = (0...fit).map { "y\($0)" }
        let refused = batch(names)
        #expect(refused["code"] == .string("quota_exceeded"))
        #expect(refused["message"].text?.contains("places") == true)
        #expect(stage.channelCount == 0)
        #expect(batch(Array(names.dropLast()))["results"].elements.count == fit)
        // The same channel again needs no search.
        #expect(batch(Array(repeating: "y0", count: 2 * fit))["results"].elements.count == 2 * fit)
    }

    @Test("a batch with a name of very many tokens is refused for that name")
    func manyTokens() {
        let stage = Stage()
        let poster = stage.connect()
        stage.connect().subscribe(">")
        for (tokens, isFine) in [(32, true), (33, false), (1000, false)] {
            let post = #"{"channel":"\#(Self.channel(tokens - 1, "a"))"}"#
            let reply = poster.ask(#"{"op":"batch","id":1,"posts":[\#(post)]}"#)
            #expect(reply["results"].elements.first?["matched"].int == (isFine ? 1 : nil), "\(tokens) tokens")
            #expect(reply["code"].text == (isFine ? nil : "invalid_channel"))
        }
    }

    @Test("a list of channels is cut short when counting their subscriptions takes too long")
    func list() {
        let stage = Stage()
        let listener = nearMisses(on: stage)
        let poster = stage.connect()
        let places = stage.places(searchedFor: Self.channel(9, "y"))
        let fit = Limits.listWork / (places * Limits.workPerPlace)
        for number in 0..<fit + 100 { poster.post(Self.channel(9, "y\(number)")) }
        func list() -> JSON { poster.ask(#"{"op":"channels","id":1}"#) }
        #expect(list()["channels"].elements.count == fit + 100, "they know their matches")
        listener.send(#"{"op":"subscribe","channel":"b.*"}"#)
        let cut = list()
        #expect(cut["truncated"] == .bool(true))
        #expect((fit - 2...fit + 2).contains(cut["channels"].elements.count), "\(fit)")
        #expect(stage.turnIsOver { poster.send(#"{"op":"channels","id":1}"#) })
    }

    @Test("a long pattern takes no more places than a short one, and none when it is gone")
    func nodes() {
        let stage = Stage()
        #expect(stage.patternNodes == 1)
        let client = stage.connect()
        for number in 0..<1000 {
            let tokens = (0..<31).map { "\(number)-\($0)" }.joined(separator: ".")
            client.send(#"{"op":"subscribe","channel":"\#(tokens).\#(["*", ">"][number % 2])"}"#)
        }
        #expect(stage.patternCount == 1000)
        #expect(stage.patternNodes <= 1001)
        #expect(stage.takeFreedBytes() == 0)
        stage.disconnect(client)
        #expect(stage.patternNodes == 1)
        #expect(stage.takeFreedBytes() >= 1000 * MemoryLayout<PatternNode>.size / 2, "it is worth giving back")
        #expect(stage.takeFreedBytes() == 0, "told once")
    }

    @Test("patterns crowd, spread and go, and are found all the while", arguments: 1...4)
    func crowds(seed: UInt64) {
        var random = SplitMix(state: seed)
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        var patterns: [Int: String] = [:]
        var most = 0
        for round in 0..<600 {
            let isGrowing = round % 300 < 200
            if random.once(in: isGrowing ? 6 : 2), let number = patterns.keys.sorted().randomElement(using: &random) {
                patterns[number] = nil
                client.send(#"{"op":"unsubscribe","sub":\#(number)}"#)
            } else if isGrowing {
                var tokens = (0..<Int.random(in: 2...8, using: &random)).map { _ in random.pick(["a", "*", "*", "b"]) }
                if random.once(in: 4) { tokens[tokens.count - 1] = ">" }
                if !tokens.contains("*"), tokens.last != ">" { tokens[0] = "*" }
                let pattern = tokens.joined(separator: ".")
                patterns[client.subscribe(pattern)["sub"].int ?? -1] = pattern
            }
            most = max(most, stage.patternNodes)
            let channel = (0..<Int.random(in: 1...8, using: &random)).map { _ in random.pick(["a", "a", "b", "c"]) }
                .joined(separator: ".")
            poster.post(channel)
            let got = client.read().map { $0["sub"].int ?? -1 }.sorted()
            #expect(got == patterns.filter { matches($0.value, channel) }.keys.sorted(), "\(channel)")
        }
        #expect(most > 20, "the tree has grown: \(most)")
        for number in patterns.keys.sorted() { client.send(#"{"op":"unsubscribe","sub":\#(number)}"#) }
        #expect(stage.patternCount == 0)
        #expect(stage.patternNodes == 1)
    }
}
