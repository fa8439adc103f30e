// What happens to a message for which there is no room, by the policy of the subscription's buffer.

import NotifyWire

extension Broker {
    /// Makes room for the current message, of `count` bytes, at the end of the subscription's queue. Returns whether it
    /// has a place there now, and how many were lost for it or instead of it.
    mutating func makeRoom(
        for count: Int, _ channel: ChannelRef, _ sequence: UInt64, _ subscription: SubscriptionRef
    ) -> (hasRoom: Bool, lost: Int) {
        switch subscription.pointee.policy {
        case .newest: return dropOldest(for: count, channel, sequence, subscription)
        case .block:
            if fits(count, subscription) {
                holdIfFull(after: count, subscription)
                return (true, 0)
            }
            if isHeldBack(for: count, subscription) { return (true, 0) }
            return dropOldest(for: count, channel, sequence, subscription)
        case .latest:
            replaceLatest(channel, subscription)
            return dropOldest(for: count, channel, sequence, subscription)
        case .oldest:
            if fits(count, subscription) { return (true, 0) }
            recordLoss(channel, sequence, .overflow, of: subscription, before: nil)
            return (false, 1)
        case .fail:
            if fits(count, subscription) { return (true, 0) }
            overflow(subscription, channel, sequence)
            return (false, 1)
        }
    }

    /// There is no room for the current message anywhere.
    mutating func lose(_ channel: ChannelRef, _ sequence: UInt64, of subscription: SubscriptionRef) {
        if subscription.pointee.policy == .fail { return overflow(subscription, channel, sequence) }
        recordLoss(channel, sequence, .overflow, of: subscription, before: nil)
    }

    /// An empty queue takes a message however long it is, as far as the connection's own bound allows.
    private func fits(_ count: Int, _ subscription: SubscriptionRef) -> Bool {
        subscription.pointee.oldest == nil ? peerHasRoom(for: count, subscription) : hasRoom(for: count, subscription)
    }

    private func hasRoom(for count: Int, _ subscription: SubscriptionRef) -> Bool {
        subscription.pointee.waitingMessages < subscription.pointee.limitMessages
            && Int(subscription.pointee.waitingBytes) + count <= Int(subscription.pointee.limitBytes)
            && peerHasRoom(for: count, subscription)
    }

    func peerHasRoom(for count: Int, _ subscription: SubscriptionRef) -> Bool {
        subscription.pointee.peer.pointee.hasRoom(for: count)
    }

    /// Drops the oldest of the lowest priority until the message fits. If only more urgent ones are left, or the
    /// connection's own bound does not allow it even then, the message itself is the one that is lost.
    private mutating func dropOldest(
        for count: Int, _ channel: ChannelRef, _ sequence: UInt64, _ subscription: SubscriptionRef
    ) -> (hasRoom: Bool, lost: Int) {
        var lost = 0
        while !hasRoom(for: count, subscription), let line = subscription.pointee.oldestOfLowest,
            line.pointee.mark.priority <= mark.priority
        {
            if !hasExpired(line) { lost += 1 }
            drop(line, of: subscription, .overflow)
        }
        if fits(count, subscription) { return (true, lost) }
        recordLoss(channel, sequence, .overflow, of: subscription, before: nil)
        return (false, lost + 1)
    }

    /// Only the last message of a channel and subject waits.
    private mutating func replaceLatest(_ channel: ChannelRef, _ subscription: SubscriptionRef) {
        let topic = Topic(channel: channel, subject: mark.topic)
        guard let line = subscription.pointee.extras?.pointee.latest[topic] else { return }
        drop(line, of: subscription, .coalesced)
    }

    // MARK: fail

    /// The subscription has lost a message and ends, as soon as nothing is under way that names it.
    private mutating func overflow(_ subscription: SubscriptionRef, _ channel: ChannelRef, _ sequence: UInt64) {
        subscription.pointee.extras?.pointee.hasOverflowed = true
        if _slowPath(hasTraces) { traceLoss(channel, sequence, .overflow, of: subscription) }
        countLoss(of: subscription, .overflow)
        let waiting = "\(subscription.pointee.waitingMessages) messages, \(subscription.pointee.waitingBytes) bytes"
        let reason =
            "subscription \(subscription.pointee.number) to '\(subscription.pointee.pattern.text)' has ended: with "
            + "\(waiting) waiting there was no room for seq \(sequence) of '\(channel.pointee.name.text)'"
        overflowed.append((subscription, reason))
    }

    /// Ends the subscriptions that have overflowed: what waits for them is still sent, then an error tells of the end.
    mutating func endOverflowed() {
        let ended = overflowed
        overflowed = []
        for (subscription, reason) in ended {
            let peer = subscription.pointee.peer
            letGoOfQueue(of: subscription)
            keepPast(of: subscription)
            let refusal = Refusal(.overflow, reason, sub: subscription.pointee.number)
            remove(subscription)
            refuse(refusal, .empty, peer)
            if peer.pointee.inputEnded, peer.pointee.subscriptionCount == 0 { peer.pointee.isEnding = true }
        }
    }

    /// The subscription is about to end, and what waits for it is still sent.
    mutating func letGoOfQueue(of subscription: SubscriptionRef) {
        let peer = subscription.pointee.peer
        while let line = subscription.pointee.oldest {
            if hasExpired(line) {
                drop(line, of: subscription, .expired)
                continue
            }
            _ = tellGaps(before: line, of: subscription)
            detach(line, from: subscription)
            // It stays a message that waits: otherwise one client could have any number of full queues in turn.
            peer.pointee.waitingMessageBytes += line.pointee.count
        }
        tellGaps(of: subscription)
    }
}
