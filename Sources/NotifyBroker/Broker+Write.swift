// From the outbox to the kernel: which bytes a peer gets next, and what becomes of those that the kernel did not take.

package import NotifyWire

extension Broker {
    /// Whether this wake-up has said anything that was not handed on yet.
    package var hasOutput: Bool { mutating get { !outbox.isEmpty || !news.isEmpty && !newsWait } }

    /// The next peer of this wake-up that has something to be written; nil when all had their turn.
    package mutating func nextToWrite() -> PeerRef? {
        if !overflowed.isEmpty { endOverflowed() }
        while writeCursor < outbox.dirty.count {
            let peer = outbox.dirty[writeCursor]
            writeCursor += 1
            if outbox.hasRanges(peer) || peer.pointee.isOverdue {
                peer.pointee.isOverdue = false
                if _slowPath(peer.pointee.hasUntold), !peer.pointee.isBlocked { tellUntold(to: peer) }
                return peer
            }
        }
        return nil
    }

    /// The bytes to be written to the peer next, as slices for one write; empty when nothing is left. Valid until the
    /// next call of anything.
    package mutating func slices(for peer: PeerRef) -> UnsafeBufferPointer<ByteSlice> {
        if peer.pointee.isBlocked {
            let count = waitingSlices(peer)
            if peer.pointee.isBlocked { return UnsafeBufferPointer(start: slices, count: count) }
            // Nothing but marks waited: nothing is written after which losses would be told.
            if peer.pointee.hasUntold { tellUntold(to: peer) }
        }
        return UnsafeBufferPointer(start: slices, count: rangeSlices(peer))
    }

    private func rangeSlices(_ peer: PeerRef) -> Int {
        guard outbox.hasRanges(peer) else { return 0 }
        var count = 0
        var index = peer.pointee.firstRange
        while index >= 0, count < Limits.slicesPerWrite {
            let range = outbox.ranges[Int(index)]
            slices[count] = outbox.slice(range)
            count += 1
            index = range.next
        }
        return count
    }

    private mutating func waitingSlices(_ peer: PeerRef) -> Int {
        var count = 0
        var bytes = 0
        var next = peer.pointee.waiting
        while let line = next, count < Limits.slicesPerWrite, bytes < Limits.logBytes {
            if _slowPath(line.pointee.piece != 0) {
                if line.pointee.past != nil {
                    // A piece in each turn, and only when what was said before has been taken.
                    guard count == 0, let said = sayPiece(at: line, of: peer) else { break }
                    next = said
                    continue
                }
                guard storage.isSettled(line.pointee.piece) else { break }
                if line.pointee.count == 0 {
                    next = line.pointee.next
                    discard(line, of: peer)
                    continue
                }
            }
            if let subscription = line.pointee.subscription {
                if hasExpired(line) {
                    next = expire(line, of: subscription)
                    continue
                }
                if line.pointee.gaps != nil {
                    next = tellGaps(before: line, of: subscription)
                    continue
                }
            }
            let offset = line == peer.pointee.waiting ? peer.pointee.waitingOffset : 0
            slices[count] = outbox.slice(line, skipping: offset)
            bytes += line.pointee.count - offset
            count += 1
            next = line.pointee.next
        }
        return count
    }

    /// Drops a message whose time to live is over, instead of writing it; returns what is written in its place. Others
    /// of its subscription may have expired, too: the gap is told when one comes that has not, or none.
    private mutating func expire(_ line: WaitingRef, of subscription: SubscriptionRef) -> WaitingRef? {
        let next = line.pointee.next
        drop(line, of: subscription, .expired)
        return subscription.pointee.oldest == nil ? tellLastGaps(of: subscription, before: next) : next
    }

    /// The kernel took the first `count` bytes of the slices. Returns whether there is more that it might take now.
    package mutating func wrote(_ count: Int, to peer: PeerRef) -> Bool {
        counters.bytesOut += UInt64(count)
        peer.pointee.bytesOut += UInt64(count)
        if peer.pointee.isBlocked {
            advanceWaiting(peer, by: count)
            if _slowPath(!holding.isEmpty) { letGoWhereRoom() }
            // The next piece of the past has its turn when others have had theirs.
            return peer.pointee.isBlocked && !hasUnsaid(peer)
        }
        return advanceRanges(peer, by: count)
    }

    private mutating func advanceWaiting(_ peer: PeerRef, by count: Int) {
        var left = count
        /// Subscriptions of which nothing waits any more, and that lost something after that.
        var emptied: [SubscriptionRef] = []
        // Not to a mark behind what was written: the peer still waits for it.
        while left > 0, let line = peer.pointee.waiting {
            let rest = line.pointee.count - peer.pointee.waitingOffset
            guard left >= rest else { break }
            left -= rest
            peer.pointee.waitingOffset = 0
            if let subscription = line.pointee.subscription, subscription.pointee.gaps != nil {
                emptied.append(subscription)
            }
            discard(line, of: peer)
        }
        var next = peer.pointee.waiting
        if left > 0, let line = next {
            peer.pointee.waitingOffset += left
            next = line.pointee.next
            // A line that has begun to be sent can no longer be dropped.
            if let subscription = line.pointee.subscription {
                if subscription.pointee.gaps != nil { emptied.append(subscription) }
                keep(line, of: subscription)
            }
        }
        for subscription in emptied where subscription.pointee.oldest == nil {
            tellLastGaps(of: subscription, before: next)
        }
        if _slowPath(peer.pointee.hasUntold), !peer.pointee.isBlocked { tellUntold(to: peer) }
    }

    /// Skips `count` bytes of the peer's ranges. What was offered and not taken begins to wait.
    private mutating func advanceRanges(_ peer: PeerRef, by count: Int) -> Bool {
        var left = count
        var offered = 0
        var index = peer.pointee.firstRange
        while index >= 0 {
            let range = outbox.ranges[Int(index)]
            let length = range.end - range.start
            guard left >= length, offered < Limits.slicesPerWrite else { break }
            left -= length
            offered += 1
            index = range.next
        }
        if index < 0 {
            outbox.forgetRanges(of: peer)
            return false
        }
        if left == 0, offered == Limits.slicesPerWrite {
            peer.pointee.firstRange = index
            return true
        }
        postpone(peer, from: index, skipping: left)
        outbox.forgetRanges(of: peer)
        return false
    }

    /// Everything of this wake-up was written or waits.
    package mutating func endWakeUp() {
        if _slowPath(position > storage.reserveMark) { reserveNumbers() }
        if !outbox.isEmpty {
            keepHistory()
            outbox.clear()
        }
        outbox.chunks.keepProportion()
        writeCursor = 0
        wantsWrite = false
        if !departed.isEmpty { freeDeparted() }
        accounts.forgetSome(at: now.monotonic)
        if urgentPlaces > 0 || hasTooManyChannels { sweepUrgently() }
        scheduleSweep()
    }

    private mutating func freeDeparted() {
        for peer in departed {
            freeSlots.append(peer.pointee.slot)
            release(peer.pointee.profile)
            Self.free(peer)
        }
        departed.removeAll(keepingCapacity: true)
    }
}
