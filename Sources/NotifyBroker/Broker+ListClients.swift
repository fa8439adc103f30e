// The clients, by their numbers: who they are, what they do, and whether they are waited for or wait.

import NotifyWire

extension Broker {
    mutating func listClients(_ request: Request, for peer: PeerRef) {
        guard let after = numbers(after: request, count: 1, peer)?.first else { return }
        spend(clientCount)
        var selection = Selection<PeerRef>(listedAtOnce) { $0.pointee.client < $1.pointee.client }
        let mayAsk = peer.pointee.mayAsk(.clients)
        for case let client? in peers where client.pointee.client > after {
            if mayAsk || client.pointee.uid == peer.pointee.uid { selection.offer(client) }
        }
        let found = selection.take()
        let rest = selection.isCut ? found.last.map { "\($0.pointee.client)" } : nil
        list("clients", request, for: peer, found, rest: rest, place: { "\($0.pointee.client)" }) { broker, client in
            broker.write(client)
        }
    }

    private mutating func write(_ client: PeerRef) {
        spend(1 + client.pointee.subscriptionCount)
        member("client", client.pointee.client, first: true)
        member("pid", Int(client.pointee.pid))
        member("uid", UInt64(client.pointee.uid))
        member("gid", UInt64(client.pointee.gid))
        if !client.pointee.name.isEmpty {
            ControlLine.appendMember(to: &outbox.replies, "name", text: client.pointee.name)
        }
        if let unit = client.pointee.profile.pointee.identity.unit {
            ControlLine.appendMember(to: &outbox.replies, "unit", text: unit)
        }
        member("subscriptions", client.pointee.subscriptionCount)
        member("posts", client.pointee.posts)
        member("bytes_in", client.pointee.bytesIn)
        member("bytes_out", client.pointee.bytesOut)
        writeQueues(of: client)
        member("answer_bytes", client.pointee.waitingReplyBytes)
        if client.pointee.isBlocked { member("blocked", true) }
        if client.pointee.isPaused {
            outbox.replies.append(client.pointee.holds > 0 ? ",\"paused\":\"queue\"" : ",\"paused\":\"answers\"")
        }
        ControlLine.appendMember(
            to: &outbox.replies, "connected", text: timestamp.format(client.pointee.connected))
        if client.pointee.lastHeard > 0 { member("last", monotonic: client.pointee.lastHeard) }
    }

    private mutating func writeQueues(of client: PeerRef) {
        var (delivered, messages, bytes): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var next = client.pointee.subscriptions
        while let subscription = next {
            delivered += subscription.pointee.delivered
            messages += UInt64(subscription.pointee.waitingMessages)
            bytes += UInt64(subscription.pointee.waitingBytes)
            next = subscription.pointee.nextOfPeer
        }
        member("delivered", delivered + client.pointee.delivered)
        member("dropped", client.pointee.dropped)
        member("queued_messages", messages)
        member("queued_bytes", bytes)
    }
}
