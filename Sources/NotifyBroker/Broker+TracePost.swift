// The course of one post for those who trace it: who gets it, who does not, and why. Nothing is asked on the way but what
// is lost: when all is done, each subscription is looked at once more, as it stands then.

package import NotifyWire

extension Broker {
    /// A post on the channel is about to be delivered.
    @inline(never)
    mutating func beginTrace(_ channel: ChannelRef) {
        tracing.channel = ChannelName.isReserved(channel.pointee.name) ? nil : channel
        tracing.losses.removeAll()
    }

    /// A subscription has lost a message: the one that is being delivered, or an earlier one.
    @inline(never)
    mutating func traceLoss(
        _ channel: ChannelRef, _ sequence: UInt64, _ reason: GapReason, of subscription: SubscriptionRef
    ) {
        if tracing.channel == channel, channel.pointee.sequence == sequence {
            tracing.losses[subscription] = reason
            return
        }
        // Which of them a trace with a filter would want, nobody knows any more.
        let readers = readers(of: channel.pointee.name) { $0.pointee.extras?.pointee.isFiltered != true }
        if readers.isEmpty { return }
        let loss = TraceEvent.Loss(
            receiver: TraceEvent.Receiver(subscription), channel: [UInt8](channel.pointee.name), reason: reason,
            from: sequence, to: sequence)
        tell(.loss(loss), readers)
    }

    /// It has been delivered.
    @inline(never)
    mutating func endTrace(
        _ request: RequestRef, on channel: ChannelRef, from peer: PeerRef, _ receipt: Receipt
    ) {
        defer {
            tracing.channel = nil
            tracing.losses.removeAll()
        }
        let readers = readers(of: channel.pointee.name) { Self.isFor($0, request, peer) }
        if readers.isEmpty { return }
        var log = ByteLog(capacity: 4096)
        appendPost("posted", request, from: peer, to: &log)
        ControlLine.appendMember(to: &log, "seq", receipt.sequence)
        ControlLine.appendMember(to: &log, "pos", receipt.position)
        ControlLine.appendMember(to: &log, "matched", UInt64(receipt.matched))
        ControlLine.appendMember(to: &log, "dropped", UInt64(receipt.dropped))
        appendReceivers(of: request, on: channel, from: peer, to: &log)
        log.append("}")
        tell(.text([UInt8](log.slice)), readers)
    }

    /// It was not made.
    package mutating func refuse(_ refusal: Refusal, post request: RequestRef, _ peer: PeerRef) {
        if _slowPath(hasTraces) { traceRefusal(refusal.code, refusal.message, of: request, from: peer) }
        refuse(refusal, request.pointee.id, peer)
    }

    /// None of them was made. Who traces one of them need not know the channels of the others.
    package mutating func refuse(_ refusal: Refusal, batch posts: [Request], _ id: ByteSlice, _ peer: PeerRef) {
        if _slowPath(hasTraces) {
            for (number, post) in posts.enumerated() {
                let message =
                    refusal.post.map { $0 == number ? refusal.message : "posts[\($0)] of its batch was refused" }
                    ?? refusal.message
                withUnsafePointer(to: post) { traceRefusal(refusal.code, message, of: $0, from: peer) }
            }
        }
        refuse(refusal, id, peer)
    }

    private mutating func traceRefusal(
        _ code: ErrorCode, _ message: String, of request: RequestRef, from peer: PeerRef
    ) {
        traceEnd("refused", of: request, from: peer) { log in
            ControlLine.appendMember(to: &log, "code", text: code.rawValue)
            ControlLine.appendMember(to: &log, "message", text: message)
        }
    }

    /// A post ends before it has a number.
    mutating func traceEnd(
        _ name: StaticString, of request: RequestRef, from peer: PeerRef,
        _ members: (inout ByteLog) -> Void = { _ in }
    ) {
        guard hasTraces, ChannelName.fault(in: request.pointee.channel) == nil else { return }
        let readers = readers(of: request.pointee.channel) { Self.isFor($0, request, peer) }
        if readers.isEmpty { return }
        var log = ByteLog(capacity: 512)
        appendPost(name, request, from: peer, to: &log)
        members(&log)
        log.append("}")
        tell(.text([UInt8](log.slice)), readers)
    }

