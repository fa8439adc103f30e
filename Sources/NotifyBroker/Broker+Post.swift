// A post: number it, write its line once for each `sub` it goes out under, and give every matching subscription the
// range.

import NotifyWire

extension Broker {
    mutating func post(_ request: RequestRef, from peer: PeerRef) {
        let (target, refusal) = channel(toPostTo: request, peer)
        guard let target else {
            guard let refusal else { return postOnTerms(request, from: peer) }
            return refuse(refusal, post: request, peer)
        }
        if _slowPath(!held.coalesced.isEmpty) { overtake(target, request.pointee.subject) }
        let receipt = accept(request, on: target, from: peer)
        if _slowPath(target.pointee.isPersistent) { return sayStoredReceipt(receipt, request, to: peer) }
        guard request.pointee.id.count > 0 else { return }
        let start = outbox.replies.count
        ControlLine.appendReceipt(
            to: &outbox.replies, id: request.pointee.id, sequence: receipt.sequence, position: receipt.position,
            matched: receipt.matched, dropped: receipt.dropped)
        sayReply(from: start, to: peer)
    }

    private mutating func sayStoredReceipt(_ receipt: Receipt, _ request: RequestRef, to peer: PeerRef) {
        let start = outbox.replies.count
        if request.pointee.wantsReply {
            ControlLine.appendReceipt(
                to: &outbox.replies, id: request.pointee.id, sequence: receipt.sequence, position: receipt.position,
                matched: receipt.matched, dropped: receipt.dropped)
        }
        sayStored(from: start, to: peer)
    }

    // MARK: May it be posted?

    /// Neither a channel nor a refusal: the post has terms.
    @inline(__always)
    private mutating func channel(toPostTo request: RequestRef, _ peer: PeerRef) -> (ChannelRef?, Refusal?) {
        if request.pointee.envelope != 0, request.pointee.envelope == usual.envelope,
            peer.pointee.profile == usual.profile
        {
            return (usual.channel, nil)
        }
        if !request.pointee.present.isDisjoint(with: .terms) { return (nil, nil) }
        if let known = channels.find(request.pointee.channel), !request.pointee.retain, !known.pointee.isPersistent,
            !ChannelName.isReserved(request.pointee.channel), mayPost(peer, on: known)
        {
            if request.pointee.envelope != 0 {
                usual = Usual(
                    envelope: request.pointee.envelope, channel: known, profile: peer.pointee.profile)
            }
            return (known, nil)
        }
        if let refusal = checkPost(request, peer) { return (nil, refusal) }
        return (makeChannel(request.pointee.channel), nil)
    }

    mutating func checkPost(_ request: RequestRef, _ peer: PeerRef) -> Refusal? {
        if let fault = ChannelName.fault(in: request.pointee.channel) {
            return .invalidChannel(request.pointee.channel, fault)
        }
        if ChannelName.isReserved(request.pointee.channel) {
            return Self.reserved(request.pointee.channel)
        }
        if let refusal = check(.post, on: request.pointee.channel, peer) { return refusal }
        if request.pointee.retain, let refusal = checkRetained(request, peer.pointee.account) { return refusal }
        return checkChannelQuota(request.pointee.channel) ?? checkStore(request.pointee.channel)
    }

    mutating func checkChannelQuota(_ name: ByteSlice) -> Refusal? {
        guard channels.count >= 2 * limits.channels, channels.find(name) == nil else { return nil }
        hastenSweep()
        return channelQuota
    }

    /// Idle channels are forgotten beyond the limit; those in use may be twice as many.
    var channelQuota: Refusal {
        Refusal(
            .quotaExceeded, "limit 'channels' of the daemon is \(limits.channels), and twice as many are in use")
    }

    static func reserved(_ channel: ByteSlice) -> Refusal {
        Refusal(.denied, "channel '\(channel.excerpt)': channels that start with '$' are the daemon's own")
    }

    private mutating func checkRetained(_ request: RequestRef, _ account: AccountRef) -> Refusal? {
        let replaced = channels.find(request.pointee.channel)?.pointee.retained
        let isOwn = replaced?.pointee.account == account
        return account.pointee.refusal(
            .retainedBytes, retainedGrowth(request, account), replacing: isOwn ? 0 : replaced?.pointee.body.count ?? 0)
    }

    /// No less than what the retained messages of this account grow by, with the one that this replaces out of the way.
    mutating func retainedGrowth(_ request: RequestRef, _ account: AccountRef) -> Int {
        let replaced = channels.find(request.pointee.channel)?.pointee.retained
        let isOwn = replaced?.pointee.account == account
        return Self.retainedSize(request) - (isOwn ? replaced?.pointee.body.count ?? 0 : 0)
    }

