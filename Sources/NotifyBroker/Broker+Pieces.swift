// The past is said in pieces: a small one at once, of a large one as much as the peer takes, a piece in each of its
// turns. What is still to be said has a mark in the queue of waiting lines; the messages that come meanwhile wait behind
// it, bounded like any others. What has left the history before its turn has come is told in its place.

import NotifyWire

extension Broker {
    /// Says what fits into one piece; the rest waits.
    ///
    /// - Parameter start: what stands in the log of replies from there on goes before it.
    mutating func begin(_ past: PastReplayRef, from start: Int) {
        guard let subscription = past.pointee.subscription else { return }
        let peer = subscription.pointee.peer
        // What is known now can be told exactly, if it is lost before its turn.
        _ = place(past, steps: steps)
        let isComplete = !peer.pointee.isBlocked && appendPiece(of: past, for: peer)
        if outbox.replies.count > start { sayReply(from: start, to: peer) }
        if isComplete { return PastReplay.destroy(past) }
        if !peer.pointee.isBlocked { postponeAll(of: peer) }
        let line = Waiting.make(.empty)
        (line.pointee.piece, line.pointee.past) = (Waiting.pastMark, past)
        // What it takes is bounded by that: the peer's requests wait, if it asks for ever more.
        peer.pointee.waitingReplyBytes += past.pointee.bytes
        insert(line, before: nil, of: peer)
        unsaid.marks[subscription] = line
        unsaid.count += 1
    }

    /// The next call of `slices` makes one more piece for the peer, or looks for one and finds nothing yet.
    package mutating func hasUnsaid(_ peer: PeerRef) -> Bool {
        peer.pointee.waiting.map { $0.pointee.past != nil } ?? false
    }

    /// Replaces the mark by what is left, or puts the next piece before it. Returns the line that comes first now; nil:
    /// there was nothing to be said yet.
    mutating func sayPiece(at mark: WaitingRef, of peer: PeerRef) -> WaitingRef? {
        guard let past = mark.pointee.past else { return nil }
        let start = outbox.replies.count
        let isComplete = appendPiece(of: past, for: peer)
        let piece = outbox.replies.slice(from: start, to: outbox.replies.count)
        guard piece.count > 0 else { return nil }
        let line = Waiting.make(piece)
        outbox.replies.truncate(to: start)
        peer.pointee.waitingReplyBytes += line.pointee.count
        insert(line, before: mark, of: peer)
        if isComplete { discard(mark, of: peer) }
        return line
    }

    /// The subscription ends, but what it was to get of the past still comes.
    mutating func keepPast(of subscription: SubscriptionRef) {
        let mark = unsaid.marks.removeValue(forKey: subscription)
        mark?.pointee.past?.pointee.subscription = nil
    }

    mutating func discardPast(of subscription: SubscriptionRef) {
        if let mark = unsaid.marks[subscription] { discard(mark, of: subscription.pointee.peer) }
    }

    /// The mark goes.
    mutating func endPast(at mark: WaitingRef, of peer: PeerRef) {
        guard let past = mark.pointee.past else { return }
        mark.pointee.past = nil
        peer.pointee.waitingReplyBytes -= past.pointee.bytes
        counters.endedBytes += past.pointee.bytes
        if let subscription = past.pointee.subscription { unsaid.marks[subscription] = nil }
        unsaid.count -= 1
        PastReplay.destroy(past)
    }

    // MARK: A piece

    /// Bytes of one piece. Many that are under way share what is copied in a wake-up.
    private var share: Int {
        max(pieceBytes / 8, min(pieceBytes, 8 * pieceBytes / max(1, unsaid.count)))
    }

    /// Messages, or channels, that are looked at for one piece: those that do not pass take time, too.
    private var steps: Int { max(1, share / Limits.bytesPerStep) }

    /// Returns how many steps are left.
    private mutating func place(_ past: PastReplayRef, steps: Int) -> Int {
        var left = steps
        while past.pointee.heap.unplaced != nil, left > 0 {
            placeNext(of: past)
            left -= 1
        }
        spend(steps - left)
        return left
    }

