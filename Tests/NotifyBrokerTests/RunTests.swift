// Posts that repeat the one before are handled as one. Whoever gets them, and whoever looks at the daemon, must not be able
// to tell: everything is played twice here, at once and one by one, and compared.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("A run of posts")
struct RunTests {
    private static func post(
        _ payload: Int, on channel: String = "a", more: String = "", padding: Int = 0
    ) -> String {
        let padding = String(repeating: " ", count: padding)
        return #"{"op":"post",\#(more)"channel":"\#(channel)","payload":\#(padding)\#(payload)}"#
    }

    private static func posts(_ payloads: Range<Int>, on channel: String = "a") -> [String] {
        payloads.map { post($0, on: channel) }
    }

    @Test("is taken for one, and is to everybody what its posts are", arguments: ["a.b", "a.>", "*.b", ">"])
    func plain(pattern: String) {
        let twins = Twins(clients: 4)
        for reader in 1...3 { twins.say(reader, #"{"op":"subscribe","id":1,"channel":"\#(pattern)"}"#) }
        twins.send(0, Self.posts(0..<300, on: "a.b"))
        #expect(twins.run == 200, "from the second line with a seq of three digits on")
        twins.compare()
        #expect(twins.read(3).sequences == Array(1...300))
    }

    @Test("is one without readers, for those who ask for it later")
    func history() {
        let twins = Twins(clients: 2)
        twins.send(0, Self.posts(0..<50))
        #expect(twins.run > 30)
        twins.say(1, #"{"op":"subscribe","id":1,"channel":"a","replay":{"last":100}}"#)
        twins.compare()
        #expect(twins.read(1).payloads == Array(43..<50))
    }

    @Test("ends where a queue is full, and nothing is lost that would not be", arguments: 1...6, [true, false])
    func queue(limit: Int, isBlocked: Bool) {
        for count in (limit - 1)...(2 * limit + 3) {
            let twins = Twins(clients: 3)
            twins.say(1, #"{"op":"subscribe","id":1,"channel":"a","buffer":{"messages":\#(limit)}}"#)
            twins.say(2, #"{"op":"subscribe","id":1,"channel":"a"}"#)
            if isBlocked { twins.each(1) { _, client in client.block() } }
            twins.send(0, Self.posts(0..<count))
            twins.compare()
            twins.each(1) { _, client in client.unblock() }
            twins.compare()
            #expect(twins.read(2).payloads == Array(0..<count))
        }
    }

    @Test("goes on beside those who do not read, each with a queue of its own", arguments: [1, 2, 7, 100])
    func blocked(limit: Int) {
        let twins = Twins(clients: 5)
        for reader in 1...4 {
            let buffer = reader == 2 ? #","buffer":{"messages":\#(limit)}"# : ""
            twins.say(reader, #"{"op":"subscribe","id":1,"channel":"a"\#(buffer)}"#)
        }
        for reader in [2, 3] { twins.each(reader) { _, client in client.block() } }
        twins.send(0, [Self.post(0)])
        twins.send(0, Self.posts(1..<60))
        #expect(twins.run > 30)
        twins.compare()
        for reader in [2, 3] { twins.each(reader) { _, client in client.unblock() } }
        for reader in [1, 3, 4] { #expect(twins.read(reader).payloads == Array(0..<60)) }
        #expect(twins.read(2).payloads.last == 59)
    }

    @Test("ends where a queue has no room even for what comes next, and nothing waits any more")
    func emptied() {
        let twins = Twins(clients: 3)
        twins.say(1, #"{"op":"subscribe","id":1,"channel":"a","buffer":{"bytes":400}}"#)
        twins.say(2, #"{"op":"subscribe","id":1,"channel":"a"}"#)
        twins.each(1) { _, client in client.block() }
        twins.send(0, (1...60).map { Self.post($0, padding: $0 % 3 == 0 ? 400 : 0) })
        twins.compare()
        twins.each(1) { _, client in client.unblock() }
        twins.compare()
    }

    @Test("ends where a queue has as many bytes as it may", arguments: 300...330)
    func bytes(limit: Int) {
        let twins = Twins(clients: 2)
        twins.say(1, #"{"op":"subscribe","id":1,"channel":"a","buffer":{"bytes":\#(limit)}}"#)
        twins.send(0, Self.posts(0..<20))
        twins.compare()
    }

    @Test("ends with the turn", arguments: [1, 2, 100])
    func turn(readers: Int) {
        let twins = Twins(clients: readers + 1)
        for reader in 1...readers { twins.say(reader, #"{"op":"subscribe","id":1,"channel":"a"}"#) }
        let count = Limits.workPerTurn / 100 + 3
        twins.send(0, Self.posts(0..<count))
        twins.compare()
        #expect(twins.taken == Limits.workPerTurn / readers + 1 || readers < 100)
    }

    @Test(
        "is none where each post may come to something else",
        arguments: [
            [#"{"op":"subscribe","id":1,"channel":"a","type":"T"}"#],
            [#"{"op":"subscribe","id":1,"channel":"a","group":"g"}"#],
            [#"{"op":"subscribe","id":1,"channel":"a","min_interval_ms":5}"#],
            [#"{"op":"subscribe","id":1,"channel":"a","buffer":{"policy":"latest"}}"#],
            [#"{"op":"subscribe","id":1,"channel":"a","buffer":{"policy":"block"}}"#],
            [#"{"op":"subscribe","id":1,"channel":"a"}"#, #"{"op":"subscribe","id":2,"channel":">"}"#],
            [#"{"op":"subscribe","id":1,"channel":"$notifyd.trace.a"}"#],
        ])
    func special(requests: [String]) {
        let twins = Twins(clients: 2)
        for request in requests { twins.say(1, request) }
        #expect(twins.read(1).allSatisfy { $0.op == "ok" })
        twins.send(0, Self.posts(0..<60))
        #expect(twins.run == 0)
        twins.compare()
    }

    @Test("is none where the poster reads, with and without its own")
    func own() {
        for echo in ["true", "false"] {
            let twins = Twins(clients: 1)
            twins.say(0, #"{"op":"subscribe","id":1,"channel":"a","echo":\#(echo)}"#)
            twins.send(0, Self.posts(0..<40))
            #expect(twins.run == 0)
            twins.compare()
        }
    }

    @Test("is none on a channel that is kept on disk")
    func persistent() {
        let twins = Twins(clients: 2)
        twins.say(1, #"{"op":"subscribe","id":1,"channel":"kept.a"}"#)
        twins.send(0, Self.posts(0..<40, on: "kept.a"))
        #expect(twins.run == 0)
        twins.compare()
        twins.commit()
        twins.compare()
        #expect(twins.read(1).payloads == Array(0..<40))
    }

    @Test("ends at anything else that is asked")
    func between() {
        let others = [
            #"{"op":"ping","id":7}"#, Self.post(7, more: #""id":8,"#), Self.post(7, on: "b"), "no request", "",
            #"{"op":"subscribe","id":9,"channel":"a"}"#, #"{"op":"unsubscribe","id":9,"sub":1}"#,
            #"{"op":"stats","id":1}"#,
            #"{"op":"post","channel":"a","retain":true,"payload":7}"#, #"{"op":"bye","id":7}"#,
        ]
        for other in others {
            let twins = Twins(clients: 2)
            twins.say(1, #"{"op":"subscribe","id":1,"channel":">"}"#)
            twins.send(0, Self.posts(0..<30) + [other] + Self.posts(30..<60) + [other] + Self.posts(60..<90))
            #expect(twins.run > 0)
            twins.compare()
        }
    }

    @Test("comes to the same, whoever posts, reads, comes and goes meanwhile", arguments: 0..<10)
    func anything(seed: UInt64) {
        let longest = (0..<(Sanitizer.isPresent ? 1 : 4)).map { play(seed: 4 * seed + $0) }
        #expect(longest.max() ?? 0 > 10)
    }

    /// Returns how many posts were in the longest run.
    private func play(seed: UInt64) -> Int {
        var random = SplitMix(state: seed)
        let twins = Twins(clients: 5, isNarrow: !seed.isMultiple(of: 4))
        var longest = 0
        for _ in 0..<120 {
            let number = Int.random(in: 0..<5, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let channel = random.pick(["a", "a.b", "c"])
                twins.send(number, (0..<Int.random(in: 1...40, using: &random)).map { Self.post($0, on: channel) })
                longest = max(longest, twins.run)
            case 5: twins.say(number, Self.randomSubscription(&random, twins.position))
            case 6: twins.say(number, #"{"op":"unsubscribe","id":2,"sub":\#(Int.random(in: 1...4, using: &random))}"#)
            case 7:
                let room = Int.random(in: 0...2000, using: &random)
                twins.each(number) { _, client in client.makeRoom(room) }
            case 8: twins.each(number) { _, client in client.unblock() }
            default:
                let seconds = UInt64.random(in: 0...2, using: &random)
                twins.each(number) { stage, _ in stage.advance(seconds: seconds) }
            }
            twins.compare()
        }
        for number in 0..<5 { twins.each(number) { _, client in client.unblock() } }
        twins.compare()
        for list in ["stats", "channels", "clients", "subscriptions"] { twins.say(0, #"{"op":"\#(list)","id":3}"#) }
        twins.compare()
        return longest
    }

    private static func randomSubscription(_ random: inout SplitMix, _ position: Int) -> String {
        let pattern = random.pick(["a", "a", "a", "a.b", "a.*", ">", "c"])
        let limit = Int.random(in: 1...30, using: &random)
        let more = random.pick([
            "", "", "", "", #","buffer":{"messages":\#(limit)}"#, #","type":"T""#, #","group":"g""#, #","echo":false"#,
            #","replay":{"last":5}"#, #","replay":{"after":\#(max(0, position - 3))}"#,
        ])
        return #"{"op":"subscribe","id":1,"channel":"\#(pattern)"\#(more)}"#
    }
}

/// Two stages on which the same is played. On the first posts run, on the second they do not.
private final class Twins {
    private let stages: [Stage]
    private let clients: [[StageClient]]
    /// What the clients have read on both.
    private var heard: [[JSON]]

    /// - Parameter isNarrow: what waits for all of them soon comes to what it may.
    init(clients count: Int, isNarrow: Bool = false) {
        stages = [true, false].map { mayRun in
            let stage = Stage(
                channelRules: [.persistent("kept.>", messages: 5), .keeping(7)], stored: StoredState(epoch: "e1")
            ) {
                if isNarrow { $0.queuedBytesPerUID = 3000 }
            }
            stage.mayRun = mayRun
            return stage
        }
        clients = stages.map { stage in (0..<count).map { _ in stage.connect() } }
        heard = Array(repeating: [], count: count)
    }

    /// Posts of the last run.
    var run: Int { stages[0].postsOfLastRun }
    var position: Int { stages[0].position }
    /// How many lines of the last piece were taken.
    private(set) var taken = 0

    func each(_ number: Int, _ body: (Stage, StageClient) -> Void) {
        for (stage, clients) in zip(stages, clients) { body(stage, clients[number]) }
    }

    func say(_ number: Int, _ line: String) { send(number, [line]) }

    /// One piece, unless the client may not be read from.
    func send(_ number: Int, _ lines: [String]) {
        var taken: [Int] = []
        each(number) { stage, client in
            if !client.isPaused, !client.isEnding { taken.append(stage.hand(piece: lines, from: client)) }
        }
        #expect(taken.first == taken.last)
        self.taken = taken.first ?? 0
    }

    func commit() { for stage in stages { stage.commit() } }

    func read(_ number: Int) -> [JSON] {
        compare()
        defer { heard[number] = [] }
        return heard[number]
    }

    /// Everybody has come to read the same on both stages, and they have come to the same.
    func compare(sourceLocation: SourceLocation = #_sourceLocation) {
        for number in heard.indices {
            let (first, second) = (clients[0][number], clients[1][number])
            let lines = first.readRaw()
            #expect(lines == second.readRaw(), sourceLocation: sourceLocation)
            #expect(first.partial == second.partial, sourceLocation: sourceLocation)
            #expect(first.isPaused == second.isPaused, sourceLocation: sourceLocation)
            #expect(first.offers == second.offers, sourceLocation: sourceLocation)
            heard[number] += lines.map { JSON($0) }
        }
        #expect(stages[0].position == stages[1].position, sourceLocation: sourceLocation)
        #expect(stages[0].work == stages[1].work, sourceLocation: sourceLocation)
    }
}
