// Random clients with random kernels against a plain model: whatever happens, each subscription gets in order what
// matched it, and what is missing is told, exactly, where it is missing.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Any sequence of requests and partial writes")
struct ModelTests {
    /// Small chunks are filled and given up all the time, large ones never.
    @Test("loses nothing that is not told in its place", arguments: 1...6, [256, 2048, 512 << 10])
    func nothingIsLostSilently(seed: UInt64, chunkBytes: Int) {
        // Without priorities every place can be checked.
        let play = RandomPlay(seed: seed, chunkBytes: chunkBytes, hasPriorities: seed % 2 == 0)
        play.run(steps: 800)
        play.finish()
        for history in play.histories { history.check() }
        #expect(play.histories.contains { $0.told > 0 }, "no overflow was provoked")
        #expect(play.histories.contains { $0.told(as: "expired") > 0 }, "nothing expired")
        #expect(play.histories.contains { $0.told(as: "coalesced") > 0 }, "nothing was replaced")
        #expect(play.histories.contains { $0.hasEnded }, "no subscription ended by an overflow")
        #expect(play.stage.pins == 0)
        #expect(play.stage.chunkBytes == 0)
        #expect(play.stage.patternCount == 0)
        let state = play.stage.statistics
        for key in ["subscriptions", "queued_messages", "queued_bytes"] { #expect(state[key].int == 0, "\(key)") }
        #expect(state["clients"].int == 1)
        #expect(state["pos"].int == play.position)
    }
}

/// One life of one subscription: what should have come, and what did.
private final class History {
    struct Expected {
        var position: Int
        var channel: String
        var sequence: Int
        /// Monotonic time; nil: never.
        var expires: UInt64?
        var subject: String?
        /// Higher ones may overtake while they wait.
        var priority = 1
    }

    struct Gap {
        var channel: String?
        var from: Int
        var to: Int
        var count: Int
        var reason: String?
        /// When it was read.
        var time: UInt64
    }

    enum Event {
        /// What was begun earlier than it was read has the time 0.
        case message(position: Int, payload: Int, time: UInt64)
        case gap(Gap)
    }

    let label: String
    let pattern: String
    let type: String?
    let echo: Bool
    /// Positions of the retained messages it asked for, nil if it asked for none, and those that came.
    var replay: [Int]?
    var replayed: [Int] = []
    var isLive = false
    var expected: [Expected] = []
    var events: [Event] = []
    /// Its client went before it could read everything.
    var isCut = false
    /// It lost a message, and its policy is `fail`.
    var hasEnded = false
    let policy: String

    init(label: String, pattern: String, type: String?, echo: Bool, policy: String) {
        (self.label, self.pattern, self.type, self.echo, self.policy) = (label, pattern, type, echo, policy)
    }

    var told: Int {
        events.reduce(0) { sum, event in if case .gap(let gap) = event { sum + gap.count } else { sum } }
    }

    func told(as reason: String) -> Int {
        events.reduce(0) { sum, event in
            if case .gap(let gap) = event, gap.reason == reason { sum + gap.count } else { sum }
        }
    }

