// Persistent channels: what is posted on them goes to the store, and receipts, deliveries and everything else that tells
// of it wait until it is on disk. Other channels and those who have to do with them alone do not wait.

import NotifyWire

extension Broker {
    /// Whether something has to be written, with nothing else being written.
    package var hasUnstored: Bool {
        mutating get { !storage.operations.isEmpty && storage.writing == nil }
    }

    /// So much is collected that no more should be read before it is written.
    package var hasMuchUnstored: Bool { mutating get { storage.bytes > Limits.unstoredBytes } }

    /// Histories have lost messages that the store still has; that is no hurry.
    package var hasTrimmed: Bool { mutating get { !storage.touched.isEmpty && storage.writing == nil } }

    /// What is to be written next. `settle` has to follow before the next call.
    package mutating func takeOperations() -> [StoreOperation] {
        keepHistory()
        for channel in storage.touched {
            channel.pointee.isTouched = false
            guard channel.pointee.isPersistent, let lost = lost(of: channel) else { continue }
            storage.add(.trim(channel: [UInt8](channel.pointee.name), through: lost))
        }
        storage.touched = []
        return storage.take()
    }

    private func lost(of channel: ChannelRef) -> StoredLoss? {
        guard let history = channel.pointee.history else {
            return StoredLoss(sequence: channel.pointee.sequence, position: position, time: now.wall)
        }
        let lost = history.pointee.lost
        return lost.sequence == 0
            ? nil : StoredLoss(sequence: lost.sequence, position: lost.position, time: lost.wall)
    }

    /// What was taken is on disk, or could not be written for this reason: then posts are answered with an error, and
    /// further ones refused until a commit succeeds. (Those that were accepted stay so: the store keeps them and writes
    /// them with its next success.)
    package mutating func settle(failure: String?) {
        guard let piece = storage.writing else { return }
        storage.settle()
        storage.isFailing = failure != nil
        if !overdue.isEmpty { planLook() }
        let held = storage.held
        storage.held = []
        for peer in held {
            if failure != nil { failReceipts(of: peer, in: piece) }
            if storage.isSettled(peer.pointee.heldPiece) {
                peer.pointee.heldPiece = 0
            } else {
                storage.held.append(peer)
            }
            outbox.markOverdue(peer)
        }
    }

    /// Nothing is written to the peer before something is on disk: it is not the peer that is slow.
    package mutating func isHeld(_ peer: PeerRef) -> Bool {
        guard let line = peer.pointee.waiting else { return false }
        return !storage.isSettled(line.pointee.piece)
    }

    // MARK: Posting

    static var storageFailed: Refusal {
        Refusal(.storageFailed, "the daemon's store cannot be written; see its log")
    }

    /// Refuses what a store that fails cannot keep.
    mutating func checkStore(_ name: ByteSlice) -> Refusal? {
        guard storage.isFailing else { return nil }
        let rule = channels.find(name)?.pointee.rule ?? rules.find(name)
        return rules.persists(rule) ? Self.storageFailed : nil
    }

    /// Whoever gets the message that is about to be delivered on a persistent channel gets it when it is on disk.
    mutating func holdBackReaders(of channel: ChannelRef, _ request: RequestRef, from peer: PeerRef) {
        storage.delivering = storage.piece
        for index in 0..<channel.pointee.exact.count {
            holdBack(channel.pointee.exact[index], request, from: peer)
        }
        if channel.pointee.isWide {
            for index in 0..<patterns.wide.count { holdBack(patterns.wide[index], request, from: peer) }
        } else {
            for index in 0..<channel.pointee.wild.count {
                holdBack(channel.pointee.wild[index], request, from: peer)
            }
        }
    }

    private mutating func holdBack(_ subscription: SubscriptionRef, _ request: RequestRef, from peer: PeerRef) {
        if let extras = subscription.pointee.extras, !Self.admits(request, peer, extras) { return }
        if !subscription.pointee.echo, subscription.pointee.peer == peer { return }
        holdBack(subscription.pointee.peer, for: storage.piece)
    }

    /// A line of this piece comes into the peer's queue later than its message was accepted.
    mutating func holdBackIfUnsettled(_ peer: PeerRef, _ piece: UInt32) {
        // Who waits for the piece that is being collected is looked after until then.
        if piece != 0, !storage.isSettled(piece), peer.pointee.heldPiece != storage.piece { holdBack(peer, for: piece) }
    }

    /// The message that was just accepted on a persistent channel; its line is the first copy.
    mutating func store(_ channel: ChannelRef, isRetained: Bool) {
        storage.delivering = 0
        let copy = copies[0]
        let body = outbox.messages.slice(
            from: copy.start + MessageLine.headCount(sub: copy.number), to: copy.end - 1)
        let message = StoredMessage(
            sequence: channel.pointee.sequence, position: position, time: now.wall,
            expires: wallTime(of: expires), uid: senderUID, body: [UInt8](body))
        storage.add(.message(channel: [UInt8](channel.pointee.name), message, isRetained: isRetained))
        touch(channel)
        if storage.bytes > Limits.unstoredBytes { wantsWrite = true }
    }

    /// The key of a post that was accepted: with its message, or what it will be made from, or not at all.
    mutating func store(_ key: DedupTable.Key, _ answer: Answer, window: UInt64) {
        guard storage.isOn, key.withChannel({ channels.find($0)?.pointee.isPersistent }) == true else { return }
        storage.add(
            .remember(StoredKey(text: key.text, uid: key.uid, answer: answer, expires: now.wall + Int64(window))))
    }

