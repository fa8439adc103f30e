// Other access rules come into force while everybody is there. Whether a subscription may go on is looked at in turns with
// what others want: they may be hundreds of thousands, and the rules a thousand. Nothing is delivered meanwhile to one that
// has not been looked at and may get it no longer: those to patterns are asked with every message that is the first on its
// channel since, and those to exactly that channel are then, too.

import NotifyWire

extension Broker {
    /// From now on these rules count. Subscriptions that may get nothing any more end, and are told; those to patterns lose
    /// the channels that they may no longer listen to, and get those that they may listen to now. What had come into a queue
    /// before is still delivered.
    package mutating func setAccess(_ rules: AccessRules) {
        guard rules != access.rules else { return }
        access.change(to: rules)
        usual = Usual()
        patterns.forgetMatches()
        review = Review()
        goOnReviewing()
    }

    /// How far the look at all subscriptions has come.
    struct Review {
        /// The place of the next client.
        var slot = 0
        /// The next subscription of the one before.
        var next: SubscriptionRef?
    }

    /// Short, as one follows the other.
    private static let workPerPiece = Limits.workPerTurn / 4

    /// Looks at as many as make one piece.
    mutating func goOnReviewing() {
        let start = work
        while work - start <= Self.workPerPiece, let current = review {
            if let subscription = current.next {
                review?.next = subscription.pointee.nextOfPeer
                spend(cost(of: subscription))
                if let right = lostRight(of: subscription) { revoke(subscription, right) }
            } else if current.slot < peers.count {
                review = Review(slot: current.slot + 1, next: peers[current.slot]?.pointee.subscriptions)
                spend(1)
            } else {
                review = nil
            }
        }
    }

    /// What it costs to look at it. Whether a pattern has something in common with others is more work than whether it
    /// matches a name.
    private func cost(of subscription: SubscriptionRef) -> Int {
        subscription.pointee.channel == nil
            ? Limits.workPerPlace * subscription.pointee.peer.pointee.profile.pointee.cost
            : subscription.pointee.peer.pointee.profile.pointee.cost
    }

    /// The next post on this channel goes to nobody who has lost the right and has not been looked at yet. Their
    /// subscriptions end when they are.
    mutating func leaveOutDenied(on channel: ChannelRef) {
        let search = patterns.beginSearch()
        var index = 0
        while index < channel.pointee.exact.count {
            let subscription = channel.pointee.exact[index]
            if subscription.pointee.mayGet(channel.pointee.name, search: search) {
                index += 1
            } else {
                channel.pointee.exact.swapRemove(at: index)?.pointee.position = UInt32(index)
                subscription.pointee.position = Subscription.nowhere
            }
        }
        spend(channel.pointee.exact.count)
    }

    package var hasRevocations: Bool { mutating get { revocations.count > 0 } }

    package mutating func takeRevocations() -> Revocations {
        defer { revocations = Revocations() }
        return revocations
    }

    /// The right without which the subscription gets nothing.
    private func lostRight(of subscription: SubscriptionRef) -> Right? {
        let (profile, pattern) = (subscription.pointee.peer.pointee.profile, subscription.pointee.pattern)
        if Self.isTrace(pattern) {
            return profile.pointee.mayOnSome([.observe], of: Self.traced(pattern)) ? nil : .observe
        }
        // It has missed something, whatever the rules are by now.
        if subscription.pointee.position == Subscription.nowhere { return AccessRules.right(for: .listen, on: pattern) }
        let lost = Self.rights(for: subscription.pointee.policy).first { right in
            subscription.pointee.channel == nil
                ? !profile.pointee.mayOnSome([right], of: pattern) : !profile.pointee.may(right, on: pattern)
        }
        return lost.map { AccessRules.right(for: $0, on: pattern) }
    }

    /// What the end of one costs, in subscriptions looked at: a line is written, and it is taken out of tables.
    private static let workPerEnd = 64

    private mutating func revoke(_ subscription: SubscriptionRef, _ right: Right) {
        let peer = subscription.pointee.peer
        revocations.add(subscription, right)
        spend(Self.workPerEnd)
        let (number, pattern) = (subscription.pointee.number, subscription.pointee.pattern.text)
        // The others of a group get what waits for it, if one of them still may.
        if !hasHeirs(subscription) {
            sendHeld(of: subscription)
            letGoOfQueue(of: subscription)
        }
        remove(subscription)
        if peer.pointee.inputEnded, peer.pointee.subscriptionCount == 0 { peer.pointee.isEnding = true }
        let reason =
            "subscription \(number) to '\(pattern)' has ended: the access rules were changed, and deny the right "
            + "'\(right.name)' now"
        refuse(Refusal(.denied, reason, sub: number), .empty, peer)
    }

    private mutating func hasHeirs(_ subscription: SubscriptionRef) -> Bool {
        guard let group = subscription.pointee.extras?.pointee.group else { return false }
        spend(group.pointee.members.count)
        // They have the same pattern: who may decides, and there are few of those.
        var known: [AccessProfileRef: (any: Bool, blocking: Bool)] = [:]
        for member in group.pointee.members where member != subscription {
            let (profile, isBlocking) = (member.pointee.peer.pointee.profile, member.pointee.policy == .block)
            var asked = known[profile] ?? (false, false)
            if isBlocking ? asked.blocking : asked.any { continue }
            spend(profile.pointee.cost)
            if lostRight(of: member) == nil { return true }
            if member.pointee.position == Subscription.nowhere { continue }
            if isBlocking { asked.blocking = true } else { asked.any = true }
            known[profile] = asked
        }
        return false
    }
}