    static func retainedSize(_ request: RequestRef) -> Int {
        256 + request.pointee.channel.count + request.pointee.typeToken.count + request.pointee.subjectToken.count
            + request.pointee.payload.count
    }

    mutating func makeChannel(_ name: ByteSlice) -> ChannelRef {
        if let known = channels.find(name) { return known }
        if hasTooManyChannels { wantsWrite = true }
        let rule = rules.find(name)
        let sequence = sequenceOfUnknown(rule)
        let channel = channels.insert(name, sequence: sequence, now: now.monotonic)
        if sequence > 0 {
            // One of this name may have been among those that were forgotten.
            channel.pointee.history = History.make(
                base: sequence, lost: .init(sequence: sequence, position: forgottenPosition, wall: forgottenWall))
        }
        channel.pointee.rule = rule
        channel.pointee.isPersistent = storage.isOn && rules.persists(rule)
        return channel
    }

    /// The highest `seq` that a channel may have had that has this rule and is not known (any more).
    func sequenceOfUnknown(_ rule: UInt8) -> UInt64 {
        storage.isOn && rules.persists(rule) ? storage.floor : forgottenSequence
    }

    // MARK: Accepted

    mutating func accept(_ request: RequestRef, on channel: ChannelRef, from peer: PeerRef) -> Receipt {
        position += 1
        channel.pointee.sequence += 1
        let traffic = channel.pointee.useTraffic()
        traffic.pointee.lastPosition = position
        traffic.pointee.lastPosted = now.monotonic
        counters.posts += 1
        peer.pointee.posts += 1
        var receipt = Receipt(sequence: channel.pointee.sequence, position: position)
        if !patterns.isFresh(channel) { findMatches(of: channel) }
        if peer.pointee.client != senderClient { writeSender(peer) }
        senderAccount = peer.pointee.account
        if _slowPath(conflating > 0) {
            mark = Mark(mark.priority, topic: channels.hash(request.pointee.subject))
        }
        if _slowPath(blocking > 0) { poster = peer }
        copyCount = 0
        if _slowPath(hasTraces) { beginTrace(channel) }
        if _slowPath(channel.pointee.isPersistent) { holdBackReaders(of: channel, request, from: peer) }
        for index in 0..<channel.pointee.exact.count {
            deliver(request, on: channel, from: peer, to: channel.pointee.exact[index], &receipt)
        }
        if _slowPath(channel.pointee.isWide) {
            for index in 0..<patterns.wide.count {
                deliver(request, on: channel, from: peer, to: patterns.wide[index], &receipt)
            }
            spend(patterns.wide.count)
        } else {
            for index in 0..<traffic.pointee.wild.count {
                deliver(request, on: channel, from: peer, to: traffic.pointee.wild[index], &receipt)
            }
        }
        spend(channel.pointee.exact.count)
        traffic.pointee.bytes += UInt64(request.pointee.payload.count)
        traffic.pointee.deliveries += UInt64(receipt.matched)
        // Nobody gets it now, but somebody may ask for it.
        if copyCount == 0, rules.keepsHistory(channel.pointee.rule) || channel.pointee.isPersistent {
            _ = writeLine(for: 1, request, channel)
        }
        if request.pointee.retain { retain(request, on: channel, from: peer) }
        if _slowPath(channel.pointee.isPersistent) { store(channel, isRetained: request.pointee.retain) }
        if _slowPath(blocking > 0) { poster = nil }
        if _slowPath(hasTraces) { endTrace(request, on: channel, from: peer, receipt) }
        return receipt
    }

    private mutating func findMatches(of channel: ChannelRef) {
        spend(Limits.workPerPlace * patterns.refresh(channel))
        if review != nil { leaveOutDenied(on: channel) }
    }

    @inline(__always)
    private mutating func deliver(
        _ request: RequestRef, on channel: ChannelRef, from peer: PeerRef, to subscription: SubscriptionRef,
        _ receipt: inout Receipt
    ) {
        if !subscription.pointee.echo, subscription.pointee.peer == peer { return }
        if let extras = subscription.pointee.extras {
            guard Self.admits(request, peer, extras) else { return }
            if extras.pointee.interval > 0 || extras.pointee.group != nil {
                return deliverSpecially(request, on: channel, from: peer, to: subscription, extras, &receipt)
            }
        }
        receipt.matched += 1
        if give(request, on: channel, to: subscription) > 0 { receipt.dropped += 1 }
    }