    func check() {
        if expected.contains(where: { $0.priority != 1 }) { return checkInLanes() }
        var next = 0
        var gaps: [Gap] = []
        for event in events {
            switch event {
            case .gap(let gap): gaps.append(gap)
            case .message(let position, let payload, let time):
                #expect(position == payload, "\(label): somebody else's payload")
                guard let found = expected[next...].firstIndex(where: { $0.position == position }) else {
                    Issue.record("\(label): message \(position) is out of order, doubled or none of its own")
                    return
                }
                let missing = expected[next..<found]
                #expect(gaps.reduce(0) { $0 + $1.count } == missing.count, "\(label): gap before \(position)")
                for gap in gaps {
                    let lost = missing.filter { $0.channel == gap.channel }
                    let numbers = lost.filter { gap.reason != "expired" || $0.expires.map { $0 <= gap.time } == true }
                        .map(\.sequence)
                    #expect(numbers.contains(gap.from) && numbers.contains(gap.to), "\(label): \(gap)")
                    if gap.reason == "coalesced" { checkReplaced(lost, until: found) }
                    if policy == "fail" { #expect(gap.reason == "expired") }
                }
                // What waits when a subscription ends is sent, however long that takes.
                if !hasEnded {
                    #expect(expected[found].expires.map { time < $0 } != false, "\(label): \(position) had expired")
                }
                gaps = []
                next = found + 1
            }
        }
        #expect(replayed == (isCut ? replay?.prefix(replayed.count).map(\.self) : replay) ?? [], "\(label): replay")
        if !isCut { #expect(isLive == (replay != nil)) }
        if !isCut, !hasEnded { #expect(next == expected.count, "\(label): the end is missing") }
    }

    /// Where messages overtake each other: those of one priority come in order, none twice, and the gaps of each channel
    /// add up to what is missing of it.
    private func checkInLanes() {
        var left = Dictionary(uniqueKeysWithValues: expected.map { ($0.position, $0) })
        var last = [0, 0, 0]
        var gaps: [Gap] = []
        for event in events {
            switch event {
            case .gap(let gap): gaps.append(gap)
            case .message(let position, let payload, _):
                #expect(position == payload, "\(label): somebody else's payload")
                guard let found = left.removeValue(forKey: position) else {
                    Issue.record("\(label): message \(position) came twice or is none of its own")
                    return
                }
                #expect(last[found.priority] < position, "\(label): \(position) is out of order")
                last[found.priority] = position
            }
        }
        #expect(replayed == (isCut ? replay?.prefix(replayed.count).map(\.self) : replay) ?? [], "\(label): replay")
        guard !isCut, !hasEnded else { return }
        for channel in Set(expected.map(\.channel)) {
            let own = gaps.filter { $0.channel == channel }
            let missing = left.values.filter { $0.channel == channel }.map(\.sequence)
            #expect(own.reduce(0) { $0 + $1.count } == missing.count, "\(label): gaps of \(channel)")
            for gap in own { #expect(missing.contains(gap.from) && missing.contains(gap.to), "\(label): \(gap)") }
        }
    }

    /// At least one of the lost ones is followed by another about the same that came.
    private func checkReplaced(_ lost: [Expected], until found: Int) {
        #expect(policy == "latest")
        let replaced = lost.contains { one in
            expected.contains {
                $0.position > one.position && $0.channel == one.channel && $0.subject == one.subject
            }
        }
        #expect(replaced, "\(label): nothing took the place of what was lost before \(expected[found].position)")
    }
}

/// The cast: clients, their subscriptions by number, and the stream of each as it was read.
private final class RandomPlay {
    let stage: Stage
    private(set) var histories: [History] = []
    private(set) var position = 0
    private var random: SplitMix
    private var actors: [Actor] = []
    private var sequences: [String: Int] = [:]
    private var retained: [String: (position: Int, type: String?)] = [:]
    private var lastRequest = 0
    /// Posts with `dedup`, and what they were answered.
    private var unique: [(uid: UInt32, fields: String, position: Int, matched: ClosedRange<Int>)] = []

    private final class Actor {
        let client: StageClient
        /// By number, as requests have been sent.
        var asked: [Int: History] = [:]
        /// By number, as replies have been read.
        var heard: [Int: History] = [:]
        /// What the reply with this id means for the stream.
        var meaning: [Int: (number: Int, history: History?)] = [:]
        /// Receipts that are awaited, and what must stand in them.
        var receipts: [Int: (position: Int, matched: ClosedRange<Int>)] = [:]
        /// The last look ended within a line.
        var isInsideLine = false

        init(_ client: StageClient) { self.client = client }
    }

    private let hasPriorities: Bool

    init(seed: UInt64, chunkBytes: Int, hasPriorities: Bool) {
        random = SplitMix(state: seed)
        self.hasPriorities = hasPriorities
        stage = Stage(chunkBytes: chunkBytes) {
            $0.queueMessages = 12
            $0.queueBytes = 3000
            $0.clientQueueBytes = 4000
        }
    }

    private static let channels = ["a", "a.b", "a.c", "b.c", "a.b.c"]
    private static let patterns = [">", "a.*", "*.c", "a.>", "a.b", "a", "b.c", "*.*.*"]

    func run(steps: Int) {
        for _ in 0..<steps {
            stage.pass(milliseconds: UInt64.random(in: 0...3, using: &random))
            stage.wakeUp {
                for _ in 0..<Int.random(in: 1...4, using: &random) { step() }
            }
            for actor in actors { listen(actor) }
        }
    }

    private func step() {
        if actors.count < 3 || actors.count < 6 && random.once(in: 40) {
            actors.append(Actor(stage.connect(uid: UInt32(actors.count % 2))))
            return
        }
        let actor = random.pick(actors)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55: post(actor)
        case 55..<62: batch(actor)
        case 62..<74: subscribe(actor)
        case 74..<82: unsubscribe(actor)
        case 82..<98: move(actor.client)
        default: if actors.count > 3 { leave(actor) }
        }
    }

    /// The kernel of the client takes some bytes, none, or all.
    private func move(_ client: StageClient) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: client.block()
        case 1: client.unblock()
        default: client.makeRoom(Int.random(in: 1...1500, using: &random))
        }
    }

    private func request() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// The fields of a post to a random channel; what it means is noted.
    private func accept(from poster: Actor) -> (fields: String, matched: ClosedRange<Int>) {
        let channel = random.pick(Self.channels)
        let type = random.pick(["T", "U", nil])
        position += 1
        sequences[channel, default: 0] += 1
        let subject = random.pick(["s", "t", nil])
        var matched = 0
        let priority = hasPriorities ? random.pick([0, 1, 1, 2]) : 1
        // Those with policy `fail` may have ended without having read of it.
        var unsure = 0
        let isRetained = random.once(in: 5)
        let timeToLive = !isRetained && random.once(in: 3) ? UInt64.random(in: 1...30, using: &random) : nil
        for actor in actors {
            for history in actor.asked.values where history.type == nil || history.type == type {
                guard matches(history.pattern, channel), history.echo || actor !== poster else { continue }
                if history.policy == "fail" { unsure += 1 } else { matched += 1 }
                history.expected.append(
                    .init(
                        position: position, channel: channel, sequence: sequences[channel] ?? 0,
                        expires: timeToLive.map { stage.now.monotonic + $0 * 1_000_000 }, subject: subject,
                        priority: priority))
            }
        }
        var more = type.map { #","type":"\#($0)""# } ?? ""
        if priority != 1 { more += #","priority":"\#(priority == 0 ? "low" : "high")""# }
        if let subject { more += #","subject":"\#(subject)""# }
        if let timeToLive { more += #","ttl_ms":\#(timeToLive)"# }
        if isRetained {
            retained[channel] = (position, type)
            more += #","retain":true"#
        }
        if random.once(in: 8) { more += #","if_seq":\#((sequences[channel] ?? 0) - 1)"# }
        let padding = String(repeating: " ", count: Int.random(in: 0...200, using: &random))
        return (#""channel":"\#(channel)"\#(more),"payload":\#(padding)\#(position)"#, matched...matched + unsure)
    }

    private func post(_ actor: Actor) {
        let id = request()
        let uid = actor.client.peer.pointee.uid
        if random.once(in: 10), let first = unique.filter({ $0.uid == uid }).randomElement(using: &random) {
            // Said before: it has the same answer, and nobody gets it again.
            actor.receipts[id] = (first.position, first.matched)
            actor.client.send(#"{"op":"post","id":\#(id),\#(first.fields)}"#)
            return
        }
        var (fields, matched) = accept(from: actor)
        if random.once(in: 5) {
            fields = #""dedup":"\#(position)","# + fields
            unique.append((uid, fields, position, matched))
        }
        actor.receipts[id] = (position, matched)
        actor.client.send(#"{"op":"post","id":\#(id),\#(fields)}"#)
    }

    private func batch(_ actor: Actor) {
        let posts = (0..<Int.random(in: 1...15, using: &random)).map { _ in "{\(accept(from: actor).fields)}" }
        actor.client.send(#"{"op":"batch","posts":[\#(posts.joined(separator: ","))]}"#)
    }

    private func subscribe(_ actor: Actor) {
        let number = Int.random(in: 1...12, using: &random)
        guard actor.asked[number] == nil else { return }
        let history = History(
            label: "sub \(number) of client \(actor.client.number)", pattern: random.pick(Self.patterns),
            type: random.pick(["T", nil, nil]), echo: !random.once(in: 4),
            policy: random.pick(["newest", "newest", "oldest", "latest", "fail"]))
        let id = request()
        actor.asked[number] = history
        actor.meaning[id] = (number, history)
        histories.append(history)
        if random.once(in: 3) {
            history.replay =
                retained.filter { matches(history.pattern, $0.key) && (history.type ?? $0.value.type) == $0.value.type }
                .map(\.value.position).sorted()
        }
        let type =
            (history.type.map { #","type":"\#($0)""# } ?? "")
            + (history.replay.map { _ in #","replay":"retained""# } ?? "")
        let messages = Int.random(in: 1...12, using: &random)
        actor.client.send(
            #"{"op":"subscribe","id":\#(id),"sub":\#(number),"channel":"\#(history.pattern)","echo":\#(history.echo),"#
                + #""buffer":{"policy":"\#(history.policy)","messages":\#(messages),"bytes":3000}\#(type)}"#)
    }

    private func unsubscribe(_ actor: Actor) {
        guard let number = actor.asked.keys.sorted().randomElement(using: &random) else { return }
        actor.asked[number]?.isCut = true
        actor.asked[number] = nil
        let id = request()
        actor.meaning[id] = (number, nil)
        actor.client.send(#"{"op":"unsubscribe","id":\#(id),"sub":\#(number)}"#)
    }

    private func leave(_ actor: Actor) {
        listen(actor)
        for history in actor.asked.values { history.isCut = true }
        actors.removeAll { $0 === actor }
        stage.disconnect(actor.client)
    }

    /// Sorts what the client has read into the histories.
    private func listen(_ actor: Actor) {
        var isWhole = !actor.isInsideLine
        defer { actor.isInsideLine = actor.client.partial > 0 }
        for line in actor.client.read() {
            defer { isWhole = true }
            let number = line["sub"].int ?? -1
            switch line.op {
            case "ok":
                let id = line["id"].int ?? -1
                if let meaning = actor.meaning.removeValue(forKey: id) { actor.heard[meaning.number] = meaning.history }
                if let receipt = actor.receipts.removeValue(forKey: id) {
                    #expect(line["pos"].int == receipt.position)
                    #expect(receipt.matched.contains(line["matched"].int ?? -1))
                }
            case "message":
                #expect(actor.heard[number] != nil, "a message for a subscription that is not there")
                if line["replay"].bool == true {
                    #expect(actor.heard[number]?.isLive == false, "a replay after `live`")
                    actor.heard[number]?.replayed.append(line["payload"].int ?? -1)
                    continue
                }
                if let history = actor.heard[number] { #expect(history.isLive || history.replay == nil) }
                actor.heard[number]?.events.append(
                    .message(
                        position: line["pos"].int ?? -1, payload: line["payload"].int ?? -1,
                        time: isWhole ? stage.now.monotonic : 0))
            case "gap":
                #expect(actor.heard[number] != nil, "a gap for a subscription that is not there")
                actor.heard[number]?.events.append(
                    .gap(
                        .init(
                            channel: line["channel"].text, from: line["from"].int ?? -1, to: line["to"].int ?? -1,
                            count: line["count"].int ?? -1, reason: line["reason"].text, time: stage.now.monotonic)))
            case "live": actor.heard[number]?.isLive = true
            case "error": hear(error: line, number, actor)
            default: Issue.record("unexpected line \(line)")
            }
        }
    }

    private func hear(error line: JSON, _ number: Int, _ actor: Actor) {
        if line["code"].text == "unknown_subscription" {
            // It had ended before it was unsubscribed.
            let meaning = actor.meaning.removeValue(forKey: line["id"].int ?? -1)
            #expect(meaning != nil && meaning?.history == nil)
            return
        }
        #expect(line["code"].text == "overflow")
        guard let history = actor.heard[number] else {
            Issue.record("the end of a subscription that is not there")
            return
        }
        #expect(history.policy == "fail")
        history.hasEnded = true
        actor.heard[number] = nil
        if actor.asked[number] === history { actor.asked[number] = nil }
    }

    /// Everybody reads all there is; a last message to each channel brings out every gap; everybody leaves.
    func finish() {
        for actor in actors { actor.client.unblock() }
        let closer = Actor(stage.connect())
        actors.append(closer)
        for channel in Self.channels {
            for type in ["T", "U"] {
                position += 1
                sequences[channel, default: 0] += 1
                for history in actors.flatMap(\.asked.values)
                where matches(history.pattern, channel) && (history.type == nil || history.type == type) {
                    history.expected.append(
                        .init(position: position, channel: channel, sequence: sequences[channel] ?? 0))
                }
                closer.client.post(channel, "\(position)", more: #","type":"\#(type)""#)
            }
        }
        for actor in actors {
            listen(actor)
            #expect(actor.meaning.isEmpty && actor.receipts.isEmpty, "every request with an id is answered")
        }
        for actor in actors { stage.disconnect(actor.client) }
        actors = []
    }
}
