// Subscriptions come and go.

import NotifyWire

extension Broker {
    mutating func subscribe(_ request: Request, from peer: PeerRef) {
        if let fault = PatternName.fault(in: request.channel) {
            return refuse(.invalidPattern(request.channel, fault), request.id, peer)
        }
        let isTrace = Self.isTrace(request.channel)
        if let refusal = (isTrace ? checkTrace(request, peer) : checkListening(to: request, peer))
            ?? checkSubscription(request, peer)
        {
            return refuse(refusal, request.id, peer)
        }
        let number = request.present.contains(.sub) ? request.sub : freeNumber(peer)
        let channel = isTrace || PatternName.hasWildcards(request.channel) ? nil : makeChannel(request.channel)
        let subscription = makeSubscription(request, peer, number, channel)
        peer.pointee.add(subscription)
        subscriptionCount += 1
        peer.pointee.account.pointee.charge(.subscriptions, 1)
        if subscription.pointee.conflates { conflating += 1 }
        if ChannelName.isReserved(request.channel) { ownSubscriptions += 1 }
        if subscription.pointee.policy == .block { blocking += 1 }
        join(subscription, request)
        if isTrace {
            addTrace(subscription)
        } else if let channel {
            channel.pointee.lastUsed = now.monotonic
            subscription.pointee.position = UInt32(channel.pointee.exact.append(subscription))
        } else {
            patterns.insert(subscription)
        }
        acknowledge(subscription, request)
        if request.wishes.replay != .none, isForPersistent(subscription) { holdBackIfPending(peer) }
        switch request.wishes.replay {
        case .none: break
        case _ where isTrace: endReplay(ofTrace: subscription)
        case .retained: replayRetained(to: subscription)
        default: replayHistory(request.wishes.replay, to: subscription)
        }
    }

    /// The lowest number that is free on this connection.
    private mutating func freeNumber(_ peer: PeerRef) -> UInt32 {
        let hint = peer.pointee.numberHint
        let number = peer.pointee.nextNumber()
        // After a low number was freed, all that follow it are looked at again.
        spend(max(0, Int(number - hint) - 1))
        return number
    }

    private mutating func checkSubscription(_ request: Request, _ peer: PeerRef) -> Refusal? {
        if request.present.contains(.sub), peer.pointee.subscription(request.sub) != nil {
            return Refusal(.duplicateSubscription, "sub \(request.sub) is in use on this connection")
        }
        let bound = peer.pointee.account.pointee.limits.subscriptionsPerClient
        if peer.pointee.subscriptionCount >= bound {
            let limit = peer.pointee.account.pointee.limit("subscriptions_per_client", of: "this connection", is: bound)
            return Refusal(.quotaExceeded, limit)
        }
        if let refusal = peer.pointee.account.pointee.refusal(.subscriptions, 1) { return refusal }
        if let refusal = checkReplay(request, peer) { return refusal }
        if let messages = request.wishes.bufferMessages, messages > limits.queueMessages {
            return .invalidField(.buffer, "messages: at most \(limits.queueMessages) (limit 'queue_messages')")
        }
        if let bytes = request.wishes.bufferBytes, bytes > limits.queueBytes {
            return .invalidField(.buffer, "bytes: at most \(limits.queueBytes) (limit 'queue_bytes')")
        }
        if let refusal = checkGroup(request, peer) { return refusal }
        let needsChannel = !PatternName.hasWildcards(request.channel) && !Self.isTrace(request.channel)
        return needsChannel ? checkChannelQuota(request.channel) : nil
    }

    private func makeSubscription(
        _ request: Request, _ peer: PeerRef, _ number: UInt32, _ channel: ChannelRef?
    ) -> SubscriptionRef {
        let subscription = SubscriptionRef.allocate(capacity: 1)
        subscription.initialize(
            to: Subscription(
                number: number, limitMessages: UInt32(request.wishes.bufferMessages ?? limits.queueMessages),
                limitBytes: UInt32(request.wishes.bufferBytes ?? limits.queueBytes), echo: request.echo, peer: peer,
                channel: channel, pattern: request.channel))
        subscription.pointee.bornWake = outbox.wake
        subscription.pointee.firstLine = UInt32(outbox.lines.count)
        setExtras(of: subscription, request)
        return subscription
    }

    private func setExtras(of subscription: SubscriptionRef, _ request: Request) {
        let present = request.present
        let isFiltered = present.contains(.type) || present.contains(.subject) || present.contains(.fromUID)
        guard isFiltered || request.wishes.policy != .newest || request.wishes.minimumInterval > 0 else { return }
        let extras = subscription.pointee.needExtras()
        if present.contains(.type) { extras.pointee.type = [UInt8](request.type) }
        if present.contains(.subject) { extras.pointee.subject = [UInt8](request.subject) }
        if present.contains(.fromUID) { extras.pointee.fromUID = request.fromUID }
        extras.pointee.policy = request.wishes.policy
        extras.pointee.interval = request.wishes.minimumInterval
    }

    private mutating func acknowledge(_ subscription: SubscriptionRef, _ request: Request) {
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        ControlLine.appendMember(to: &outbox.replies, "sub", UInt64(subscription.pointee.number))
        ControlLine.appendMember(to: &outbox.replies, "pos", position)
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: subscription.pointee.peer)
    }

    mutating func unsubscribe(_ request: Request, from peer: PeerRef) {
        guard let subscription = peer.pointee.subscription(request.sub) else {
            return refuse(
                Refusal(.unknownSubscription, "sub \(request.sub) is not a subscription of this connection"),
                request.id, peer)
        }
        remove(subscription)
        acknowledge(request, peer)
    }

    /// Ends the subscription; what waits for it is given up.
    mutating func remove(_ subscription: SubscriptionRef) {
        let peer = subscription.pointee.peer
        if subscription.pointee.extras?.pointee.group != nil { leaveGroups([subscription]) }
        if !unsaid.marks.isEmpty { discardPast(of: subscription) }
        while let line = subscription.pointee.oldest { discard(line, of: peer) }
        forgetPaces(of: subscription)
        if let gaps = subscription.pointee.gaps {
            subscription.pointee.gaps = nil
            free(gaps, of: peer)
        }
        if subscription.pointee.conflates { conflating -= 1 }
        if subscription.pointee.policy == .block {
            letGo(subscription)
            blocking -= 1
        }
        if !overflowed.isEmpty { overflowed.removeAll { $0.0 == subscription } }
        if Self.isTrace(subscription.pointee.pattern) {
            removeTrace(subscription)
        } else if let channel = subscription.pointee.channel {
            let position = subscription.pointee.position
            if position != Subscription.nowhere {
                channel.pointee.exact.swapRemove(at: Int(position))?.pointee.position = position
            }
            hastenSweep()
        } else {
            let nodes = patterns.nodeCount
            patterns.remove(subscription)
            counters.endedBytes += (nodes - patterns.nodeCount) * MemoryLayout<PatternNode>.size
        }
        if review?.next == subscription { review?.next = subscription.pointee.nextOfPeer }
        // With its entries in tables.
        counters.endedBytes += MemoryLayout<Subscription>.size + 64
        peer.pointee.countDelivered(subscription.pointee.delivered)
        peer.pointee.remove(subscription)
        subscriptionCount -= 1
        peer.pointee.account.pointee.charge(.subscriptions, -1)
        if ChannelName.isReserved(subscription.pointee.pattern) { ownSubscriptions -= 1 }
        Subscription.destroy(subscription)
        // What waited for it may have been all that the losses of others are told after.
        if peer.pointee.hasUntold { outbox.markOverdue(peer) }
    }
}