    /// Of a group one member gets it; who wants no more than one in a while may get it later.
    @inline(never)
    private mutating func deliverSpecially(
        _ request: RequestRef, on channel: ChannelRef, from peer: PeerRef, to subscription: SubscriptionRef,
        _ extras: UnsafeMutablePointer<Extras>, _ receipt: inout Receipt
    ) {
        var subscription = subscription
        if let group = extras.pointee.group {
            // All members match, and are come across one after the other.
            guard group.pointee.position != position else { return }
            group.pointee.position = position
            let chosen = group.pointee.choose(&work) { member in
                if !member.pointee.echo, member.pointee.peer == peer { return false }
                if !member.pointee.mayGet(channel.pointee.name) { return false }
                return member.pointee.extras.map { Self.admits(request, peer, $0) } != false
            }
            guard let chosen else { return }
            subscription = chosen
        }
        receipt.matched += 1
        let isPaced = subscription.pointee.extras.map { $0.pointee.interval > 0 } == true
        let lost =
            isPaced ? pace(request, on: channel, to: subscription) : give(request, on: channel, to: subscription)
        if lost > 0 { receipt.dropped += 1 }
    }

    /// Returns how many messages the subscription has lost for it.
    @inline(__always)
    mutating func give(_ request: RequestRef, on channel: ChannelRef, to subscription: SubscriptionRef) -> Int {
        let number = subscription.pointee.number
        if let copy = copy(for: number) {
            return enqueue(copy.start, copy.end, channel, channel.pointee.sequence, for: subscription)
        } else if _slowPath(copyCount > 0 && outbox.messageBytes > Limits.logCeiling) {
            return deliverApart(copies[0], channel, to: subscription)
        } else {
            let copy = writeLine(for: number, request, channel)
            return enqueue(copy.start, copy.end, channel, channel.pointee.sequence, for: subscription)
        }
    }

    /// The current message as a line that waits, and stands in no queue yet.
    mutating func makeLine(for number: UInt32, _ request: RequestRef, on channel: ChannelRef) -> WaitingRef {
        if copyCount > 0, copy(for: number) == nil, outbox.messageBytes > Limits.logCeiling {
            scratch.clear(keeping: 64 << 10)
            MessageLine.appendHead(to: &scratch, sub: number)
            return Waiting.make(scratch.slice, body(of: copies[0]))
        }
        let copy = copy(for: number) ?? writeLine(for: number, request, channel)
        let line = Waiting.make(from: copy.start, to: copy.end)
        outbox.chunks.hold(line, outbox.messages)
        return line
    }

    private func body(of copy: LineCopy) -> ByteSlice {
        outbox.messages.slice(from: copy.start + MessageLine.headCount(sub: copy.number), to: copy.end)
    }

    /// Very many subscriptions with numbers of their own would fill the log with copies of one line. Past a bound the
    /// line goes to the subscription's own queue, which is bounded too.
    private mutating func deliverApart(
        _ copy: LineCopy, _ channel: ChannelRef, to subscription: SubscriptionRef
    ) -> Int {
        counters.deliveries += 1
        spend(Limits.workPerWait)
        let peer = subscription.pointee.peer
        if !peer.pointee.isBlocked { postponeAll(of: peer) }
        scratch.clear(keeping: 64 << 10)
        MessageLine.appendHead(to: &scratch, sub: subscription.pointee.number)
        return wait(scratch.slice, body(of: copy), channel, channel.pointee.sequence, for: subscription)
    }

    static func admits(
        _ request: RequestRef, _ peer: PeerRef, _ extras: UnsafeMutablePointer<Extras>
    ) -> Bool {
        if extras.pointee.hasOverflowed { return false }
        if let uid = extras.pointee.fromUID, uid != peer.pointee.uid { return false }
        if let type = extras.pointee.type, !type.elementsEqual(request.pointee.type.buffer) { return false }
        if let subject = extras.pointee.subject, !subject.elementsEqual(request.pointee.subject.buffer) { return false }
        return true
    }

    /// Where the line for this `sub` stands already.
    @inline(__always)
    private func copy(for number: UInt32) -> LineCopy? {
        for index in 0..<copyCount where copies[index].number == number { return copies[index] }
        return nil
    }

