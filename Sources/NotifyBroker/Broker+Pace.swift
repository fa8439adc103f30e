// Who has asked for a `min_interval_ms` gets the current message now, or it is held until its time has come.

import NotifyWire

extension Broker {
    /// Returns how many messages the subscription has lost for it, or with it.
    mutating func pace(_ request: RequestRef, on channel: ChannelRef, to subscription: SubscriptionRef) -> Int {
        guard let extras = subscription.pointee.extras else { return give(request, on: channel, to: subscription) }
        let topic = Topic(channel: channel, subject: mark.topic)
        if let pace = extras.pointee.paces[topic] { return hold(request, on: channel, pace) }
        let peer = subscription.pointee.peer
        guard peer.pointee.notes < Limits.notesPerClient else {
            lose(channel, channel.pointee.sequence, of: subscription)
            return 1
        }
        let pace = Pace.make(subscription, topic)
        pace.pointee.deadline = deadlines.add(.paced(pace), at: now.monotonic + extras.pointee.interval)
        extras.pointee.paces[topic] = pace
        peer.pointee.notes += 1
        return give(request, on: channel, to: subscription)
    }

    /// The message takes the place of the one that is held.
    private mutating func hold(_ request: RequestRef, on channel: ChannelRef, _ pace: PaceRef) -> Int {
        let subscription = pace.pointee.subscription
        let peer = subscription.pointee.peer
        let line = makeLine(for: subscription.pointee.number, request, on: channel)
        name(line, channel, channel.pointee.sequence)
        if let replaced = pace.pointee.line {
            pace.pointee.line = nil
            line.pointee.gaps = replaced.pointee.gaps
            replaced.pointee.gaps = nil
            recordLoss(
                channel, replaced.pointee.sequence, hasExpired(replaced) ? .expired : .coalesced, of: subscription,
                before: line)
            giveUp(held: replaced, of: peer)
        }
        guard peer.pointee.hasRoom(for: line.pointee.count) else {
            leaveGaps(of: line, to: subscription)
            lose(channel, line.pointee.sequence, of: subscription)
            outbox.chunks.release(line)
            Waiting.destroy(line)
            return 1
        }
        peer.pointee.waitingMessageBytes += line.pointee.count
        pace.pointee.line = line
        pace.pointee.held = position
        return 0
    }

    /// The interval is over: what is held goes, or the topic is forgotten.
    mutating func endInterval(_ pace: PaceRef) {
        pace.pointee.deadline = .none
        let subscription = pace.pointee.subscription
        guard let line = pace.pointee.line, let extras = subscription.pointee.extras else { return forget(pace) }
        pace.pointee.deadline = deadlines.add(.paced(pace), at: now.monotonic + extras.pointee.interval)
        send(held: line, pace)
    }

    /// Puts the line that is held into the subscription's queue.
    private mutating func send(held line: WaitingRef, _ pace: PaceRef) {
        let subscription = pace.pointee.subscription
        let peer = subscription.pointee.peer
        pace.pointee.line = nil
        peer.pointee.waitingMessageBytes -= line.pointee.count
        if subscription.pointee.extras?.pointee.hasOverflowed == true {
            peer.pointee.waitingMessageBytes += line.pointee.count
            return giveUp(held: line, of: peer)
        }
        if !peer.pointee.isBlocked { postponeAll(of: peer) }
        let (channel, sequence) = (pace.pointee.topic.channel, line.pointee.sequence)
        let current = (expires, mark)
        (expires, mark) = (line.pointee.expires, line.pointee.mark)
        defer { (expires, mark) = current }
        let reason: GapReason? =
            if hasExpired(line) {
                .expired
            } else {
                makeRoom(for: line.pointee.count, channel, sequence, subscription).hasRoom ? nil : .overflow
            }
        guard let reason else {
            counters.deliveries += 1
            holdBackIfUnsettled(peer, line.pointee.piece)
            return append(line, channel, sequence, to: subscription)
        }
        leaveGaps(of: line, to: subscription)
        if reason == .expired { recordLoss(channel, sequence, .expired, of: subscription, before: nil) }
        outbox.chunks.release(line)
        Waiting.destroy(line)
    }

    mutating func giveUp(held line: WaitingRef, of peer: PeerRef) {
        peer.pointee.waitingMessageBytes -= line.pointee.count
        if let gaps = line.pointee.gaps {
            line.pointee.gaps = nil
            free(gaps, of: peer)
        }
        outbox.chunks.release(line)
        Waiting.destroy(line)
    }

    private mutating func forget(_ pace: PaceRef) {
        let subscription = pace.pointee.subscription
        let peer = subscription.pointee.peer
        deadlines.cancel(&pace.pointee.deadline)
        if let line = pace.pointee.line {
            pace.pointee.line = nil
            giveUp(held: line, of: peer)
        }
        subscription.pointee.extras?.pointee.paces[pace.pointee.topic] = nil
        peer.pointee.notes -= 1
        Pace.destroy(pace)
    }

    /// The subscription is about to end: what is held goes now, in the order of the posts.
    mutating func sendHeld(of subscription: SubscriptionRef) {
        for pace in heldPaces(of: subscription) {
            if let line = pace.pointee.line { send(held: line, pace) }
        }
    }

    /// Those with a message that is held, in the order of the posts.
    func heldPaces(of subscription: SubscriptionRef) -> [PaceRef] {
        guard let extras = subscription.pointee.extras else { return [] }
        let held = extras.pointee.paces.values.filter { $0.pointee.line != nil }
        return held.sorted { $0.pointee.held < $1.pointee.held }
    }

    mutating func forgetPaces(of subscription: SubscriptionRef) {
        guard let extras = subscription.pointee.extras else { return }
        for pace in extras.pointee.paces.values { forget(pace) }
    }
}
