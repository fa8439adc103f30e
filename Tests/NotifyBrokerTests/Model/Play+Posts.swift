// Posts of a play, with all that may stand in them.

import NotifyTestSupport
import NotifyWire

@testable import NotifyBroker

extension Play {
    private static let channels = ["a", "a.b", "a.c", "b.c", "a.b.c", "p.a", "p.b"]

    private func isOn(_ feature: Feature, onceIn count: Int) -> Bool {
        random.once(in: count) && features.contains(feature)
    }

    private func milliseconds(_ range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &random) * 1_000_000
    }

    private func randomPost(of actor: Actor) -> ModelPost {
        var post = ModelPost(
            number: nextNumber(), channel: random.pick(Self.channels), type: random.pick(["T", "U", nil]),
            subject: random.pick(["s", "t", nil]), client: actor.number, uid: actor.uid)
        if features.contains(.priorities) { post.priority = random.pick([0, 1, 1, 2]) }
        if isOn(.retain, onceIn: 5) {
            post.isRetained = true
        } else if isOn(.timeToLive, onceIn: 3) {
            post.timeToLive = milliseconds(1...30)
        }
        return post
    }

    private func addConditions(to post: inout ModelPost, _ matched: ClosedRange<Int>) {
        if isOn(.dedup, onceIn: 6) { post.dedup = random.pick(["k", "l", "m"]) }
        if post.due != nil || post.coalesce != nil { return }
        if isOn(.ifSequence, onceIn: 6) {
            post.ifSequence = max(0, (model.sequences[post.channel] ?? 0) + random.pick([-1, 0, 0, 0, 1]))
        }
        // Whether one with policy `fail` is still there is not known.
        if matched.count == 1, isOn(.requireSubscribers, onceIn: 3) { post.requiresSubscribers = true }
    }

    /// How many subscriptions want it, as far as that is known: those with policy `fail` may have ended without their
    /// clients having read of it.
    private func matched(_ post: ModelPost) -> ClosedRange<Int> {
        let wanting = actors.flatMap(\.asked.values).filter { $0.wants(post) }
        let alone = wanting.filter { $0.circle == nil }
        let unsure = alone.filter { $0.wishes.policy == "fail" }.count
        let circles = Set(wanting.compactMap { $0.circle.map(ObjectIdentifier.init) }).count
        let most = alone.count + circles
        return (most - unsure)...most
    }

    /// The members of the request, but for `op` and `id`.
    private func members(of post: ModelPost) -> String {
        var text = #""channel":"\#(post.channel)""#
        if let type = post.type { text += #","type":"\#(type)""# }
        if let subject = post.subject { text += #","subject":"\#(subject)""# }
        if post.priority != 1 { text += #","priority":"\#(post.priority == 0 ? "low" : "high")""# }
        if post.isRetained { text += #","retain":true"# }
        if let timeToLive = post.timeToLive { text += #","ttl_ms":\#(timeToLive / 1_000_000)"# }
        if let due = post.due {
            let delay = due - stage.now.monotonic
            if post.isByWallClock {
                var formatter = TimestampFormatter()
                text += #","at":"\#(formatter.format(stage.now.wall + Int64(delay)).text)""#
            } else {
                text += #","delay_ms":\#(delay / 1_000_000)"#
            }
        }
        if let coalesce = post.coalesce { text += #","coalesce_ms":\#(coalesce / 1_000_000)"# }
        if let dedup = post.dedup { text += #","dedup":"\#(dedup)""# }
        if let expected = post.ifSequence { text += #","if_seq":\#(expected)"# }
        if post.requiresSubscribers { text += #","require_subscribers":true"# }
        let padding = String(repeating: " ", count: Int.random(in: 0...200, using: &random))
        return text + #","payload":\#(padding)\#(post.number)"#
    }

    func post(_ actor: Actor) {
        var post = randomPost(of: actor)
        if isOn(.schedules, onceIn: 6) {
            post.due = stage.now.monotonic + milliseconds(1...50)
            post.isByWallClock = random.once(in: 2)
        } else if isOn(.coalescing, onceIn: 4) {
            post.coalesce = milliseconds(1...20)
        }
        let matched = matched(post)
        addConditions(to: &post, matched)
        let members = members(of: post)
        let answer = model.answer(to: post, matched: matched)
        ask(actor, #""op":"post",\#(members)"#, meaning([(post, answer)], isBatch: false))
    }

    func batch(_ actor: Actor) {
        var batch: [(post: ModelPost, matched: ClosedRange<Int>)] = []
        for _ in 0..<Int.random(in: 1...15, using: &random) {
            var post = randomPost(of: actor)
            let matched = matched(post)
            // Most batches would be refused if all had conditions.
            if random.once(in: 4) { addConditions(to: &post, matched) }
            batch.append((post, matched))
        }
        let posts = batch.map { "{\(members(of: $0.post))}" }.joined(separator: ",")
        let answers = model.answer(toBatch: batch)
        let meaning: Actor.Meaning =
            if case .refused(let code)? = answers.first {
                .refused(code)
            } else {
                meaning(Array(zip(batch.map(\.post), answers)), isBatch: true)
            }
        ask(actor, #""op":"batch","posts":[\#(posts)]"#, meaning)
    }

    private func meaning(_ answers: [(ModelPost, Model.Answer)], isBatch: Bool) -> Actor.Meaning {
        if case .refused(let code)? = answers.first?.1 { return .refused(code) }
        var isStored = false
        var isLenient = false
        for case (let post, let answer) in answers where self.isStored(post) {
            // A double waits for the disk as long as anything does, or not at all.
            if case .duplicate = answer { isLenient = true } else { isStored = true }
        }
        return .posts(
            answers.map { ($0.number, $1) }, isBatch: isBatch, piece: isStored ? pieces.count : nil,
            isLenient: isLenient && !isStored)
    }

    func cancel(_ actor: Actor) {
        guard !schedules.isEmpty else { return }
        let number = random.pick(schedules.keys.sorted())
        let members = #""op":"cancel","schedule":\#(schedules[number] ?? 0)"#
        let isStored = model.posts[number].map(isStored) == true
        if let code = model.cancel(number, by: actor.uid) { return ask(actor, members, .refused(code)) }
        met.insert("a cancelled schedule")
        ask(actor, members, .ok(piece: isStored ? pieces.count : nil))
    }

    private func isStored(_ post: ModelPost) -> Bool { features.contains(.store) && post.isPersistent }

    func will(_ actor: Actor) {
        var will: ModelPost?
        if !random.once(in: 4) {
            will = randomPost(of: actor)
            will?.isWill = true
        }
        let text = will.map { #""op":"will",\#(members(of: $0))"# } ?? #""op":"will""#
        if let will, will.isPersistent, model.isFailing {
            // What there was stays.
            return ask(actor, text, .refused("storage_failed"))
        }
        if let older = actor.will { model.neverMake(older) }
        actor.will = will
        ask(actor, text, .ok(piece: nil))
    }
}
