// What a new subscription is to get of the past: messages of all matching channels in the order they were posted, gaps
// where history does not reach back as far as was asked for, then `live`. Here it is settled for each channel which those
// are, at once as far as the channels are few; `Broker+Pieces.swift` says it, as far as the peer reads.

import NotifyWire

extension Broker {
    mutating func replayHistory(_ wanted: Replay, to subscription: SubscriptionRef) {
        guard !subscription.pointee.peer.pointee.isDeaf else { return }
        keepHistory()
        let start = outbox.replies.count
        var replay = wanted
        if case .after(let wantedPosition, let wantedEpoch) = wanted,
            wantedPosition > position || wantedEpoch != nil && wantedEpoch != epoch
        {
            // Its numbers mean nothing here: all that is there counts as after it.
            appendGap(sub: subscription.pointee.number, count: nil, reason: "epoch")
            replay = .last(.max)
        }
        let past = PastReplay.make(for: subscription, replay, tellsGaps: replay == wanted, end: position)
        if let channel = subscription.pointee.channel {
            if replay == wanted, isLostWithEarlierLife(channel, replay) {
                appendGap(sub: subscription.pointee.number, channel, count: nil, reason: "history")
            }
            past.pointee.heap.append(cursor(of: channel, replay))
        } else {
            if mayHaveLostChannels(matching: subscription.pointee.pattern, replay) {
                appendGap(sub: subscription.pointee.number, count: nil, reason: "history")
            }
            addChannels(for: subscription, to: past)
        }
        begin(past, from: start)
    }

    /// The retained messages of all matching channels in the order they were posted.
    mutating func replayRetained(to subscription: SubscriptionRef) {
        guard !subscription.pointee.peer.pointee.isDeaf else { return }
        let past = PastReplay.make(for: subscription, .retained, end: position)
        let pattern = subscription.pointee.pattern
        if let channel = subscription.pointee.channel {
            if channel.pointee.retained != nil { past.pointee.heap.append(cursor(of: channel, .retained)) }
        } else {
            spend(retainedChannels.count)
            for channel in retainedChannels
            where PatternName.matches(pattern, channel.pointee.name)
                && subscription.pointee.mayGet(channel.pointee.name)
            {
                past.pointee.heap.append(cursor(of: channel, .retained))
            }
        }
        begin(past, from: outbox.replies.count)
    }

    /// What a replay takes while it waits is never dropped: there must be room for it.
    mutating func checkReplay(_ request: Request, _ peer: PeerRef) -> Refusal? {
        guard request.wishes.replay != .none, PatternName.hasWildcards(request.channel) else { return nil }
        let size = MemoryLayout<PastCursor>.stride
        let most = request.wishes.replay == .retained ? retainedChannels.count : channels.count
        let room = max(Limits.shortAnswer, peer.pointee.room)
        guard most * size > room else { return nil }
        // How many others there are is not told.
        let profile = peer.pointee.profile
        spend(profile.pointee.mayListenAnywhere ? most : most * profile.pointee.cost)
        var count = 0
        if request.wishes.replay == .retained {
            for channel in retainedChannels
            where PatternName.matches(request.channel, channel.pointee.name)
                && profile.pointee.mayListen(to: channel.pointee.name)
            {
                count += 1
            }
        } else {
            channels.forEach { channel in
                if channel.pointee.lastPosition > 0, PatternName.matches(request.channel, channel.pointee.name),
                    profile.pointee.mayListen(to: channel.pointee.name)
                {
                    count += 1
                }
                return true
            }
        }
        return count * size > room ? tooLong(count * size, peer) : nil
    }

    private mutating func addChannels(for subscription: SubscriptionRef, to past: PastReplayRef) {
        spend(channels.count)
        let pattern = subscription.pointee.pattern
        let replay = past.pointee.wanted
        let known: UInt64 = if case .after(let position, _) = replay { position } else { 0 }
        channels.forEach { channel in
            if channel.pointee.lastPosition > known, PatternName.matches(pattern, channel.pointee.name),
                subscription.pointee.mayGet(channel.pointee.name)
            {
                past.pointee.heap.append(cursor(of: channel, replay))
            }
            return true
        }
    }

    /// What is known without a look at the messages.
    private func cursor(of channel: ChannelRef, _ replay: Replay) -> PastCursor {
        PastCursor(
            channel: channel, next: channel.pointee.sequence + 1, isUnkept: isWantedIfUnkept(channel, replay))
    }

