// The queues of peers that do not read: lines come into them, are dropped from the middle, and leave at the front.

import NotifyWire

extension Broker {
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

    /// Writes on the line which message it is: the current one.
    func name(_ line: WaitingRef, _ channel: ChannelRef, _ sequence: UInt64) {
        line.pointee.channel = channel
        line.pointee.sequence = sequence
        line.pointee.expires = expires
        line.pointee.mark = mark
        channel.pointee.pins += 1
        // It may overtake the mark that others wait behind.
        line.pointee.piece = storage.delivering
    }

    /// Gives a line its place in the subscription's queue, in which there is room for it.
    mutating func append(
        _ line: WaitingRef, _ channel: ChannelRef, _ sequence: UInt64, to subscription: SubscriptionRef
    ) {
        let count = line.pointee.count
        if line.pointee.channel == nil { name(line, channel, sequence) }
        line.pointee.subscription = subscription
        line.pointee.since = now.monotonic
        let successor = subscription.pointee.insert(line)
        if successor == nil { takeLastGaps(line, of: subscription) }
        subscription.pointee.waitingMessages += 1
        subscription.pointee.waitingBytes += UInt32(count)
        subscription.pointee.delivered += 1
        subscription.pointee.peer.pointee.waitingMessageBytes += count
        counters.waitingMessages += 1
        counters.waitingBytes += count
        counters.mostWaitingBytes = max(counters.mostWaitingBytes, counters.waitingBytes)
        insert(line, before: successor, of: subscription.pointee.peer)
    }

    /// A reply, or another line that is never dropped.
    mutating func wait(reply bytes: ByteSlice, for peer: PeerRef, piece: UInt32 = 0) {
        let line = Waiting.make(bytes)
        line.pointee.piece = piece
        peer.pointee.waitingReplyBytes += bytes.count
        insert(line, before: nil, of: peer)
    }

    /// The same for a line, or the rest of one, that stands in the log of messages.
    mutating func waitUndroppable(from start: Int, to end: Int, for peer: PeerRef) {
        let line = Waiting.make(from: start, to: end)
        outbox.chunks.hold(line, outbox.messages)
        peer.pointee.waitingReplyBytes += end - start
        insert(line, before: nil, of: peer)
    }

    /// Gives the line its place in the order of the peer; nil: at the end.
    func insert(_ line: WaitingRef, before next: WaitingRef?, of peer: PeerRef) {
        let previous = if let next { next.pointee.previous } else { peer.pointee.lastWaiting }
        line.pointee.previous = previous
        line.pointee.next = next
        if let next { next.pointee.previous = line } else { peer.pointee.lastWaiting = line }
        if let previous { previous.pointee.next = line } else { peer.pointee.waiting = line }
    }

    /// Drops a waiting message of the subscription; a gap will tell of it.
    mutating func drop(_ line: WaitingRef, of subscription: SubscriptionRef, _ reason: GapReason) {
        guard let channel = line.pointee.channel else { preconditionFailure("only messages are dropped") }
        passOnGaps(of: line, subscription)
        subscription.pointee.delivered -= 1
        recordLoss(
            channel, line.pointee.sequence, hasExpired(line) ? .expired : reason, of: subscription,
            before: line.pointee.nextOfSubscription)
        let isSlow = subscription.pointee.isSlow
        discard(line, of: subscription.pointee.peer)
        // A queue that is empty because all was dropped has not been read.
        subscription.pointee.isSlow = isSlow
    }

    func hasExpired(_ line: WaitingRef) -> Bool {
        line.pointee.expires != 0 && line.pointee.expires <= now.monotonic
    }

    /// Takes a waiting line out of all lists and frees it.
    mutating func discard(_ line: WaitingRef, of peer: PeerRef) {
        if let subscription = line.pointee.subscription {
            detach(line, from: subscription)
        } else if line.pointee.channel != nil {
            peer.pointee.waitingMessageBytes -= line.pointee.count
        } else {
            peer.pointee.waitingReplyBytes -= line.pointee.count
            if line.pointee.past != nil { endPast(at: line, of: peer) }
        }
        if let gaps = line.pointee.gaps {
            line.pointee.gaps = nil
            free(gaps, of: peer)
        }
        let (previous, next) = (line.pointee.previous, line.pointee.next)
        if let previous { previous.pointee.next = next } else { peer.pointee.waiting = next }
        if let next { next.pointee.previous = previous } else { peer.pointee.lastWaiting = previous }
        outbox.chunks.release(line)
        Waiting.destroy(line)
    }

    /// The line is no longer part of its subscription's queue.
    mutating func detach(_ line: WaitingRef, from subscription: SubscriptionRef) {
        subscription.pointee.take(line)
        if subscription.pointee.oldest == nil { subscription.pointee.isSlow = false }
        subscription.pointee.waitingMessages -= 1
        subscription.pointee.waitingBytes -= UInt32(line.pointee.count)
        subscription.pointee.peer.pointee.waitingMessageBytes -= line.pointee.count
        counters.waitingMessages -= 1
        counters.waitingBytes -= line.pointee.count
        line.pointee.subscription = nil
    }

    /// The line can no longer be dropped: it counts as a reply.
    mutating func keep(_ line: WaitingRef, of subscription: SubscriptionRef) {
        detach(line, from: subscription)
        subscription.pointee.peer.pointee.waitingReplyBytes += line.pointee.count
        line.pointee.channel?.pointee.pins -= 1
        line.pointee.channel = nil
    }
}
