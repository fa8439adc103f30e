// What a new subscription gets of the past: messages of all matching channels in the order they were posted, gaps where
// history does not reach back as far as was asked for, then `live`. It is said in one piece, so nothing can come between
// the past and the present.

import NotifyWire

extension Broker {
    /// One message of a history, on its way to a subscription.
    private struct Found {
        var message: PastRef
        var channel: ChannelRef
    }

    mutating func replayHistory(_ wanted: Replay, to subscription: SubscriptionRef) {
        keepHistory()
        var replay = wanted
        if case .after(let wantedPosition, let wantedEpoch) = wanted,
            wantedPosition > position || wantedEpoch != nil && wantedEpoch != epoch
        {
            // Its numbers mean nothing here: all that is there counts as after it.
            tellGap(of: subscription, nil, count: nil, reason: "epoch")
            replay = .last(.max)
        }
        var found: [Found] = []
        if let channel = subscription.pointee.channel {
            search(channel, replay, tellsGaps: replay == wanted, subscription, &found)
        } else {
            if mayHaveLostChannels(matching: subscription.pointee.pattern, replay) {
                tellGap(of: subscription, nil, count: nil, reason: "history")
            }
            for channel in channelsWithPast(for: subscription) {
                search(channel, replay, tellsGaps: replay == wanted, subscription, &found)
            }
            found.sort { $0.message.pointee.position < $1.message.pointee.position }
        }
        spend(found.count)
        send(found, to: subscription)
        let start = outbox.replies.count
        ControlLine.appendLive(to: &outbox.replies, sub: subscription.pointee.number, position: position)
        sayReply(from: start, to: subscription.pointee.peer)
    }

    // MARK: Looking

    /// Of channels that were forgotten nobody knows whether they match.
    private func mayHaveLostChannels(matching pattern: ByteSlice, _ replay: Replay) -> Bool {
        switch replay {
        case .after(let wanted, _):
            wanted < forgottenPosition || wanted < volatile.position && !rules.persistAll(pattern)
        case .since(let wanted):
            wanted <= forgottenWall || wanted < volatile.wall && !rules.persistAll(pattern)
        default: false
        }
    }

    private mutating func channelsWithPast(for subscription: SubscriptionRef) -> [ChannelRef] {
        spend(channels.count)
        let pattern = subscription.pointee.pattern
        var matching: [ChannelRef] = []
        channels.forEach { channel in
            if channel.pointee.sequence > 0, PatternName.matches(pattern, channel.pointee.name),
                subscription.pointee.mayGet(channel.pointee.name)
            {
                matching.append(channel)
            }
            return true
        }
        return matching
    }

    /// The messages of one channel that are wanted and there; a gap is told for those that are there no longer.
    private mutating func search(
        _ channel: ChannelRef, _ replay: Replay, tellsGaps: Bool, _ subscription: SubscriptionRef,
        _ found: inout [Found]
    ) {
        if tellsGaps, subscription.pointee.channel != nil, isLostWithEarlierLife(channel, replay) {
            tellGap(of: subscription, channel, count: nil, reason: "history")
        }
        dropAged(of: channel)
        if tellsGaps { tellMissing(of: channel, replay, subscription) }
        guard let history = channel.pointee.history else { return }
        let first = found.count
        var next = history.pointee.oldest
        while let message = next {
            next = message.pointee.next
            let isWanted =
                switch replay {
                case .after(let position, _): message.pointee.position > position
                case .since(let time): message.pointee.time.wall >= time
                default: true
                }
            if isWanted, passes(message, subscription) { found.append(Found(message: message, channel: channel)) }
        }
        if case .last(let count) = replay, found.count - first > count {
            found.removeSubrange(first..<(found.count - count))
        }
    }

    /// What a channel that is not persistent had before the daemon began anew is lost, if there was any.
    private func isLostWithEarlierLife(_ channel: ChannelRef, _ replay: Replay) -> Bool {
        if channel.pointee.isPersistent { return false }
        switch replay {
        case .after(let position, _): return position < volatile.position
        case .since(let time): return time < volatile.wall
        default: return false
        }
    }

    private mutating func tellMissing(
        of channel: ChannelRef, _ replay: Replay, _ subscription: SubscriptionRef
    ) {
        let history = channel.pointee.history?.pointee
        let (lost, base, count) = (history?.lost ?? .init(), history?.base ?? 0, history?.count ?? 0)
        // What was lost with channels that were forgotten is told once for a pattern, not for each channel.
        if lost.sequence > (subscription.pointee.channel == nil ? base : 0) {
            switch replay {
            case .after(let position, _) where lost.position > position:
                tellGap(of: subscription, channel, to: lost.sequence, count: nil, reason: "history")
            case .since(let time) where lost.wall >= time:
                tellGap(of: subscription, channel, to: lost.sequence, count: nil, reason: "history")
            case .last(let wanted) where count < wanted && lost.sequence > base:
                let missing = min(UInt64(wanted - count), lost.sequence - base)
                // With a filter nobody knows how many of them would have passed.
                let isKnown = subscription.pointee.echo && subscription.pointee.extras?.pointee.isFiltered != true
                tellGap(
                    of: subscription, channel, from: lost.sequence - missing + 1, to: lost.sequence,
                    count: isKnown ? missing : nil, reason: "history")
            default: break
            }
        }
        tellUnkept(of: channel, after: history?.lastSequence ?? 0, replay, subscription)
    }

