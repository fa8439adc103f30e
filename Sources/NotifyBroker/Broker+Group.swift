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

    /// The subscriptions end: the others of their groups get what waits for them. Those that end together, because they
    /// are of one client, leave together: none of them comes after another.
    mutating func leaveGroups(_ subscriptions: [SubscriptionRef]) {
        for subscription in subscriptions { subscription.pointee.extras?.pointee.group?.pointee.remove(subscription) }
        for subscription in subscriptions {
            guard let extras = subscription.pointee.extras, let group = extras.pointee.group else { continue }
            if !group.pointee.members.isEmpty { handOver(subscription, to: group) }
        }
        var empty: Set<GroupRef> = []
        for subscription in subscriptions {
            guard let extras = subscription.pointee.extras, let group = extras.pointee.group else { continue }
            extras.pointee.group = nil
            if group.pointee.members.isEmpty { empty.insert(group) }
        }
        for group in empty {
            groups[group.pointee.key] = nil
            Group.destroy(group)
        }
    }

    private mutating func handOver(_ subscription: SubscriptionRef, to group: GroupRef) {
        let peer = subscription.pointee.peer
        // What was written for it in this wake-up and not handed to the kernel waits, too.
        if !peer.pointee.isBlocked, outbox.hasRanges(peer) { postponeAll(of: peer) }
        while let line = subscription.pointee.oldest {
            if hasExpired(line) {
                drop(line, of: subscription, .expired)
                continue
            }
            passOn(line, of: subscription, to: group)
            subscription.pointee.delivered -= 1
            discard(line, of: peer)
        }
        for pace in heldPaces(of: subscription) { passOn(held: pace, to: group) }
        // What it had lost and was not told: somebody of the group has to know.
        if let gaps = subscription.pointee.gaps, let heir = teller(group, insteadOf: subscription) {
            subscription.pointee.gaps = nil
            leave(gaps, of: peer, to: heir)
        }
    }

    private mutating func passOn(held pace: PaceRef, to group: GroupRef) {
        guard let line = pace.pointee.line, let channel = line.pointee.channel else { return }
        let subscription = pace.pointee.subscription
        if hasExpired(line) {
            leaveGaps(of: line, to: subscription)
            recordLoss(channel, line.pointee.sequence, .expired, of: subscription, before: nil)
        } else {
            passOn(line, of: subscription, to: group)
        }
        pace.pointee.line = nil
        giveUp(held: line, of: subscription.pointee.peer)
    }

    /// Who gets a message of this client on this channel.
    private mutating func heir(_ group: GroupRef, of client: UInt64?, on channel: ChannelRef) -> SubscriptionRef? {
        group.pointee.choose(&work) { member in
            if !member.pointee.echo, member.pointee.peer.pointee.client == client { return false }
            if !member.pointee.mayGet(channel.pointee.name) { return false }
            return member.pointee.extras?.pointee.hasOverflowed != true
        }
    }

    /// Who is told what the other has lost.
    private mutating func teller(_ group: GroupRef, insteadOf other: SubscriptionRef) -> SubscriptionRef? {
        group.pointee.choose(&work) { member in
            Self.mayBeTold(member, insteadOf: other) && member.pointee.extras?.pointee.hasOverflowed != true
        }
    }

    /// A gap names channels, of which the other may have known more.
    private static func mayBeTold(_ member: SubscriptionRef, insteadOf other: SubscriptionRef) -> Bool {
        let profile = member.pointee.peer.pointee.profile
        return profile == other.pointee.peer.pointee.profile || profile.pointee.mayListenAnywhere
    }

    /// Gives one of the group a copy of the line, and what was lost before it. (Nobody, if all that are left do not want
    /// it.)
    private mutating func passOn(_ line: WaitingRef, of subscription: SubscriptionRef, to group: GroupRef) {
        let body = outbox.slice(line, skipping: MessageLine.headCount(sub: subscription.pointee.number))
        scratch.clear(keeping: 64 << 10)
        let labels = MessageLine.labels(of: body, decodingTo: &scratch)
        // The line may be older than the wish to know what messages are about.
        let topic = channels.hash(labels.subject)
        let channel = line.pointee.channel
        let heir = channel.flatMap { self.heir(group, of: poster(labels), on: $0) }
        if let gaps = line.pointee.gaps,
            let teller = heir.flatMap({ Self.mayBeTold($0, insteadOf: subscription) ? $0 : nil })
                ?? teller(group, insteadOf: subscription)
        {
            line.pointee.gaps = nil
            leave(gaps, of: subscription.pointee.peer, to: teller)
        }
        guard let heir, let channel else { return }
        if !heir.pointee.peer.pointee.isBlocked { postponeAll(of: heir.pointee.peer) }
        holdBackIfUnsettled(heir.pointee.peer, line.pointee.piece)
        let current = (expires, mark, storage.delivering, isPostponing)
        (expires, mark, storage.delivering, isPostponing) =
            (line.pointee.expires, Mark(line.pointee.mark.priority, topic: topic), line.pointee.piece, true)
        defer { (expires, mark, storage.delivering, isPostponing) = current }
        scratch.clear(keeping: 64 << 10)
        MessageLine.appendHead(to: &scratch, sub: heir.pointee.number)
        _ = wait(scratch.slice, body, channel, line.pointee.sequence, for: heir)
    }
}
