// A line for a subscription: a range of the log while its peer reads, a waiting line with a bounded queue when it does
// not.

import NotifyWire

extension Broker {
    /// Returns how many messages of the subscription were lost to make room.
    @inline(__always)
    mutating func enqueue(
        _ start: Int, _ end: Int, _ channel: ChannelRef, _ sequence: UInt64, for subscription: SubscriptionRef
    ) -> Int {
        let peer = subscription.pointee.peer
        counters.deliveries += 1
        if _slowPath(peer.pointee.isBlocked) {
            spend(Limits.workPerWait)
            return wait(from: start, to: end, channel, sequence, for: subscription)
        }
        if _slowPath(subscription.pointee.gaps != nil) { tellGaps(of: subscription) }
        if subscription.pointee.wake != outbox.wake {
            subscription.pointee.wake = outbox.wake
            subscription.pointee.pendingMessages = 0
            subscription.pointee.pendingBytes = 0
        }
        subscription.pointee.pendingMessages += 1
        subscription.pointee.pendingBytes += UInt32(end - start)
        subscription.pointee.delivered += 1
        outbox.append(start, end, isReply: false, to: peer)
        if _slowPath(
            subscription.pointee.pendingMessages >= subscription.pointee.limitMessages
                || subscription.pointee.pendingBytes >= subscription.pointee.limitBytes)
        {
            return reachedLimit(subscription)
        }
        return 0
    }

    /// What this wake-up wrote for the subscription fills its queue. Up to the limit it is written first, before more
    /// is read; past it (within one batch) the queue is made real and bounded now.
    private mutating func reachedLimit(_ subscription: SubscriptionRef) -> Int {
        wantsWrite = true
        if _slowPath(blocking > 0) { noteFiller(of: subscription) }
        guard
            subscription.pointee.pendingMessages > subscription.pointee.limitMessages
                || subscription.pointee.pendingBytes > subscription.pointee.limitBytes
        else { return 0 }
        let before = subscription.pointee.dropped
        postponeAll(of: subscription.pointee.peer)
        return Int(subscription.pointee.dropped - before)
    }

    /// Nothing of what the peer gets in this wake-up is offered to the kernel as ranges: all of it waits, to be
    /// written as soon as it is the peer's turn.
    mutating func postponeAll(of peer: PeerRef) {
        if outbox.hasRanges(peer) {
            postpone(peer, from: peer.pointee.firstRange, skipping: 0)
            outbox.forgetRanges(of: peer)
        }
        outbox.markOverdue(peer)
    }

    // MARK: What the kernel did not take

    /// Turns the peer's ranges, from `first` on and without its first `skipped` bytes, into waiting lines.
    mutating func postpone(_ peer: PeerRef, from first: Int32, skipping skipped: Int) {
        var index = first
        var skipped = skipped
        while index >= 0 {
            let range = outbox.ranges[Int(index)]
            let start = range.start + skipped
            skipped = 0
            if range.isReply {
                wait(reply: outbox.replies.slice(from: start, to: range.end), for: peer)
            } else {
                postponeMessages(from: start, to: range.end, for: peer)
            }
            index = range.next
        }
    }

    private mutating func postponeMessages(from start: Int, to end: Int, for peer: PeerRef) {
        var start = start
        var index = outbox.firstLine(after: start)
        // Another message may be on its way just now.
        let current = (expires, mark, storage.delivering, isPostponing)
        defer { (expires, mark, storage.delivering, isPostponing) = current }
        // Nothing that waits for the disk was ever written for a peer that reads.
        (storage.delivering, isPostponing) = (0, true)
        while start < end {
            let line = outbox.lines[index]
            if start == line.start, let subscription = peer.pointee.subscription(line.number),
                subscription.pointee.bornWake != outbox.wake || index >= Int(subscription.pointee.firstLine)
            {
                // It was counted when it was written to the log.
                subscription.pointee.delivered -= 1
                (expires, mark) = (line.expires, line.mark)
                if subscription.pointee.extras?.pointee.hasOverflowed != true {
                    _ = wait(from: start, to: line.end, line.channel, line.sequence, for: subscription)
                }
            } else {
                // The rest of a line that has begun to be sent, or one of a subscription that ended since.
                waitUndroppable(from: start, to: line.end, for: peer)
            }
            start = line.end
            index += 1
        }
    }
}