    private mutating func writeLine(
        for number: UInt32, _ request: RequestRef, _ channel: ChannelRef
    ) -> LineCopy {
        let start = outbox.messages.count
        let isFirst = copyCount == 0
        if !isFirst {
            // The body is the same bytes for everybody; the head differs by the digits of the number alone.
            let first = copies[0]
            MessageLine.appendHead(to: &outbox.messages, sub: number)
            outbox.messages.append(copyOf: first.start + MessageLine.headCount(sub: first.number)..<first.end)
        } else {
            writeFirstLine(for: number, request, channel)
        }
        let copy = LineCopy(number: number, start: start, end: outbox.messages.count)
        if outbox.messageBytes > Limits.logBytes { wantsWrite = true }
        // Many different numbers are not worth searching for: they are written again.
        if copyCount < Self.copyLimit {
            copies[copyCount] = copy
            copyCount += 1
        }
        outbox.lines.append(
            Outbox.Line(
                start: start, end: copy.end, number: number, uid: senderUID, account: senderAccount,
                channel: channel, sequence: channel.pointee.sequence, position: position, expires: expires, mark: mark,
                isFirst: isFirst))
        return copy
    }

    /// With the help of the template, if the last line was of the same kind.
    @inline(__always)
    private mutating func writeFirstLine(for number: UInt32, _ request: RequestRef, _ channel: ChannelRef) {
        let kind = TemplateKind(envelope: request.pointee.envelope, client: senderClient, number: number)
        if kind == templateKind, kind.envelope != 0,
            template.appendNext(
                to: &outbox.messages, sequence: channel.pointee.sequence, position: position, wall: now.wall,
                payload: request.pointee.payload, time: { timestamp.format($0) })
        {
            return
        }
        templateKind = kind
        template.append(to: &outbox.messages, sub: number, content(of: request, channel), wall: now.wall)
    }

    private mutating func content(of request: RequestRef, _ channel: ChannelRef) -> MessageLine.Content {
        MessageLine.Content(
            channel: request.pointee.channel, sequence: channel.pointee.sequence, position: position,
            time: timestamp.format(now.wall), type: request.pointee.typeToken, subject: request.pointee.subjectToken,
            sender: sender.slice, priority: mark.priority, isRetained: request.pointee.retain,
            payload: request.pointee.payload)
    }

    mutating func writeSender(_ peer: PeerRef) {
        senderClient = peer.pointee.client
        senderUID = peer.pointee.uid
        sender.clear()
        MessageLine.appendSender(
            to: &sender, client: peer.pointee.client, pid: peer.pointee.pid, uid: peer.pointee.uid)
    }

    // MARK: Retained

    private mutating func retain(_ request: RequestRef, on channel: ChannelRef, from peer: PeerRef) {
        let body: ByteSlice
        if copyCount > 0 {
            let copy = copies[0]
            let start = copy.start + MessageLine.headCount(sub: copy.number)
            body = outbox.messages.slice(from: start, to: copy.end - 1)
        } else {
            scratch.clear(keeping: 64 << 10)
            MessageLine.appendBody(to: &scratch, content(of: request, channel))
            body = scratch.slice
        }
        forgetRetained(channel)
        let labels = RetainedMessage.Labels(
            type: [UInt8](request.pointee.type), subject: [UInt8](request.pointee.subject), uid: peer.pointee.uid)
        keepRetained(
            body, labels, on: channel, peer.pointee.account, sequence: channel.pointee.sequence, position: position,
            expires: expires)
    }

    /// - Parameter expires: monotonic time; 0: never.
    mutating func keepRetained(
        _ body: ByteSlice, _ labels: RetainedMessage.Labels, on channel: ChannelRef, _ account: AccountRef,
        sequence: UInt64, position: UInt64, expires: UInt64
    ) {
        let retained = RetainedMessage.make(body, labels, account, sequence: sequence, position: position)
        if expires != 0 { retained.pointee.expiry = deadlines.add(.retained(channel), at: expires) }
        retained.pointee.index = retainedChannels.count
        retainedChannels.append(channel)
        channel.pointee.retained = retained
        retainedBytes += body.count
        account.pointee.charge(.retainedBytes, body.count)
    }

    mutating func forgetRetained(_ channel: ChannelRef) {
        guard let retained = channel.pointee.retained else { return }
        if channel.pointee.isPersistent { storage.add(.clearRetained(channel: [UInt8](channel.pointee.name))) }
        deadlines.cancel(&retained.pointee.expiry)
        let index = retained.pointee.index
        let moved = retainedChannels.removeLast()
        if index < retainedChannels.count {
            retainedChannels[index] = moved
            moved.pointee.retained?.pointee.index = index
        }
        retainedBytes -= retained.pointee.body.count
        retained.pointee.account.pointee.charge(.retainedBytes, -retained.pointee.body.count)
        channel.pointee.retained = nil
        hastenSweep()
        RetainedMessage.destroy(retained)
    }
}