    /// Writes the next piece to the log of replies; returns whether it was the last one.
    private mutating func appendPiece(of past: PastReplayRef, for peer: PeerRef) -> Bool {
        // What is said is never dropped: it has to find room among what may wait for the peer.
        let room = max(Limits.shortAnswer, peer.pointee.room)
        unsaid.limit = outbox.replies.count + room
        let end = outbox.replies.count + min(share, room / 2)
        let steps = place(past, steps: steps)
        var left = steps
        while !past.pointee.heap.isEmpty, left > 0, outbox.replies.count < end {
            step(past, peer)
            left -= 1
        }
        spend(steps - left)
        guard past.pointee.heap.isEmpty else { return false }
        ControlLine.appendLive(to: &outbox.replies, sub: past.pointee.number, position: past.pointee.end)
        return true
    }

    private mutating func step(_ past: PastReplayRef, _ peer: PeerRef) {
        guard var cursor = past.pointee.heap.first else { return }
        let profile = peer.pointee.profile
        if _slowPath(profile.pointee.number != past.pointee.rights),
            !profile.pointee.may(.listen, on: cursor.channel.pointee.name)
        {
            // The rules were changed: what has not been said does not come any more.
            return past.pointee.heap.removeFirst()
        }
        switch past.pointee.wanted {
        case .retained:
            appendRetained(cursor, past, peer)
            cursor.left = 0
        case .last(let count):
            appendMissing(before: &cursor, past, last: count)
            if cursor.message == nil, cursor.left > 0, !cursor.isUnkept, !past.pointee.filter.passesAll {
                findLast(count, &cursor, past, peer)
            } else {
                appendNext(&cursor, past, peer)
            }
        default:
            appendMissing(before: &cursor, past, last: .max)
            appendNext(&cursor, past, peer)
        }
        if cursor.left > 0 {
            past.pointee.heap.replaceFirst(by: cursor)
        } else {
            past.pointee.heap.removeFirst()
        }
    }

    /// What has been replaced, cleared or has expired meanwhile is no last value any more.
    private mutating func appendRetained(_ cursor: PastCursor, _ past: PastReplayRef, _ peer: PeerRef) {
        guard let retained = retained(on: cursor.channel)?.pointee, retained.sequence == cursor.next else { return }
        let filter = past.pointee.filter
        if let uid = filter.uid, uid != retained.labels.uid { return }
        if let type = filter.type, type != retained.labels.type { return }
        if let subject = filter.subject, subject != retained.labels.subject { return }
        if !filter.echo, isOwn(retained.body, of: peer) { return }
        append(retained.body, cursor.channel, retained.sequence, past, peer)
    }

    private mutating func appendNext(_ cursor: inout PastCursor, _ past: PastReplayRef, _ peer: PeerRef) {
        if cursor.isUnkept {
            appendGap(sub: past.pointee.number, cursor.channel, to: cursor.end - 1, count: nil, reason: "history")
            cursor.left = 0
        }
        guard cursor.left > 0, let history = cursor.channel.pointee.history else { return cursor.left = 0 }
        let lost = history.pointee.lost.sequence
        if cursor.next <= lost {
            let last = min(lost, cursor.end - 1)
            appendGap(
                sub: past.pointee.number, cursor.channel, from: cursor.next, to: last,
                count: past.pointee.filter.passesAll ? last - cursor.next + 1 : nil, reason: "history")
            return cursor.move(to: history.pointee.oldest)
        }
        guard let message = cursor.message else {
            var message = history.pointee.oldest
            while let each = message, each.pointee.sequence < cursor.next { message = each.pointee.next }
            return cursor.move(to: message)
        }
        append(message, cursor.channel, past, peer)
        cursor.move(to: message.pointee.next)
    }

