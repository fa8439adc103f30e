// `group`: who joins and leaves, who gets a message, and what becomes of those that waited for a member that has gone.

import NotifyWire

extension Broker {
    private func key(of request: Request, _ peer: PeerRef) -> Group.Key {
        Group.Key(uid: peer.pointee.uid, pattern: [UInt8](request.channel), name: [UInt8](request.wishes.group))
    }

    /// All members of a group want the same messages: otherwise nobody could say who lacks which.
    func checkGroup(_ request: Request, _ peer: PeerRef) -> Refusal? {
        guard request.present.contains(.group) else { return nil }
        guard let group = groups[key(of: request, peer)], let member = group.pointee.members.first,
            let extras = member.pointee.extras
        else { return nil }
        let present = request.present
        let isSame =
            extras.pointee.type == (present.contains(.type) ? [UInt8](request.type) : nil)
            && extras.pointee.subject == (present.contains(.subject) ? [UInt8](request.subject) : nil)
            && extras.pointee.fromUID == (present.contains(.fromUID) ? request.fromUID : nil)
            && member.pointee.echo == request.echo
        if isSame { return nil }
        return Refusal(
            .invalidRequest,
            "group '\(request.wishes.group.excerpt)': its members have another 'type', 'subject', 'from_uid' or 'echo'")
    }

    mutating func join(_ subscription: SubscriptionRef, _ request: Request) {
        guard request.present.contains(.group) else { return }
        let key = key(of: request, subscription.pointee.peer)
        let group = groups[key] ?? Group.make(key)
        groups[key] = group
        let extras = subscription.pointee.needExtras()
        extras.pointee.group = group
        group.pointee.add(subscription)
    }

    /// The subscription ends: the others of its group get what waits for it.
    mutating func leave(_ subscription: SubscriptionRef) {
        guard let extras = subscription.pointee.extras, let group = extras.pointee.group else { return }
        extras.pointee.group = nil
        group.pointee.remove(subscription)
        if group.pointee.members.isEmpty {
            groups[group.pointee.key] = nil
            return Group.destroy(group)
        }
        let peer = subscription.pointee.peer
        // What was written for it in this wake-up and not handed to the kernel waits, too.
        if !peer.pointee.isBlocked, outbox.hasRanges(peer) { postponeAll(of: peer) }
        while let line = subscription.pointee.oldest { passOn(line, of: subscription, to: group) }
        // What it had lost and was not told: somebody of the group has to know.
        if let gaps = subscription.pointee.gaps, let heir = heir(of: subscription, group) {
            subscription.pointee.gaps = nil
            leave(gaps, of: peer, to: heir)
        }
    }

    /// Its siblings on the same connection come after it if that is the end of all of them.
    private mutating func heir(of subscription: SubscriptionRef, _ group: GroupRef) -> SubscriptionRef? {
        let peer = subscription.pointee.peer
        return group.pointee.choose(&work) { !peer.pointee.isDeaf || $0.pointee.peer != peer }
    }

    private mutating func passOn(_ line: WaitingRef, of subscription: SubscriptionRef, to group: GroupRef) {
        let peer = subscription.pointee.peer
        guard !hasExpired(line), let channel = line.pointee.channel, let heir = heir(of: subscription, group) else {
            if hasExpired(line) { return drop(line, of: subscription, .expired) }
            return discard(line, of: peer)
        }
        if let gaps = line.pointee.gaps {
            line.pointee.gaps = nil
            leave(gaps, of: peer, to: heir)
        }
        if !heir.pointee.peer.pointee.isBlocked { postponeAll(of: heir.pointee.peer) }
        holdBackIfUnsettled(heir.pointee.peer, line.pointee.piece)
        let current = (expires, mark, storage.delivering, isPostponing)
        (expires, mark, storage.delivering, isPostponing) =
            (line.pointee.expires, line.pointee.mark, line.pointee.piece, true)
        defer { (expires, mark, storage.delivering, isPostponing) = current }
        scratch.clear(keeping: 64 << 10)
        MessageLine.appendHead(to: &scratch, sub: heir.pointee.number)
        let body = outbox.slice(line, skipping: MessageLine.headCount(sub: subscription.pointee.number))
        _ = wait(scratch.slice, body, channel, line.pointee.sequence, for: heir)
        subscription.pointee.delivered -= 1
        discard(line, of: peer)
    }
}
