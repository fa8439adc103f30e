// What a broker has to answer to posts, and which of them it has to make: the rules of the protocol page, as plainly as
// they can be written down. Who gets a message that was made is not decided here: see `Life` and `Circle`.

struct Model {
    enum Answer {
        /// As many subscriptions get it.
        case made(matched: ClosedRange<Int>)
        case scheduled
        case held(hasReplaced: Bool)
        case refused(String)
        /// Answered like that post.
        case duplicate(of: Int)
    }

    enum Fate: Equatable {
        case never
        /// Made at this monotonic time.
        case once(UInt64)
    }

    private struct Key: Hashable {
        let uid: UInt32
        let channel: String
        let text: String

        init?(_ post: ModelPost) {
            guard let text = post.dedup else { return nil }
            (uid, channel, self.text) = (post.uid, post.channel, text)
        }
    }

    static let dedupWindow: UInt64 = 1_000_000_000

    private(set) var posts: [Int: ModelPost] = [:]
    /// Of each post whose fate is decided.
    private(set) var fates: [Int: Fate] = [:]
    /// When posts that were made began to live: when they were due, if the store kept them from being made then.
    private(set) var births: [Int: UInt64] = [:]
    private(set) var sequences: [String: Int] = [:]
    /// Posts that wait for their time.
    private(set) var scheduled: [Int: ModelPost] = [:]
    private var heldBack: [Topic: (post: ModelPost, due: UInt64)] = [:]
    private var remembered: [Key: (first: Int, expires: UInt64)] = [:]
    /// The store could not be written.
    var isFailing = false
    var now: UInt64 = 0

    /// Time goes by, and what is due is made, as far as it can be stored.
    mutating func pass(to time: UInt64) {
        now = time
        for post in scheduled.values {
            if let due = post.due, due <= now, !refusesToStore(post) { make(post, due: due) }
        }
        for (post, due) in heldBack.values where due <= now && !refusesToStore(post) { make(post, due: due) }
    }

    private mutating func make(_ post: ModelPost, due: UInt64 = .max) {
        fates[post.number] = .once(now)
        births[post.number] = min(now, due)
        sequences[post.channel, default: 0] += 1
        scheduled[post.number] = nil
        if heldBack[post.topic]?.post.number == post.number { heldBack[post.topic] = nil }
    }

    /// Not by its poster: by itself.
    mutating func makeWill(_ post: ModelPost) {
        posts[post.number] = post
        make(post)
    }

    /// Why it cannot be cancelled by this user; nil: it is.
    mutating func cancel(_ number: Int, by uid: UInt32) -> String? {
        guard let post = scheduled[number], post.uid == uid else { return "unknown_schedule" }
        if refusesToStore(post) { return "storage_failed" }
        neverMake(post)
        return nil
    }

    mutating func neverMake(_ post: ModelPost) {
        posts[post.number] = post
        fates[post.number] = .never
        scheduled[post.number] = nil
    }

    /// - Parameter matched: how many subscriptions want it.
    mutating func answer(to post: ModelPost, matched: ClosedRange<Int>) -> Answer {
        posts[post.number] = post
        if let first = first(of: post) {
            fates[post.number] = .never
            return refusesToStore(post) ? .refused("storage_failed") : .duplicate(of: first)
        }
        let answer = take(post, matched)
        if case .refused = answer { fates[post.number] = .never } else { remember(post) }
        return answer
    }

    private mutating func take(_ post: ModelPost, _ matched: ClosedRange<Int>) -> Answer {
        if refusesToStore(post) { return .refused("storage_failed") }
        if post.due != nil {
            scheduled[post.number] = post
            return .scheduled
        }
        if let coalesce = post.coalesce {
            let older = heldBack[post.topic]
            if let older { fates[older.post.number] = .never }
            heldBack[post.topic] = (post, min(now + coalesce, older?.due ?? .max))
            return .held(hasReplaced: older != nil)
        }
        overtake(post)
        if let code = condition(of: post, after: 0, matched) { return .refused(code) }
        make(post)
        return .made(matched: matched)
    }

    /// All of them, or none.
    mutating func answer(toBatch batch: [(post: ModelPost, matched: ClosedRange<Int>)]) -> [Answer] {
        for (post, _) in batch {
            posts[post.number] = post
            fates[post.number] = .never
            overtake(post)
        }
        var added: [String: Int] = [:]
        var answers: [Answer] = []
        var firsts: [Key: Int] = [:]
        for (post, matched) in batch {
            if let first = first(of: post) ?? Key(post).flatMap({ firsts[$0] }) {
                answers.append(.duplicate(of: first))
                continue
            }
            if let key = Key(post) { firsts[key] = post.number }
            if let code = condition(of: post, after: added[post.channel, default: 0], matched) {
                return [.refused(code)]
            }
            added[post.channel, default: 0] += 1
            answers.append(.made(matched: matched))
        }
        if batch.contains(where: { refusesToStore($0.post) }) { return [.refused("storage_failed")] }
        for (entry, answer) in zip(batch, answers) {
            guard case .made = answer else { continue }
            make(entry.post)
            remember(entry.post)
        }
        return answers
    }

    private func refusesToStore(_ post: ModelPost) -> Bool { isFailing && post.isPersistent }

    /// What is held back of the same comes first.
    private mutating func overtake(_ post: ModelPost) {
        guard let older = heldBack[post.topic], !refusesToStore(older.post) else { return }
        make(older.post, due: older.due)
    }

    private func condition(of post: ModelPost, after added: Int, _ matched: ClosedRange<Int>) -> String? {
        if let expected = post.ifSequence, sequences[post.channel, default: 0] + added != expected { return "conflict" }
        return post.requiresSubscribers && matched.upperBound == 0 ? "no_subscribers" : nil
    }

    private func first(of post: ModelPost) -> Int? {
        guard let known = Key(post).flatMap({ remembered[$0] }), known.expires > now else { return nil }
        return known.first
    }

    private mutating func remember(_ post: ModelPost) {
        if let key = Key(post) { remembered[key] = (post.number, now + Self.dedupWindow) }
    }
}
