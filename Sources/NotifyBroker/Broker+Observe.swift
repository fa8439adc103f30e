// Who is there, on which channels, and how it goes: the replies that people and monitoring read.

import NotifyWire

extension Broker {
    /// Writes a reply with the array `name`; `each` calls its argument before every element and stops when it answers
    /// false: the reply would be longer than a line may be, or take too long.
    private mutating func list(
        _ name: StaticString, _ request: Request, for peer: PeerRef,
        _ each: (inout Broker, (inout Broker) -> Bool) -> Void
    ) {
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        let limit = start + limits.lineBytes - Self.longestElement
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        outbox.replies.append(",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":[")
        let workBefore = work
        var isFirst = true
        var isTruncated = false
        each(&self) { broker in
            if broker.outbox.replies.count > limit || broker.work - workBefore > Limits.listWork {
                isTruncated = true
                return false
            }
            broker.outbox.replies.append(isFirst ? "{" : ",{")
            isFirst = false
            return true
        }
        outbox.replies.append(isTruncated ? "],\"truncated\":true" : "]")
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    /// No element of a list is longer: three names of 255 bytes, escaped, and some numbers.
    private static var longestElement: Int { 6144 }

    private static var sortableChannels: Int { 16384 }

    private mutating func member(_ name: StaticString, _ value: UInt64, first: Bool = false) {
        outbox.replies.append(first ? "\"" : ",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":")
        outbox.replies.append(value)
    }

    private mutating func member(_ name: StaticString, text: ByteSlice, first: Bool = false) {
        outbox.replies.append(first ? "\"" : ",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":\"")
        outbox.replies.append(escaped: text)
        outbox.replies.append("\"")
    }

    /// The pattern of `match`, checked; nil after a refusal was written.
    private mutating func match(_ request: Request, _ peer: PeerRef) -> Bool {
        guard request.present.contains(.match), let fault = PatternName.fault(in: request.match) else { return true }
        refuse(.invalidPattern(request.match, fault), request.id, peer)
        return false
    }

    private static func isMatch(_ request: Request, _ name: ByteSlice) -> Bool {
        !request.present.contains(.match) || request.match.equals(name) || PatternName.matches(request.match, name)
    }

    mutating func listChannels(_ request: Request, for peer: PeerRef) {
        guard match(request, peer) else { return }
        spend(channels.count)
        var found: [ChannelRef] = []
        channels.forEach { channel in
            if Self.isMatch(request, channel.pointee.name) { found.append(channel) }
            return found.count <= Self.sortableChannels
        }
        // More than fit into a reply are not worth the time that sorting would take from everybody.
        if found.count <= Self.sortableChannels {
            found.sort { $0.pointee.name.buffer.lexicographicallyPrecedes($1.pointee.name.buffer) }
        }
        list("channels", request, for: peer) { broker, begin in
            for channel in found {
                guard begin(&broker) else { return }
                broker.member("channel", text: channel.pointee.name, first: true)
                broker.member("seq", channel.pointee.sequence)
                let wild = broker.patterns.matches(of: channel)
                broker.spend(Limits.workPerPlace * wild.places)
                broker.member("subscriptions", UInt64(channel.pointee.exact.count + wild.count))
                broker.outbox.replies.append(",\"retained\":")
                broker.outbox.replies.append(channel.pointee.retained == nil ? "false}" : "true}")
            }
        }
    }

    mutating func listClients(_ request: Request, for peer: PeerRef) {
        spend(clientCount + subscriptionCount)
        list("clients", request, for: peer) { broker, begin in
            for case let client? in broker.peers {
                guard begin(&broker) else { return }
                broker.member("client", client.pointee.client, first: true)
                broker.member("pid", UInt64(max(0, client.pointee.pid)))
                broker.member("uid", UInt64(client.pointee.uid))
                broker.member("gid", UInt64(client.pointee.gid))
                if !client.pointee.name.isEmpty {
                    ControlLine.appendMember(to: &broker.outbox.replies, "name", text: client.pointee.name)
                }
                broker.member("subscriptions", UInt64(client.pointee.subscriptionCount))
                broker.member("posts", client.pointee.posts)
                broker.listQueues(of: client)
                ControlLine.appendMember(
                    to: &broker.outbox.replies, "connected",
                    text: broker.timestamp.format(client.pointee.connected))
                broker.outbox.replies.append("}")
            }
        }
    }

    private mutating func listQueues(of client: PeerRef) {
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

    mutating func listSubscriptions(_ request: Request, for peer: PeerRef) {
        guard match(request, peer) else { return }
        spend(clientCount + subscriptionCount)
        list("subscriptions", request, for: peer) { broker, begin in
            for case let client? in broker.peers {
                var next = client.pointee.subscriptions
                while let subscription = next {
                    next = subscription.pointee.nextOfPeer
                    guard Self.isMatch(request, subscription.pointee.pattern) else { continue }
                    guard begin(&broker) else { return }
                    broker.write(subscription, of: client)
                }
            }
        }
    }

    private mutating func write(_ subscription: SubscriptionRef, of client: PeerRef) {
        member("client", client.pointee.client, first: true)
        member("pid", UInt64(max(0, client.pointee.pid)))
        member("uid", UInt64(client.pointee.uid))
        member("sub", UInt64(subscription.pointee.number))
        member("channel", text: subscription.pointee.pattern)
        if let extras = subscription.pointee.extras?.pointee {
            for case (let name, let value?) in [("type" as StaticString, extras.type), ("subject", extras.subject)] {
                value.withUnsafeBufferPointer { bytes in
                    if let start = bytes.baseAddress { member(name, text: ByteSlice(start, bytes.count)) }
                }
            }
            if let uid = extras.fromUID { member("from_uid", UInt64(uid)) }
        }
        if !subscription.pointee.echo { outbox.replies.append(",\"echo\":false") }
        outbox.replies.append(",\"policy\":\"")
        outbox.replies.append(subscription.pointee.policy.name)
        outbox.replies.append("\"")
        member("messages", UInt64(subscription.pointee.limitMessages))
        member("bytes", UInt64(subscription.pointee.limitBytes))
        if let group = subscription.pointee.extras?.pointee.group {
            group.pointee.key.name.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { member("group", text: ByteSlice(start, bytes.count)) }
            }
        }
        if let interval = subscription.pointee.extras?.pointee.interval, interval > 0 {
            member("min_interval_ms", interval / 1_000_000)
        }
        member("queued_messages", UInt64(subscription.pointee.waitingMessages))
        member("queued_bytes", UInt64(subscription.pointee.waitingBytes))
        member("delivered", subscription.pointee.delivered)
        member("dropped", subscription.pointee.dropped)
        if subscription.pointee.conflates {
            member("coalesced", subscription.pointee.extras?.pointee.coalesced ?? 0)
        }
        outbox.replies.append("}")
    }

    mutating func statistics(_ request: Request, for peer: PeerRef) {
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        outbox.replies.append(",\"stats\":{\"version\":\"")
        outbox.replies.append(text: Self.version)
        outbox.replies.append("\",\"epoch\":\"")
        outbox.replies.append(text: epoch)
        outbox.replies.append("\"")
        let values: [(StaticString, UInt64)] = [
            ("pos", position), ("uptime_s", (now.monotonic - started) / 1_000_000_000),
            ("clients", UInt64(clientCount)), ("subscriptions", UInt64(subscriptionCount)),
            ("channels", UInt64(channels.count)), ("retained", UInt64(retainedChannels.count)),
            ("retained_bytes", UInt64(retainedBytes)), ("scheduled", UInt64(held.count)),
            ("scheduled_bytes", UInt64(held.bytes)), ("dedup_bytes", UInt64(dedup.bytes)),
            ("posts", counters.posts),
            ("deliveries", counters.deliveries), ("dropped", counters.dropped), ("refused", counters.refused),
            ("queued_messages", UInt64(counters.waitingMessages)),
            ("queued_bytes", UInt64(counters.waitingBytes)), ("bytes_in", counters.bytesIn),
            ("bytes_out", counters.bytesOut),
        ]
        for (name, value) in values { member(name, value) }
        outbox.replies.append("}")
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    /// Bytes that came from clients.
    package mutating func countInput(_ bytes: Int) {
        counters.bytesIn += UInt64(bytes)
    }

    /// For the status line of the service: clients, subscriptions, channels.
    package var summary: String {
        "\(clientCount) clients, \(subscriptionCount) subscriptions, \(channels.count) channels, position \(position)"
    }
}