    /// Only now it is seen which are the last that pass.
    private mutating func findLast(
        _ count: Int, _ cursor: inout PastCursor, _ past: PastReplayRef, _ peer: PeerRef
    ) {
        guard let history = cursor.channel.pointee.history else { return cursor.left = 0 }
        var passing: [PastRef] = []
        var message = history.pointee.oldest
        while let each = message, each.pointee.sequence < cursor.end {
            message = each.pointee.next
            if passes(each, past, peer) { passing.append(each) }
        }
        spend(history.pointee.count)
        let lost = history.pointee.lost.sequence
        if cursor.next <= lost, passing.count < count {
            appendGap(
                sub: past.pointee.number, cursor.channel, from: cursor.next, to: min(lost, cursor.end - 1),
                count: nil, reason: "history")
        }
        cursor.move(to: passing.suffix(count).first)
    }

    private mutating func appendMissing(before cursor: inout PastCursor, _ past: PastReplayRef, last count: Int) {
        let to = cursor.next - 1
        switch cursor.missing {
        case .nothing: return
        case .all: appendGap(sub: past.pointee.number, cursor.channel, to: to, count: nil, reason: "history")
        case .last:
            let base = cursor.channel.pointee.history?.pointee.base ?? 0
            let kept = cursor.isUnkept ? 0 : Int(cursor.left)
            let missing = min(UInt64(count - kept), to - base)
            // With a filter nobody knows how many of them would have passed.
            appendGap(
                sub: past.pointee.number, cursor.channel, from: to - missing + 1, to: to,
                count: past.pointee.filter.passesAll ? missing : nil, reason: "history")
        }
        cursor.missing = .nothing
    }

    // MARK: A line

    private mutating func append(
        _ message: PastRef, _ channel: ChannelRef, _ past: PastReplayRef, _ peer: PeerRef
    ) {
        guard passes(message, past, peer) else { return }
        if message.pointee.expires != 0, message.pointee.expires <= now.monotonic {
            let sequence = message.pointee.sequence
            appendGap(
                sub: past.pointee.number, channel, from: sequence, to: sequence, count: 1, reason: "expired")
        } else {
            append(PastMessage.body(message), channel, message.pointee.sequence, past, peer)
        }
    }

    private mutating func append(
        _ body: ByteSlice, _ channel: ChannelRef, _ sequence: UInt64, _ past: PastReplayRef, _ peer: PeerRef
    ) {
        guard outbox.replies.count + body.count <= unsaid.limit else {
            return appendGap(
                sub: past.pointee.number, channel, from: sequence, to: sequence, count: 1, reason: "overflow")
        }
        MessageLine.appendHead(to: &outbox.replies, sub: past.pointee.number, isReplay: true)
        outbox.replies.append(body)
        outbox.replies.append("\n")
        if let subscription = past.pointee.subscription {
            subscription.pointee.delivered += 1
        } else {
            peer.pointee.countDelivered(1)
        }
        counters.deliveries += 1
    }

    mutating func appendGap(
        sub: UInt32, _ channel: ChannelRef? = nil, from: UInt64? = nil, to: UInt64? = nil, count: UInt64?,
        reason: StaticString
    ) {
        ControlLine.appendGap(
            to: &outbox.replies, sub: sub, channel: channel?.pointee.name, from: from, to: to, count: count,
            reason: reason)
    }

    private mutating func passes(_ message: PastRef, _ past: PastReplayRef, _ peer: PeerRef) -> Bool {
        let filter = past.pointee.filter
        if filter.passesAll { return true }
        if !filter.echo, isOwn(PastMessage.body(message), of: peer) { return false }
        if let uid = filter.uid, uid != message.pointee.uid { return false }
        guard filter.type != nil || filter.subject != nil else { return true }
        scratch.clear(keeping: 64 << 10)
        let labels = MessageLine.labels(of: PastMessage.body(message), decodingTo: &scratch)
        if let type = filter.type, !type.elementsEqual(labels.type.buffer) { return false }
        if let subject = filter.subject, !subject.elementsEqual(labels.subject.buffer) { return false }
        return true
    }
}

/// The past that is still to be said.
struct Unsaid {
    /// The marks of those subscriptions that there still are.
    var marks: [SubscriptionRef: WaitingRef] = [:]
    /// How many marks there are.
    var count = 0
    /// Where in the log of replies the piece that is being made has to end.
    var limit = 0
}
