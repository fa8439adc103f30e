// Clients come and go.

package import NotifyWire

extension Broker {
    /// A new connection. Refused, with the sentence to tell it, when it would be one too many.
    package mutating func connect(pid: Int32, _ identity: Identity) -> Result<PeerRef, Refusal> {
        let uid = identity.uid
        if isShuttingDown { return .failure(Refusal(.shuttingDown, "the daemon is stopping")) }
        let account = account(of: identity)
        if let refusal = checkConnection(account) { return .failure(refusal) }
        clientCount += 1
        account.pointee.charge(.clients, 1)
        lastClient += 1
        let slot = freeSlots.popLast() ?? peers.count
        if slot == peers.count { peers.append(nil) }
        let peer = PeerRef.allocate(capacity: 1)
        peer.initialize(
            to: Peer(
                slot: slot, client: lastClient, pid: pid, uid: uid, gid: identity.gid, profile: access.use(identity),
                account: account, connected: now.wall))
        peers[slot] = peer
        meter(peer)
        announceArrival(of: peer)
        return .success(peer)
    }

    package mutating func connect(pid: Int32, uid: UInt32, gid: UInt32) -> Result<PeerRef, Refusal> {
        connect(pid: pid, Identity(uid: uid, gid: gid))
    }

    /// The peer at this place; nil when it is gone.
    @inline(__always)
    package func peer(at slot: Int) -> PeerRef? { slot < peers.count ? peers[slot] : nil }

    /// What this client calls itself, and its unit; nil when it is gone. For the log, which asks seldom.
    package func about(client: UInt64) -> (name: String, unit: String?)? {
        let peer = peers.first { $0?.pointee.client == client } ?? nil
        return peer.map { ($0.pointee.name, $0.pointee.profile.pointee.identity.unit) }
    }

    /// The peer and all that is its own are gone. Its place is not given away before the wake-up ends.
    package mutating func disconnect(_ peer: PeerRef) {
        peer.pointee.isDeaf = true
        forgetHolds(of: peer)
        removeAll(of: peer)
        executeWill(of: peer)
        announceDeparture(of: peer)
        clientCount -= 1
        peer.pointee.inputBytes = 0
        peer.pointee.account.pointee.charge(.clients, -1)
        peer.pointee.account.pointee.postsOfGone += peer.pointee.posts
        peer.pointee.account.pointee.bytesInOfGone += peer.pointee.bytesIn
        peers[peer.pointee.slot] = nil
        noLongerHeld(peer)
        outbox.forget(peer)
        departed.append(peer)
    }

    /// Its subscriptions, and what waits for it.
    private mutating func removeAll(of peer: PeerRef) {
        leaveGroups(peer.pointee.groupMembers)
        while let subscription = peer.pointee.subscriptions { remove(subscription) }
        while let line = peer.pointee.waiting { discard(line, of: peer) }
    }

    /// The peer closed its side for writing: it asks nothing more, but goes on reading while it has subscriptions.
    package mutating func endInput(of peer: PeerRef) {
        peer.pointee.inputEnded = true
        if peer.pointee.subscriptionCount == 0 { peer.pointee.isEnding = true }
    }

    /// The peer reads nothing any more, but what it has asked before is still to be done: a client may post and close
    /// without waiting for its answers.
    package mutating func deafen(_ peer: PeerRef) {
        peer.pointee.isDeaf = true
        forgetHolds(of: peer)
        removeAll(of: peer)
        peer.pointee.waitingOffset = 0
        noLongerHeld(peer)
        outbox.forget(peer)
    }

    /// What clients may ask for, so that they can tell this version from others.
    private static let features = [
        "patterns", "retained", "batch", "filters", "history", "ttl", "schedule", "coalesce", "dedup",
        "conditions", "policies", "priority", "will", "own_channels", "interval", "groups", "block",
        "access", "trace",
    ]

