// What a post may be conditional upon: that it has not been made before, that its channel stands where its poster thinks
// it does, that somebody gets it.

import NotifyWire

extension Broker {
    // MARK: dedup

    /// The answer to the first post with this key, while it is remembered.
    func firstAnswer(to key: DedupTable.Key) -> Answer? { dedup.answer(to: key, at: now.monotonic) }

    /// Whether all of these may be remembered.
    mutating func checkRoom(for keys: [DedupTable.Key], on account: AccountRef) -> Refusal? {
        dedup.forget(at: now.monotonic)
        let cost = keys.reduce(0) { $0 + DedupTable.cost($1) }
        return account.pointee.refusal(.dedupBytes, cost)
    }

    mutating func remember(_ key: DedupTable.Key, _ answer: Answer, on account: AccountRef) {
        let window = UInt64(limits.dedupWindowSeconds) * 1_000_000_000
        store(key, answer, window: window)
        remember(key, answer, on: account, until: now.monotonic + window)
    }

    mutating func remember(
        _ key: DedupTable.Key, _ answer: Answer, on account: AccountRef, until expires: UInt64
    ) {
        dedup.remember(key, answer, on: account, until: expires)
        planForgetting()
    }

    mutating func forgetKeys() {
        dedup.forget(at: now.monotonic)
        planForgetting()
    }

    private mutating func planForgetting() {
        guard dedupDeadline.isNone, let next = dedup.next else { return }
        // Many at a time, if there are many.
        dedupDeadline = deadlines.add(.dedup, at: max(next, now.monotonic + Limits.forgetNanoseconds))
    }

    // MARK: if_seq, require_subscribers

    /// `added` posts of the same batch go before this one to the same channel.
    mutating func checkConditions(_ request: RequestRef, _ peer: PeerRef, after added: UInt64 = 0) -> Refusal? {
        if let expected = request.pointee.terms.ifSequence {
            let known = channels.find(request.pointee.channel)?.pointee.sequence
            let sequence = (known ?? sequenceOfUnknown(rules.find(request.pointee.channel))) + added
            guard sequence == expected else {
                return Refusal(
                    .conflict, "channel '\(request.pointee.channel.excerpt)': its seq is \(sequence), not \(expected)",
                    sequence: sequence)
            }
        }
        guard request.pointee.terms.requireSubscribers, !hasSubscribers(request, peer) else { return nil }
        return Refusal(.noSubscribers, "channel '\(request.pointee.channel.excerpt)': no subscription would get it")
    }

    /// Whether a post of this request would match a subscription.
    private mutating func hasSubscribers(_ request: RequestRef, _ peer: PeerRef) -> Bool {
        if let channel = channels.find(request.pointee.channel) {
            if review != nil { leaveOutDenied(on: channel) }
            for index in 0..<channel.pointee.exact.count
            where Self.isFor(channel.pointee.exact[index], request, peer) {
                spend(index)
                return true
            }
            spend(channel.pointee.exact.count)
        }
        let found = patterns.contains(request.pointee.channel) { Self.isFor($0, request, peer) }
        spend(Limits.workPerPlace * found.places)
        return found.isThere
    }

    static func isFor(_ subscription: SubscriptionRef, _ request: RequestRef, _ peer: PeerRef) -> Bool {
        if let extras = subscription.pointee.extras, !admits(request, peer, extras) { return false }
        return subscription.pointee.echo || subscription.pointee.peer != peer
    }
}
