// Subscriptions that ended because the access rules were changed: what the log is told. One for each client and right is
// kept, and so many in all; the others are counted.

package import NotifyWire

package struct Revocation: Sendable {
    package let client: UInt64
    package let pid: Int32
    package let identity: Identity
    package let sub: UInt32
    package let pattern: String
    package let right: Right
    /// nil: no rule allows it any more.
    package let rule: AccessRule?

    init(_ subscription: SubscriptionRef, _ right: Right) {
        let (peer, name) = (subscription.pointee.peer, subscription.pointee.pattern)
        let profile = peer.pointee.profile
        (client, pid, identity) = (peer.pointee.client, peer.pointee.pid, profile.pointee.identity)
        (sub, pattern) = (subscription.pointee.number, name.excerpt)
        self.right = right
        rule = profile.pointee.rule(denying: right, onAllOf: Broker.isTrace(name) ? Broker.traced(name) : name)
    }
}

package struct Revocations: Sendable {
    package private(set) var told: [Revocation] = []
    package private(set) var count = 0

    package init() {}

    mutating func add(_ subscription: SubscriptionRef, _ right: Right) {
        count += 1
        let client = subscription.pointee.peer.pointee.client
        guard told.count < Denial.limit, !told.contains(where: { $0.client == client && $0.right == right }) else {
            return
        }
        told.append(Revocation(subscription, right))
    }
}
