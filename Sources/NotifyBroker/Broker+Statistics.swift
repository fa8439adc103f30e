// The counters of the whole daemon. They are about everybody, so whoever may not observe others is told of oneself alone.

import NotifyWire

extension Broker {
    struct Counters {
        var posts: UInt64 = 0
        var deliveries: UInt64 = 0
        var dropped: UInt64 = 0
        var refused: UInt64 = 0
        /// By the access rules, also what was to be done later.
        var denied: UInt64 = 0
        /// By the code's place among all codes.
        var refusals = [UInt64](repeating: 0, count: ErrorCode.allCases.count)
        /// How often the configuration was read anew, and how often that was refused.
        var reloads: UInt64 = 0
        var failedReloads: UInt64 = 0
        /// Connections that were turned away.
        var turnedAway: UInt64 = 0
        /// How often a subscription began to lose messages.
        var slow: UInt64 = 0
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
        var waitingMessages = 0
        var waitingBytes = 0
        /// Since `takeFreedBytes`.
        var mostWaitingBytes = 0
        var endedBytes = 0

        mutating func countRefusal(_ code: ErrorCode) {
            refused += 1
            if let place = ErrorCode.allCases.firstIndex(of: code) { refusals[place] += 1 }
        }
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
        member("pos", position)
        member("uptime_s", (now.monotonic - started) / 1_000_000_000)
        if peer.pointee.mayAsk(.accounts) {
            writeTotals()
        } else {
            outbox.replies.append(",\"totals\":false")
        }
        listAccounts(from: start, for: peer)
        outbox.replies.append("}")
        ControlLine.endReply(to: &outbox.replies)
        sayAnswer(from: start, to: peer)
    }

    private mutating func writeTotals() {
        let histories = histories
        let values: [(StaticString, UInt64)] = [
            ("clients", UInt64(clientCount)), ("connections", lastClient), ("turned_away", counters.turnedAway),
            ("subscriptions", UInt64(subscriptionCount)),
            ("channels", UInt64(channels.count)), ("retained", UInt64(retainedChannels.count)),
            ("retained_bytes", UInt64(retainedBytes)), ("history_bytes", UInt64(histories.pointee.bytes)),
            ("scheduled", UInt64(held.count)),
            ("scheduled_bytes", UInt64(held.bytes)), ("dedup_bytes", UInt64(dedup.bytes)),
            ("traces", UInt64(tracing.traces.count)),
            ("input_bytes", UInt64(accounts.pools.pointee.shares[.inputBytes].used)),
            ("posts", counters.posts),
            ("deliveries", counters.deliveries), ("dropped", counters.dropped), ("slow", counters.slow),
            ("refused", counters.refused), ("denied", counters.denied),
            ("queued_messages", UInt64(counters.waitingMessages)),
            ("queued_bytes", UInt64(counters.waitingBytes)), ("bytes_in", counters.bytesIn),
            ("bytes_out", counters.bytesOut), ("reloads", counters.reloads),
            ("reloads_failed", counters.failedReloads),
        ]
        for (name, value) in values { member(name, value) }
        writeRefusals()
        writeLimits()
    }

    /// Those that all share: what comes near to one of them is worth an alarm.
    private mutating func writeLimits() {
        let values: [(StaticString, Int)] = [
            ("clients", limits.clients), ("subscriptions", limits.subscriptions), ("channels", limits.channels),
            ("retained_bytes", limits.retainedBytes), ("history_bytes", limits.historyBytes),
            ("scheduled_posts", limits.scheduledPosts), ("scheduled_bytes", limits.scheduledBytes),
            ("dedup_bytes", limits.dedupBytes), ("queued_bytes", limits.queuedBytes),
            ("traces", limits.traces), ("input_bytes", limits.inputBytes),
        ]
        outbox.replies.append(",\"limits\":{")
        for (place, (name, value)) in values.enumerated() { member(name, UInt64(max(0, value)), first: place == 0) }
        outbox.replies.append("}")
    }

    /// All codes, also those that nobody has had yet: what monitoring knows of is there from the start.
    private mutating func writeRefusals() {
        outbox.replies.append(",\"refusals\":{")
        for (place, code) in ErrorCode.allCases.enumerated() {
            outbox.replies.append(text: "\(place == 0 ? "" : ",")\"\(code.rawValue)\":\(counters.refusals[place])")
        }
        outbox.replies.append("}")
    }

    /// Bytes that came from a client.
    package mutating func countInput(_ bytes: Int, from peer: PeerRef) {
        counters.bytesIn += UInt64(bytes)
        peer.pointee.bytesIn += UInt64(bytes)
        peer.pointee.lastHeard = now.monotonic
    }

    /// A connection was refused.
    package mutating func countTurnedAway() { counters.turnedAway += 1 }

    /// For the status line of the service: clients, subscriptions, channels.
    package var summary: String {
        "\(clientCount) clients, \(subscriptionCount) subscriptions, \(channels.count) channels, position \(position)"
    }
}
