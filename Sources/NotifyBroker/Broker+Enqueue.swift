// A line for a subscription: a range of the log while its peer reads, a waiting line with a bounded queue when it does
// not. Policy `newest`: when the queue is full, the oldest waiting message goes, and the gap is told in its place.

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

    /// Puts a message that stands in the log into the subscription's queue; returns how many it lost.
    mutating func wait(
        from start: Int, to end: Int, _ channel: ChannelRef, _ sequence: UInt64, for subscription: SubscriptionRef
    ) -> Int {
        let (hasRoom, lost) = makeRoom(for: end - start, channel, sequence, subscription)
        guard hasRoom else { return lost }
        let line = Waiting.make(from: start, to: end)
        outbox.chunks.hold(line, outbox.messages)
        append(line, channel, sequence, to: subscription)
        return lost
    }

    /// The same for one that stands nowhere: the line is `bytes` and `rest`.
    mutating func wait(
        _ bytes: ByteSlice, _ rest: ByteSlice, _ channel: ChannelRef, _ sequence: UInt64,
        for subscription: SubscriptionRef
    ) -> Int {
        let (hasRoom, lost) = makeRoom(for: bytes.count + rest.count, channel, sequence, subscription)
        guard hasRoom else { return lost }
        append(Waiting.make(bytes, rest), channel, sequence, to: subscription)
        return lost
    }

    /// Drops the oldest of the subscription until a line of `count` bytes fits. If the connection's own bound does not
    /// allow it even then, the subscription has nothing left to give, and the new message is the one that is lost.
    private mutating func makeRoom(
        for count: Int, _ channel: ChannelRef, _ sequence: UInt64, _ subscription: SubscriptionRef
    ) -> (hasRoom: Bool, lost: Int) {
        var lost = 0
        while let oldest = subscription.pointee.oldest, !hasRoom(for: count, subscription) {
            if !hasExpired(oldest) { lost += 1 }
            drop(oldest, of: subscription)
        }
        guard subscription.pointee.peer.pointee.waitingMessageBytes + count > limits.clientQueueBytes else {
            return (true, lost)
        }
        recordLoss(channel, sequence, .overflow, subscription)
        return (false, lost + 1)
    }

    private mutating func append(
        _ line: WaitingRef, _ channel: ChannelRef, _ sequence: UInt64, to subscription: SubscriptionRef
    ) {
        let count = line.pointee.count
        line.pointee.subscription = subscription
        line.pointee.channel = channel
        line.pointee.sequence = sequence
        line.pointee.expires = expires
        channel.pointee.pins += 1
        if let newest = subscription.pointee.newest {
            newest.pointee.nextOfSubscription = line
        } else {
            subscription.pointee.oldest = line
        }
        subscription.pointee.newest = line
        subscription.pointee.waitingMessages += 1
        subscription.pointee.waitingBytes += UInt32(count)
        subscription.pointee.delivered += 1
        subscription.pointee.peer.pointee.waitingMessageBytes += count
        counters.waitingMessages += 1
        counters.waitingBytes += count
        counters.mostWaitingBytes = max(counters.mostWaitingBytes, counters.waitingBytes)
        append(line, to: subscription.pointee.peer)
    }

    private func hasRoom(for count: Int, _ subscription: SubscriptionRef) -> Bool {
        subscription.pointee.waitingMessages < subscription.pointee.limitMessages
            && Int(subscription.pointee.waitingBytes) + count <= Int(subscription.pointee.limitBytes)
            && subscription.pointee.peer.pointee.waitingMessageBytes + count <= limits.clientQueueBytes
    }

    /// A reply, or another line that is never dropped.
    mutating func wait(reply bytes: ByteSlice, for peer: PeerRef) {
        let line = Waiting.make(bytes)
        peer.pointee.waitingReplyBytes += bytes.count
        append(line, to: peer)
    }

    /// The same for a line, or the rest of one, that stands in the log of messages.
    private mutating func waitUndroppable(from start: Int, to end: Int, for peer: PeerRef) {
        let line = Waiting.make(from: start, to: end)
        outbox.chunks.hold(line, outbox.messages)
        peer.pointee.waitingReplyBytes += end - start
        append(line, to: peer)
    }

    private func append(_ line: WaitingRef, to peer: PeerRef) {
        line.pointee.previous = peer.pointee.lastWaiting
        if let last = peer.pointee.lastWaiting { last.pointee.next = line } else { peer.pointee.waiting = line }
        peer.pointee.lastWaiting = line
    }

    /// Drops the oldest waiting line of the subscription; a gap will tell of it.
    mutating func drop(_ line: WaitingRef, of subscription: SubscriptionRef) {
        if let channel = line.pointee.channel {
            subscription.pointee.delivered -= 1
            recordLoss(channel, line.pointee.sequence, hasExpired(line) ? .expired : .overflow, subscription)
        }
        discard(line, of: subscription.pointee.peer)
    }

    func hasExpired(_ line: WaitingRef) -> Bool {
        line.pointee.expires != 0 && line.pointee.expires <= now.monotonic
    }

    private mutating func recordLoss(
        _ channel: ChannelRef, _ sequence: UInt64, _ reason: GapReason, _ subscription: SubscriptionRef
    ) {
        if subscription.pointee.gaps == nil { subscription.pointee.gaps = GapList.make() }
        subscription.pointee.gaps?.pointee.add(channel, sequence, reason)
        subscription.pointee.dropped += 1
        subscription.pointee.peer.pointee.countDropped()
        counters.dropped += 1
        // What expires was given up by its poster, not by the subscription.
        guard reason == .overflow, !subscription.pointee.isSlow else { return }
        subscription.pointee.isSlow = true
        slow.append(SlowSubscription(subscription))
    }

    /// Takes a waiting line out of all lists and frees it.
    mutating func discard(_ line: WaitingRef, of peer: PeerRef) {
        if let subscription = line.pointee.subscription {
            detach(line, from: subscription)
        } else {
            peer.pointee.waitingReplyBytes -= line.pointee.count
        }
        let (previous, next) = (line.pointee.previous, line.pointee.next)
        if let previous { previous.pointee.next = next } else { peer.pointee.waiting = next }
        if let next { next.pointee.previous = previous } else { peer.pointee.lastWaiting = previous }
        outbox.chunks.release(line)
        Waiting.destroy(line)
    }

    /// The line, the oldest of its subscription, is no longer part of its queue.
    mutating func detach(_ line: WaitingRef, from subscription: SubscriptionRef) {
        precondition(subscription.pointee.oldest == line, "lines leave a subscription's queue in order")
        subscription.pointee.oldest = line.pointee.nextOfSubscription
        if subscription.pointee.oldest == nil {
            subscription.pointee.newest = nil
            subscription.pointee.isSlow = false
        }
        subscription.pointee.waitingMessages -= 1
        subscription.pointee.waitingBytes -= UInt32(line.pointee.count)
        subscription.pointee.peer.pointee.waitingMessageBytes -= line.pointee.count
        counters.waitingMessages -= 1
        counters.waitingBytes -= line.pointee.count
        line.pointee.subscription = nil
        line.pointee.nextOfSubscription = nil
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
        let current = expires
        defer { expires = current }
        while start < end {
            let line = outbox.lines[index]
            if start == line.start, let subscription = peer.pointee.subscription(line.number),
                subscription.pointee.bornWake != outbox.wake || index >= Int(subscription.pointee.firstLine)
            {
                // It was counted when it was written to the log.
                subscription.pointee.delivered -= 1
                expires = line.expires
                _ = wait(from: start, to: line.end, line.channel, line.sequence, for: subscription)
            } else {
                // The rest of a line that has begun to be sent, or one of a subscription that ended since.
                waitUndroppable(from: start, to: line.end, for: peer)
            }
            start = line.end
            index += 1
        }
    }
}
