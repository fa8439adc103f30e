// The subscriptions, by their clients' numbers and their own: what they want, what waits for them, what they have lost.

import NotifyWire

extension Broker {
    mutating func listSubscriptions(_ request: Request, for peer: PeerRef) {
        guard hasGoodMatch(request, peer), let after = numbers(after: request, count: 2, peer) else { return }
        spend(clientCount)
        let mayAsk = peer.pointee.mayAsk(.subscriptions)
        let clients = peers.compactMap(\.self).filter {
            $0.pointee.client >= after[0] && $0.pointee.subscriptionCount > 0
                && (mayAsk || $0.pointee.uid == peer.pointee.uid)
        }
        var found: [SubscriptionRef] = []
        var rest: String?
        var looked = 0
        for client in clients.sorted(by: { $0.pointee.client < $1.pointee.client }) {
            looked += client.pointee.subscriptionCount
            let first = client.pointee.client == after[0] ? after[1] : 0
            let wanted = subscriptions(of: client, after: first) {
                !request.present.contains(.match) || PatternName.overlaps(request.match, $0.pointee.pattern)
            }
            found += wanted
            // What is found beyond the room of a line is cut there.
            if found.count > listedAtOnce || looked > Limits.listWork {
                rest = "\(client.pointee.client).\(UInt32.max)"
                break
            }
        }
        spend(looked)
        list("subscriptions", request, for: peer, found, rest: rest, place: Self.place) { broker, subscription in
            broker.spend(1)
            broker.write(subscription)
        }
    }

    private static func place(_ subscription: SubscriptionRef) -> String {
        "\(subscription.pointee.peer.pointee.client).\(subscription.pointee.number)"
    }

    /// In the order of their numbers.
    private func subscriptions(
        of client: PeerRef, after number: UInt64, where isWanted: (SubscriptionRef) -> Bool
    ) -> [SubscriptionRef] {
        var found: [SubscriptionRef] = []
        var next = client.pointee.subscriptions
        while let subscription = next {
            next = subscription.pointee.nextOfPeer
            if subscription.pointee.number > number, isWanted(subscription) { found.append(subscription) }
        }
        return found.sorted { $0.pointee.number < $1.pointee.number }
    }

    private mutating func write(_ subscription: SubscriptionRef) {
        let client = subscription.pointee.peer
        member("client", client.pointee.client, first: true)
        member("pid", Int(client.pointee.pid))
        member("uid", UInt64(client.pointee.uid))
        member("sub", UInt64(subscription.pointee.number))
        member("channel", text: subscription.pointee.pattern)
        if let extras = subscription.pointee.extras?.pointee {
            if let type = extras.type { member("type", text: type) }
            if let subject = extras.subject { member("subject", text: subject) }
            if let uid = extras.fromUID { member("from_uid", UInt64(uid)) }
        }
        if !subscription.pointee.echo { member("echo", false) }
        outbox.replies.append(",\"policy\":\"")
        outbox.replies.append(subscription.pointee.policy.name)
        outbox.replies.append("\"")
        member("messages", UInt64(subscription.pointee.limitMessages))
        member("bytes", UInt64(subscription.pointee.limitBytes))
        if let group = subscription.pointee.extras?.pointee.group { member("group", text: group.pointee.key.name) }
        if let interval = subscription.pointee.extras?.pointee.interval, interval > 0 {
            member("min_interval_ms", interval / 1_000_000)
        }
        member("queued_messages", UInt64(subscription.pointee.waitingMessages))
        member("queued_bytes", UInt64(subscription.pointee.waitingBytes))
        let since = subscription.pointee.waitsSince ?? now.monotonic
        member("lag_ms", (now.monotonic - min(since, now.monotonic)) / 1_000_000)
        member("delivered", subscription.pointee.delivered)
        member("dropped", subscription.pointee.dropped)
        if subscription.pointee.conflates {
            member("coalesced", subscription.pointee.extras?.pointee.coalesced ?? 0)
        }
    }
}
