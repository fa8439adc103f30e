// Policy `block`: whoever posts to a subscription that has no room is not read from until there is some, or it has been
// waited for long enough; from then on, until there is room, the oldest messages are dropped as with `newest`.
//
// A subscription makes posters of its own user wait, and root's all of them. For other posters it is as with `newest`:
// otherwise anybody could stop the posts of anybody. Nobody waits for a queue of the own connection.

import NotifyWire

extension Broker {
    /// Whether the message may go beyond the bound of the queue, because its poster will wait. It does so once for each
    /// poster, or as a batch.
    mutating func isHeldBack(for count: Int, _ subscription: SubscriptionRef) -> Bool {
        guard let extras = subscription.pointee.extras, peerHasRoom(for: count, subscription) else { return false }
        let poster = holdable(by: subscription, extras)
        // It was given to the subscription already.
        if isPostponing {
            if let poster { hold(poster, for: subscription, extras) }
            return true
        }
        guard !extras.pointee.isImpatient, let poster, isInBatch || !extras.pointee.posters.contains(poster)
        else { return false }
        hold(poster, for: subscription, extras)
        return true
    }

    /// There is room for the message. If it takes the last of it, its poster waits before it can post another.
    mutating func holdIfFull(after count: Int, _ subscription: SubscriptionRef) {
        guard let extras = subscription.pointee.extras else { return }
        extras.pointee.isImpatient = false
        let isFull =
            subscription.pointee.waitingMessages + 1 >= subscription.pointee.limitMessages
            || Int(subscription.pointee.waitingBytes) + count >= Int(subscription.pointee.limitBytes)
            || !peerHasRoom(for: 2 * count, subscription)
        if isFull, let poster = holdable(by: subscription, extras) { hold(poster, for: subscription, extras) }
    }

    /// What was written for the subscription in this wake-up would fill its queue, if the kernel does not take it: that
    /// is seen next, and then this poster is the one that waits.
    func noteFiller(of subscription: SubscriptionRef) {
        guard let poster, let extras = subscription.pointee.extras, extras.pointee.policy == .block else { return }
        extras.pointee.filler = (outbox.wake, poster)
    }

    /// Who posted the message that comes into the queue, if it is somebody who waits for this queue. A line that was
    /// written earlier in this wake-up is not of the poster whose turn it is now.
    private func holdable(
        by subscription: SubscriptionRef, _ extras: UnsafeMutablePointer<Extras>
    ) -> PeerRef? {
        guard isPostponing else { return poster.flatMap { mayHold($0, subscription) ? $0 : nil } }
        guard let filler = extras.pointee.filler, filler.wake == outbox.wake, mayHold(filler.poster, subscription)
        else { return nil }
        return filler.poster
    }

    private func mayHold(_ poster: PeerRef, _ subscription: SubscriptionRef) -> Bool {
        let peer = subscription.pointee.peer
        return poster != peer && (peer.pointee.uid == poster.pointee.uid || peer.pointee.uid == 0)
            && self.peer(at: poster.pointee.slot) == poster && !poster.pointee.isDeaf && !isDraining
    }

    private mutating func hold(
        _ poster: PeerRef, for subscription: SubscriptionRef, _ extras: UnsafeMutablePointer<Extras>
    ) {
        if extras.pointee.posters.contains(poster) { return }
        extras.pointee.posters.append(poster)
        poster.pointee.holds += 1
        if extras.pointee.patience.isNone {
            let end = now.monotonic + UInt64(limits.blockMilliseconds) * 1_000_000
            extras.pointee.patience = deadlines.add(.patience(subscription), at: end)
            holding.append(subscription)
        }
    }

    /// It has been waited for long enough.
    mutating func losePatience(_ subscription: SubscriptionRef) {
        subscription.pointee.extras?.pointee.patience = .none
        subscription.pointee.extras?.pointee.isImpatient = true
        letGo(subscription)
    }

    /// Lets the posters go on that wait for queues in which there is room now.
    mutating func letGoWhereRoom() {
        for subscription in holding
        where subscription.pointee.waitingMessages < subscription.pointee.limitMessages
            && subscription.pointee.waitingBytes < subscription.pointee.limitBytes
            && peerHasRoom(for: 1, subscription)
        {
            letGo(subscription)
        }
    }

    /// Nobody waits for the subscription any more.
    mutating func letGo(_ subscription: SubscriptionRef) {
        guard let extras = subscription.pointee.extras, !extras.pointee.posters.isEmpty else { return }
        deadlines.cancel(&extras.pointee.patience)
        holding.removeAll { $0 == subscription }
        let posters = extras.pointee.posters
        extras.pointee.posters = []
        for poster in posters {
            poster.pointee.holds -= 1
            if poster.pointee.holds == 0 { released.append(poster.pointee.slot) }
        }
    }

    /// The poster is gone, or nobody reads what is answered to it: it waits for nothing.
    mutating func forgetHolds(of poster: PeerRef) {
        guard poster.pointee.holds > 0 else { return }
        for subscription in holding {
            guard let extras = subscription.pointee.extras else { continue }
            extras.pointee.posters.removeAll { $0 == poster }
            guard extras.pointee.posters.isEmpty else { continue }
            deadlines.cancel(&extras.pointee.patience)
            holding.removeAll { $0 == subscription }
        }
        poster.pointee.holds = 0
    }

    package var hasReleased: Bool { mutating get { !released.isEmpty } }

    /// Slots of peers whose requests may go on, as far as `holds` is concerned.
    package mutating func takeReleased() -> [Int] {
        defer { released = [] }
        return released
    }

    /// The daemon is about to stop: all that has been sent is read.
    package mutating func stopBlocking() {
        isDraining = true
        for subscription in holding { letGo(subscription) }
    }
}
