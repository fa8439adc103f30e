// What was lost, and where: each waiting line knows what its subscription lost before it, and the subscription what it
// lost after the last of them. Told when it is that place's turn to be written.

import NotifyWire

extension Broker {
    /// A message of the subscription is lost; `place` is the line before which it is missing, nil: all that wait.
    mutating func recordLoss(
        _ channel: ChannelRef, _ sequence: UInt64, _ reason: GapReason, of subscription: SubscriptionRef,
        before place: WaitingRef?
    ) {
        if _slowPath(hasTraces) { traceLoss(channel, sequence, reason, of: subscription) }
        let gap = GapList.Gap(channel: channel, reason: reason, from: sequence, to: sequence)
        let peer = subscription.pointee.peer
        let list = place.map { $0.pointee.gaps } ?? subscription.pointee.gaps
        if let list {
            add(gap, to: list, of: peer)
        } else {
            let list = GapList.make()
            add(gap, to: list, of: peer)
            put(list, before: place, of: subscription)
        }
        if place == nil { noteUntold(of: subscription) }
        countLoss(of: subscription, reason)
    }

    mutating func countLoss(of subscription: SubscriptionRef, _ reason: GapReason) {
        if reason == .coalesced {
            subscription.pointee.extras?.pointee.coalesced += 1
            return
        }
        subscription.pointee.dropped += 1
        subscription.pointee.peer.pointee.countDropped()
        counters.dropped += 1
        // What expires was given up by its poster, not by the subscription.
        guard reason == .overflow, !subscription.pointee.isSlow else { return }
        subscription.pointee.isSlow = true
        counters.slow += 1
        slow.append(SlowSubscription(subscription))
        announceSlowness(of: subscription)
    }

    /// What was lost before this line is missing before the next one of its subscription, because this one goes.
    func passOnGaps(of line: WaitingRef, _ subscription: SubscriptionRef) {
        guard let list = line.pointee.gaps else { return }
        line.pointee.gaps = nil
        let next = line.pointee.nextOfSubscription
        if let later = next.map({ $0.pointee.gaps }) ?? subscription.pointee.gaps {
            let peer = subscription.pointee.peer
            for gap in later.pointee.gaps { add(gap, to: list, of: peer) }
            free(later, of: peer)
        }
        put(list, before: next, of: subscription)
    }

    private func put(_ list: GapListRef, before place: WaitingRef?, of subscription: SubscriptionRef) {
        if let place { place.pointee.gaps = list } else { subscription.pointee.gaps = list }
    }

    private func add(_ gap: GapList.Gap, to list: GapListRef, of peer: PeerRef) {
        let before = list.pointee.gaps.count
        list.pointee.add(gap, mayGrow: peer.pointee.notes < Limits.notesPerClient)
        peer.pointee.notes += list.pointee.gaps.count - before
    }

    /// The line goes to another place than the one that was last: what was lost before it is told with what is lost
    /// after all that wait.
    mutating func leaveGaps(of line: WaitingRef, to subscription: SubscriptionRef) {
        guard let list = line.pointee.gaps else { return }
        line.pointee.gaps = nil
        leave(list, of: subscription.pointee.peer, to: subscription)
    }

    /// Adds to what the subscription lost after all that wait what `peer` has had to be told until now.
    mutating func leave(_ list: GapListRef, of peer: PeerRef, to subscription: SubscriptionRef) {
        let last = subscription.pointee.gaps ?? GapList.make()
        subscription.pointee.gaps = last
        for gap in list.pointee.gaps { add(gap, to: last, of: subscription.pointee.peer) }
        free(list, of: peer)
        noteUntold(of: subscription)
    }

    /// The line is the last one now: what was lost after the one before it is missing before this one.
    mutating func takeLastGaps(_ line: WaitingRef, of subscription: SubscriptionRef) {
        guard subscription.pointee.gaps != nil else { return }
        leaveGaps(of: line, to: subscription)
        line.pointee.gaps = subscription.pointee.gaps
        subscription.pointee.gaps = nil
    }

    func free(_ list: GapListRef, of peer: PeerRef) {
        peer.pointee.notes -= list.pointee.gaps.count
        GapList.destroy(list)
    }

    // MARK: Telling

    /// Nothing of the subscription waits that the loss could be told after: it is told when the peer has read all else,
    /// which may be now.
    private mutating func noteUntold(of subscription: SubscriptionRef) {
        guard subscription.pointee.oldest == nil else { return }
        subscription.pointee.peer.pointee.hasUntold = true
        outbox.markOverdue(subscription.pointee.peer)
    }

    /// The peer has read everything, or will with what is written to it now.
    mutating func tellUntold(to peer: PeerRef) {
        peer.pointee.hasUntold = false
        var next = peer.pointee.subscriptions
        while let subscription = next {
            next = subscription.pointee.nextOfPeer
            if subscription.pointee.gaps != nil { tellGaps(of: subscription) }
        }
    }

    /// Puts what was lost before this waiting message before it; returns the line that comes first now.
    mutating func tellGaps(before line: WaitingRef, of subscription: SubscriptionRef) -> WaitingRef {
        guard let list = line.pointee.gaps else { return line }
        line.pointee.gaps = nil
        return tell(list, of: subscription, before: line)
    }

    /// Puts what was lost after all that waited before this line of the peer (nil: at the end); returns the line that
    /// comes first there now.
    @discardableResult
    mutating func tellLastGaps(of subscription: SubscriptionRef, before line: WaitingRef?) -> WaitingRef? {
        guard let list = subscription.pointee.gaps else { return line }
        subscription.pointee.gaps = nil
        if subscription.pointee.oldest == nil { subscription.pointee.isSlow = false }
        return tell(list, of: subscription, before: line)
    }

    private mutating func tell(
        _ list: GapListRef, of subscription: SubscriptionRef, before line: WaitingRef?
    ) -> WaitingRef {
        scratch.clear(keeping: 64 << 10)
        Self.write(list, of: subscription, to: &scratch)
        free(list, of: subscription.pointee.peer)
        let told = Waiting.make(scratch.slice)
        let peer = subscription.pointee.peer
        peer.pointee.waitingReplyBytes += told.pointee.count
        insert(told, before: line, of: peer)
        return told
    }

    /// Tells what was lost after all that waited, to a peer that reads.
    mutating func tellGaps(of subscription: SubscriptionRef) {
        guard let list = subscription.pointee.gaps else { return }
        subscription.pointee.gaps = nil
        if subscription.pointee.oldest == nil { subscription.pointee.isSlow = false }
        let start = outbox.replies.count
        Self.write(list, of: subscription, to: &outbox.replies)
        free(list, of: subscription.pointee.peer)
        sayReply(from: start, to: subscription.pointee.peer)
    }

    private static func write(_ list: GapListRef, of subscription: SubscriptionRef, to log: inout ByteLog) {
        for gap in list.pointee.gaps {
            ControlLine.appendGap(
                to: &log, sub: subscription.pointee.number, channel: gap.channel?.pointee.name,
                from: gap.channel == nil ? nil : gap.from, to: gap.channel == nil ? nil : gap.to, count: gap.count,
                reason: gap.reason.name)
        }
    }
}