    /// Whether messages are wanted that came while the configuration wanted no history, if there are any.
    private func isWantedIfUnkept(_ channel: ChannelRef, _ replay: Replay) -> Bool {
        guard channel.pointee.lastPosition > 0 else { return false }
        return switch replay {
        case .after(let position, _): channel.pointee.lastPosition > position
        case .since(let time): channel.pointee.lastPost(at: now) >= time
        case .last: true
        default: false
        }
    }

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

    /// What a channel that is not persistent had before the daemon began anew is lost, if there was any.
    private func isLostWithEarlierLife(_ channel: ChannelRef, _ replay: Replay) -> Bool {
        if channel.pointee.isPersistent { return false }
        switch replay {
        case .after(let position, _): return position < volatile.position
        case .since(let time): return time < volatile.wall
        default: return false
        }
    }

    // MARK: One channel

    /// Finds out what of one more channel is wanted and there, and what is missing.
    mutating func placeNext(of past: PastReplayRef) {
        guard var cursor = past.pointee.heap.unplaced else { return }
        if past.pointee.wanted == .retained {
            guard let retained = cursor.channel.pointee.retained?.pointee, retained.position <= past.pointee.end else {
                return past.pointee.heap.removeUnplaced()
            }
            (cursor.position, cursor.next, cursor.left) = (retained.position, retained.sequence, 1)
            return past.pointee.heap.place(cursor)
        }
        dropAged(of: cursor.channel)
        place(&cursor, past)
        if cursor.left == 0, cursor.missing == .nothing { return past.pointee.heap.removeUnplaced() }
        past.pointee.heap.place(cursor)
    }

    private func place(_ cursor: inout PastCursor, _ past: PastReplayRef) {
        let last = cursor.next - 1
        let isWanted = cursor.isUnkept
        let history = cursor.channel.pointee.history
        // Messages of the present may have been lost, too.
        let known = min(history?.pointee.lastSequence ?? 0, last)
        let lost = min(history?.pointee.lost.sequence ?? 0, last)
        cursor.position = min(history?.pointee.lost.position ?? 0, past.pointee.end)
        cursor.next = lost + 1
        if let history, known > lost { find(&cursor, in: history, kept: known - lost, past) }
        cursor.left = UInt32(known + 1 - cursor.next)
        cursor.isUnkept = isWanted && past.pointee.tellsGaps && known < last
        if cursor.isUnkept { cursor.left = UInt32(last - known) }
        // What was lost with channels that were forgotten is told once for a pattern, not for each channel.
        if let history, past.pointee.tellsGaps, lost > (past.pointee.isAlone ? 0 : history.pointee.base) {
            cursor.missing = missing(of: history, kept: known - lost, past.pointee.wanted)
            // When the last that is lost was accepted is no longer known, if it is not the last of all.
            if case .since = past.pointee.wanted, history.pointee.lost.sequence > last, !isWanted {
                cursor.missing = .nothing
            }
        }
    }

    /// Where the messages begin that are wanted. What came after one that is wanted is wanted, however somebody has set
    /// the clock.
    private func find(_ cursor: inout PastCursor, in history: HistoryRef, kept: UInt64, _ past: PastReplayRef) {
        var message = history.pointee.oldest
        let lost = history.pointee.lost
        switch past.pointee.wanted {
        case .after(let position, _) where lost.position <= position:
            while let each = message, each.pointee.position <= position { message = each.pointee.next }
        case .since(let time) where lost.wall < time:
            while let each = message, each.pointee.time.wall < time { message = each.pointee.next }
        case .last(let count) where kept > count || !past.pointee.filter.passesAll:
            // Looked for when its turn comes: with a filter that is a look at every message.
            if let message { cursor.position = message.pointee.position }
            if past.pointee.filter.passesAll { cursor.next += kept - UInt64(count) }
            return
        default: break
        }
        cursor.message = message
        cursor.next = min(message.map { $0.pointee.sequence } ?? .max, cursor.next + kept)
        if let message { cursor.position = message.pointee.position }
    }

    /// What of the wanted was lost before the oldest message that is there.
    private func missing(of history: HistoryRef, kept: UInt64, _ replay: Replay) -> PastCursor.Missing {
        let lost = history.pointee.lost
        return switch replay {
        case .after(let position, _) where lost.position > position: .all
        case .since(let time) where lost.wall >= time: .all
        case .last(let wanted) where kept < wanted && lost.sequence > history.pointee.base: .last
        default: .nothing
        }
    }
}