    /// The messages that came while the configuration wants no history.
    private mutating func tellUnkept(
        of channel: ChannelRef, after known: UInt64, _ replay: Replay, _ subscription: SubscriptionRef
    ) {
        guard channel.pointee.lastPosition > 0, channel.pointee.sequence > known else { return }
        let isWanted =
            switch replay {
            case .after(let position, _): channel.pointee.lastPosition > position
            case .since(let time): channel.pointee.lastPost(at: now) >= time
            case .last: true
            default: false
            }
        guard isWanted else { return }
        tellGap(of: subscription, channel, to: channel.pointee.sequence, count: nil, reason: "history")
    }

    private mutating func passes(_ message: PastRef, _ subscription: SubscriptionRef) -> Bool {
        if isEcho(PastMessage.body(message), to: subscription) { return false }
        guard let filter = subscription.pointee.extras?.pointee else { return true }
        if let uid = filter.fromUID, uid != message.pointee.uid { return false }
        guard filter.type != nil || filter.subject != nil else { return true }
        scratch.clear(keeping: 64 << 10)
        let labels = MessageLine.labels(of: PastMessage.body(message), decodingTo: &scratch)
        if let type = filter.type, !type.elementsEqual(labels.type.buffer) { return false }
        if let subject = filter.subject, !subject.elementsEqual(labels.subject.buffer) { return false }
        return true
    }

    // MARK: Saying

    /// Like answers, these lines are never dropped, and the peer's requests wait until it has read enough of them. One
    /// replay may take as much memory as a connection's queues, and as its share of what may wait; what is older is left
    /// out, and told.
    private mutating func send(_ found: [Found], to subscription: SubscriptionRef) {
        var room = subscription.pointee.peer.pointee.room
        var first = found.count
        while first > 0, Int(found[first - 1].message.pointee.count) <= room {
            first -= 1
            room -= Int(found[first].message.pointee.count)
        }
        tellLeftOut(found[..<first], to: subscription)
        let peer = subscription.pointee.peer
        for each in found[first...] {
            let message = each.message
            if message.pointee.expires != 0, message.pointee.expires <= now.monotonic {
                let sequence = message.pointee.sequence
                tellGap(of: subscription, each.channel, from: sequence, to: sequence, count: 1, reason: "expired")
                continue
            }
            sayReplayed(PastMessage.body(message), to: subscription)
            if outbox.replies.count > Limits.logBytes { postponeAll(of: peer) }
        }
    }

    private mutating func tellLeftOut(_ found: ArraySlice<Found>, to subscription: SubscriptionRef) {
        var gaps: [ChannelRef: (from: UInt64, to: UInt64, count: UInt64)] = [:]
        var order: [ChannelRef] = []
        for each in found {
            let sequence = each.message.pointee.sequence
            if gaps[each.channel] == nil { order.append(each.channel) }
            let gap = gaps[each.channel] ?? (sequence, sequence, 0)
            gaps[each.channel] = (gap.from, sequence, gap.count + 1)
        }
        for channel in order {
            guard let gap = gaps[channel] else { continue }
            tellGap(of: subscription, channel, from: gap.from, to: gap.to, count: gap.count, reason: "history")
        }
    }

    mutating func sayReplayed(_ body: ByteSlice, to subscription: SubscriptionRef) {
        let start = outbox.replies.count
        MessageLine.appendHead(to: &outbox.replies, sub: subscription.pointee.number, isReplay: true)
        outbox.replies.append(body)
        outbox.replies.append("\n")
        sayReply(from: start, to: subscription.pointee.peer)
        subscription.pointee.delivered += 1
        counters.deliveries += 1
    }

    private mutating func tellGap(
        of subscription: SubscriptionRef, _ channel: ChannelRef?, from: UInt64? = nil, to: UInt64? = nil,
        count: UInt64?, reason: StaticString
    ) {
        let start = outbox.replies.count
        ControlLine.appendGap(
            to: &outbox.replies, sub: subscription.pointee.number, channel: channel?.pointee.name, from: from, to: to,
            count: count, reason: reason)
        sayReply(from: start, to: subscription.pointee.peer)
    }
}
