// Other access rules come into force while everybody is there.

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
        for case let peer? in peers {
            var next = peer.pointee.subscriptions
            while let subscription = next {
                next = subscription.pointee.nextOfPeer
                if let right = lostRight(of: subscription) { revoke(subscription, right) }
            }
            if peer.pointee.inputEnded, peer.pointee.subscriptionCount == 0 { peer.pointee.isEnding = true }
        }
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
        let lost = Self.rights(for: subscription.pointee.policy).first { right in
            subscription.pointee.channel == nil
                ? !profile.pointee.mayOnSome([right], of: pattern) : !profile.pointee.may(right, on: pattern)
        }
        return lost.map { AccessRules.right(for: $0, on: pattern) }
    }

    private mutating func revoke(_ subscription: SubscriptionRef, _ right: Right) {
        let peer = subscription.pointee.peer
        revocations.add(subscription, right)
        let (number, pattern) = (subscription.pointee.number, subscription.pointee.pattern.text)
        // The others of a group get what waits for it, if one of them still may.
        if !hasHeirs(subscription) {
            sendHeld(of: subscription)
            letGoOfQueue(of: subscription)
        }
        remove(subscription)
        let reason =
            "subscription \(number) to '\(pattern)' has ended: the access rules were changed, and deny the right "
            + "'\(right.name)' now"
        refuse(Refusal(.denied, reason, sub: number), .empty, peer)
    }

    private func hasHeirs(_ subscription: SubscriptionRef) -> Bool {
        guard let group = subscription.pointee.extras?.pointee.group else { return false }
        return group.pointee.members.contains { $0 != subscription && lostRight(of: $0) == nil }
    }
}