    mutating func hello(_ request: Request, from peer: PeerRef) {
        guard request.version == 1 else {
            return refuse(
                Refusal(
                    .unsupportedVersion, "version \(request.version): this daemon speaks version 1", supported: [1]),
                request.id, peer)
        }
        if request.present.contains(.name) { peer.pointee.name = request.name.text }
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        ControlLine.appendMember(to: &outbox.replies, "version", 1)
        ControlLine.appendMember(to: &outbox.replies, "server", text: "notifyd \(Self.version)")
        ControlLine.appendMember(to: &outbox.replies, "epoch", text: epoch)
        ControlLine.appendMember(to: &outbox.replies, "client", peer.pointee.client)
        ControlLine.appendMember(to: &outbox.replies, "pid", UInt64(max(0, peer.pointee.pid)))
        ControlLine.appendMember(to: &outbox.replies, "uid", UInt64(peer.pointee.uid))
        ControlLine.appendMember(to: &outbox.replies, "gid", UInt64(peer.pointee.gid))
        ControlLine.appendMember(to: &outbox.replies, "pos", position)
        // Tells this process from one before it that had the same epoch: what was kept in memory alone is gone.
        ControlLine.appendMember(to: &outbox.replies, "started_us", started / 1000)
        let shown: [(StaticString, Int)] = [
            ("line_bytes", limits.lineBytes), ("clients", limits.clients), ("clients_per_uid", limits.clientsPerUID),
            ("subscriptions_per_client", limits.subscriptionsPerClient), ("queue_messages", limits.queueMessages),
            ("queue_bytes", limits.queueBytes), ("dedup_window_s", limits.dedupWindowSeconds),
        ]
        outbox.replies.append(",\"limits\":{")
        for (index, (name, value)) in shown.enumerated() {
            outbox.replies.append(index == 0 ? "\"" : ",\"")
            outbox.replies.append(name)
            outbox.replies.append("\":")
            outbox.replies.append(UInt64(value))
        }
        outbox.replies.append("},\"features\":[")
        outbox.replies.append(text: Self.features.map { "\"\($0)\"" }.joined(separator: ","))
        outbox.replies.append("]")
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    mutating func bye(_ request: Request, from peer: PeerRef) {
        acknowledge(request, peer)
        peer.pointee.saidBye = true
        forgetWill(of: peer)
        silence(peer)
        peer.pointee.isEnding = true
    }

    /// Nothing new is delivered to the peer any more; what waits for it is still sent, and no longer dropped.
    private mutating func silence(_ peer: PeerRef) {
        var next = peer.pointee.subscriptions
        while let subscription = next {
            next = subscription.pointee.nextOfPeer
            sendHeld(of: subscription)
        }
        if !overflowed.isEmpty { endOverflowed() }
        while let subscription = peer.pointee.subscriptions {
            while let line = subscription.pointee.oldest {
                if hasExpired(line) {
                    drop(line, of: subscription, .expired)
                    continue
                }
                _ = tellGaps(before: line, of: subscription)
                keep(line, of: subscription)
            }
            tellGaps(of: subscription)
            keepPast(of: subscription)
            remove(subscription)
        }
    }

    /// Tells every peer that the daemon stops; from now on requests are refused.
    package mutating func shutDown() {
        isShuttingDown = true
        makeAllCoalesced()
        for case let peer? in peers { end(peer, reason: "shutting_down") }
    }

    /// Ends a connection on the daemon's own account: says why, flushes, closes.
    package mutating func end(_ peer: PeerRef, reason: String) {
        guard !peer.pointee.isEnding else { return }
        let start = outbox.replies.count
        ControlLine.appendBye(to: &outbox.replies, reason: reason)
        sayReply(from: start, to: peer)
        silence(peer)
        peer.pointee.isEnding = true
    }

    static func free(_ peer: PeerRef) {
        var next = peer.pointee.subscriptions
        while let subscription = next {
            next = subscription.pointee.nextOfPeer
            Subscription.destroy(subscription)
        }
        var line = peer.pointee.waiting
        while let each = line {
            line = each.pointee.next
            Waiting.destroy(each)
        }
        if let will = peer.pointee.will { HeldPost.destroy(will) }
        peer.pointee.freeExtras()
        peer.deinitialize(count: 1)
        peer.deallocate()
    }
}