    /// The store will be told what the channel's history has lost.
    mutating func touch(_ channel: ChannelRef) {
        guard channel.pointee.isPersistent, !channel.pointee.isTouched else { return }
        channel.pointee.isTouched = true
        storage.touched.append(channel)
    }

    /// The configuration has changed: the channel goes to the store as it is, or out of it.
    mutating func changePersistence(of channel: ChannelRef) {
        let persists = storage.isOn && rules.persists(channel.pointee.rule)
        guard persists != channel.pointee.isPersistent else { return }
        channel.pointee.isPersistent = persists
        usual = Usual()
        let name = [UInt8](channel.pointee.name)
        guard persists else {
            return storage.add(.forget(channel: name, sequence: channel.pointee.sequence, position: position))
        }
        touch(channel)
        var retained = channel.pointee.retained.map { stored($0) }
        var next = channel.pointee.history?.pointee.oldest
        if let message = retained, message.position < next?.pointee.position ?? .max {
            storage.add(.message(channel: name, message, isRetained: true))
            retained = nil
        }
        while let message = next {
            next = message.pointee.next
            let isRetained = message.pointee.position == retained?.position
            storage.add(.message(channel: name, stored(message), isRetained: isRetained))
        }
    }

    private func stored(_ message: PastRef) -> StoredMessage {
        StoredMessage(
            sequence: message.pointee.sequence, position: message.pointee.position, time: message.pointee.time.wall,
            expires: wallTime(of: message.pointee.expires), uid: message.pointee.uid,
            body: [UInt8](PastMessage.body(message)))
    }

    private func stored(_ retained: UnsafeMutablePointer<RetainedMessage>) -> StoredMessage {
        let expiry = retained.pointee.expiry
        return StoredMessage(
            sequence: retained.pointee.sequence, position: retained.pointee.position, time: now.wall,
            expires: wallTime(of: expiry.isNone ? 0 : deadlines.time(of: expiry)), uid: retained.pointee.labels.uid,
            body: [UInt8](retained.pointee.body))
    }

    /// Of a monotonic time at which something expires; 0: never.
    private func wallTime(of expires: UInt64) -> Int64? {
        expires == 0 ? nil : now.wall + Int64(expires) - Int64(now.monotonic)
    }

    // MARK: Waiting for the disk

    /// What is said to the peer from now on waits for the piece.
    private mutating func holdBack(_ peer: PeerRef, for piece: UInt32) {
        guard peer.pointee.heldPiece != piece, !peer.pointee.isDeaf else { return }
        if peer.pointee.heldPiece == 0 { storage.held.append(peer) }
        peer.pointee.heldPiece = piece
        postponeAll(of: peer)
        wait(reply: .empty, for: peer, piece: piece)
    }

    /// Whether the subscription's past may be of persistent channels.
    mutating func isForPersistent(_ subscription: SubscriptionRef) -> Bool {
        if let channel = subscription.pointee.channel { return channel.pointee.isPersistent }
        guard storage.pending != nil else { return false }
        spend(channels.count)
        var found = false
        channels.forEach { channel in
            found =
                channel.pointee.isPersistent && PatternName.matches(subscription.pointee.pattern, channel.pointee.name)
            return !found
        }
        return found
    }

    /// What is said to the peer from now on may tell of something that is not on disk yet.
    mutating func holdBackIfPending(_ peer: PeerRef) {
        if let piece = storage.pending { holdBack(peer, for: piece) }
    }

    /// Hands the peer the answer to a post that promises that it is on disk: what stands at the end of the log of
    /// replies, from `start` on, or nothing if none was wanted. It becomes an error if the disk fails.
    mutating func sayStored(from start: Int, to peer: PeerRef) {
        guard let piece = storage.pending, !peer.pointee.isDeaf else {
            if outbox.replies.count > start { sayReply(from: start, to: peer) }
            return
        }
        holdBack(peer, for: piece)
        let bytes = outbox.replies.slice(from: start, to: outbox.replies.count)
        wait(reply: bytes, for: peer, piece: piece)
        peer.pointee.lastWaiting?.pointee.isReceipt = true
        outbox.replies.truncate(to: start)
    }

    mutating func acknowledgeStored(_ request: Request, _ peer: PeerRef) {
        let start = outbox.replies.count
        if request.wantsReply {
            ControlLine.beginReply(to: &outbox.replies, id: request.id)
            ControlLine.endReply(to: &outbox.replies)
        }
        sayStored(from: start, to: peer)
    }

    /// The peer has gone, or reads nothing any more.
    mutating func noLongerHeld(_ peer: PeerRef) {
        guard peer.pointee.heldPiece != 0 else { return }
        peer.pointee.heldPiece = 0
        storage.held.removeAll { $0 == peer }
    }

    private mutating func failReceipts(of peer: PeerRef, in piece: UInt32) {
        var next = peer.pointee.waiting
        while let line = next {
            next = line.pointee.next
            guard line.pointee.isReceipt, line.pointee.piece == piece else { continue }
            scratch.clear(keeping: 64 << 10)
            let reply = ByteSlice(line.pointee.own.unsafelyUnwrapped, line.pointee.count)
            ControlLine.appendError(to: &scratch, id: ControlLine.id(of: reply), Self.storageFailed)
            counters.refused += 1
            peer.pointee.waitingReplyBytes += scratch.count - line.pointee.count
            line.pointee.replace(by: scratch.slice)
        }
    }
}