    private func appendPost(_ event: StaticString, _ request: RequestRef, from peer: PeerRef, to log: inout ByteLog) {
        log.append("{\"event\":\"")
        log.append(event)
        log.append("\"")
        ControlLine.appendMember(to: &log, "channel", text: request.pointee.channel)
        for (name, token) in [
            ("type" as StaticString, request.pointee.typeToken), ("subject", request.pointee.subjectToken),
        ] where !token.isEmpty {
            // As it stands in the message, escapes and all.
            log.append(",\"")
            log.append(name)
            log.append("\":\"")
            log.append(token)
            log.append("\"")
        }
        ControlLine.appendMember(to: &log, "bytes", UInt64(request.pointee.payload.count))
        log.append(",\"from\":")
        MessageLine.appendSender(
            to: &log, client: peer.pointee.client, pid: peer.pointee.pid, uid: peer.pointee.uid)
    }

    // MARK: Receivers

    private mutating func appendReceivers(
        of request: RequestRef, on channel: ChannelRef, from peer: PeerRef, to log: inout ByteLog
    ) {
        var subscriptions: [SubscriptionRef] = []
        for index in 0..<channel.pointee.exact.count { subscriptions.append(channel.pointee.exact[index]) }
        spend(Limits.workPerPlace * patterns.forEach(matching: channel.pointee.name) { subscriptions.append($0) })
        spend(subscriptions.count)
        var counts = [UInt64](repeating: 0, count: TraceOutcome.allCases.count)
        log.append(",\"receivers\":[")
        for (index, subscription) in subscriptions.enumerated() {
            let (outcome, reason) = outcome(for: subscription, request, channel, from: peer)
            counts[outcome.rawValue] += 1
            guard index < Limits.tracedReceivers else { continue }
            log.append(index == 0 ? "{" : ",{")
            TraceEvent.Receiver(subscription).append(to: &log)
            log.append(",\"outcome\":\"")
            log.append(outcome.name)
            log.append("\"")
            if let reason {
                log.append(",\"reason\":\"")
                log.append(reason)
                log.append("\"")
            }
            if subscription.pointee.waitingMessages > 0 {
                ControlLine.appendMember(to: &log, "waiting", UInt64(subscription.pointee.waitingMessages))
            }
            log.append("}")
        }
        log.append("],\"outcomes\":{")
        var isFirst = true
        for outcome in TraceOutcome.allCases where counts[outcome.rawValue] > 0 {
            log.append(isFirst ? "\"" : ",\"")
            isFirst = false
            log.append(outcome.name)
            log.append("\":")
            log.append(counts[outcome.rawValue])
        }
        log.append("}")
    }

    private func outcome(
        for subscription: SubscriptionRef, _ request: RequestRef, _ channel: ChannelRef, from peer: PeerRef
    ) -> (TraceOutcome, reason: StaticString?) {
        if let reason = tracing.losses[subscription] { return (.dropped, reason.name) }
        if subscription.pointee.channel == nil, !subscription.pointee.mayGet(channel.pointee.name) {
            return (.denied, nil)
        }
        if !subscription.pointee.echo, subscription.pointee.peer == peer { return (.filtered, "echo") }
        if let extras = subscription.pointee.extras {
            if let reason = Self.filter(of: extras, against: request, peer) { return (.filtered, reason) }
            if let group = extras.pointee.group, group.pointee.chosen != subscription { return (.notChosen, nil) }
            let topic = Topic(channel: channel, subject: mark.topic)
            if let pace = extras.pointee.paces[topic], pace.pointee.line != nil, pace.pointee.held == position {
                return (.held, "min_interval_ms")
            }
        }
        return (subscription.pointee.peer.pointee.isBlocked ? .queued : .sent, nil)
    }

    private static func filter(
        of extras: UnsafeMutablePointer<Extras>, against request: RequestRef, _ peer: PeerRef
    ) -> StaticString? {
        if extras.pointee.hasOverflowed { return "ended" }
        if let uid = extras.pointee.fromUID, uid != peer.pointee.uid { return "from_uid" }
        if let type = extras.pointee.type, !type.elementsEqual(request.pointee.type.buffer) { return "type" }
        if let subject = extras.pointee.subject, !subject.elementsEqual(request.pointee.subject.buffer) {
            return "subject"
        }
        return nil
    }
}
