// What `top` knows: two looks at the daemon and what has happened between them. It asks nobody, not even the clock.

/// Samples in, rows with rates out.
struct TopModel: Sendable {
    enum Table: Int, CaseIterable, Sendable {
        case channels, subscriptions, posters, accounts

        var title: String {
            switch self {
            case .channels: "busiest channels"
            case .subscriptions: "slowest subscriptions"
            case .posters: "loudest posters"
            case .accounts: "loudest accounts"
            }
        }

        /// What its rows may be sorted by, the usual one first.
        var orders: [String] {
            switch self {
            case .channels: ["POSTS/s", "BYTES/s", "DELIV/s", "CHANNEL"]
            case .subscriptions: ["WAITING", "LAG", "DROPS/s", "DELIV/s", "PATTERN"]
            case .posters: ["POSTS/s", "IN/s", "OUT/s", "COMMAND"]
            case .accounts: ["POSTS/s", "IN/s", "REFUSED/s", "ACCOUNT"]
            }
        }
    }

    private(set) var latest: TopSample?
    private var previous: TopSample?

    /// Seconds between the two samples; nil: there is only one of this life of the daemon.
    var interval: Double? {
        guard let latest, let previous, latest.time > previous.time else { return nil }
        return Double(latest.time - previous.time) / 1e9
    }

    mutating func add(_ sample: TopSample) {
        // A daemon that was started anew has counted anew: what was before says nothing about it.
        previous = latest?.life == sample.life ? latest : nil
        latest = sample
    }

    /// How much more in a second. What has become less was counted anew: all of it is since then.
    private func rate(_ now: UInt64, _ before: UInt64?) -> Double {
        guard let interval else { return 0 }
        let before = before ?? 0
        return Double(now >= before ? now - before : now) / interval
    }

    var rates: Rates {
        guard let now = latest?.totals, let before = previous?.totals else { return Rates() }
        return Rates(
            posts: rate(now.posts, before.posts), deliveries: rate(now.deliveries, before.deliveries),
            drops: rate(now.dropped, before.dropped), refusals: rate(now.refused, before.refused),
            bytesIn: rate(now.bytesIn, before.bytesIn), bytesOut: rate(now.bytesOut, before.bytesOut))
    }

    /// - Parameter order: a place in the table's `orders`.
    func channels(order: Int = 0) -> [ChannelRow] {
        let before = Dictionary((previous?.channels ?? []).map { ($0.name, $0) }) { $1 }
        let rows = (latest?.channels ?? []).map { channel in
            let old = before[channel.name]
            // One that is posted to less than before was forgotten, and counts anew.
            let isSame = channel.posts >= old?.posts ?? 0
            return ChannelRow(
                channel: channel.name, posts: rate(channel.posts, isSame ? old?.posts : nil),
                bytes: rate(channel.bytes, isSame ? old?.bytes : nil),
                deliveries: rate(channel.deliveries, isSame ? old?.deliveries : nil),
                subscriptions: channel.subscriptions)
        }
        return rows.sorted { one, other in
            switch order {
            case 1: Self.order(one.bytes, other.bytes, one.channel, other.channel)
            case 2: Self.order(one.deliveries, other.deliveries, one.channel, other.channel)
            case 3: one.channel < other.channel
            default: Self.order(one.posts, other.posts, one.channel, other.channel)
            }
        }
    }

    func subscriptions(order: Int = 0) -> [SubscriptionRow] {
        let before = Dictionary((previous?.subscriptions ?? []).map { ([$0.client, $0.sub], $0) }) { $1 }
        let rows = (latest?.subscriptions ?? []).map { subscription in
            let old = before[[subscription.client, subscription.sub]]
            return SubscriptionRow(
                client: subscription.client, sub: subscription.sub, pid: subscription.pid, uid: subscription.uid,
                pattern: subscription.pattern, waiting: subscription.waiting, waitingBytes: subscription.waitingBytes,
                lagMilliseconds: subscription.lag, drops: rate(subscription.dropped, old?.dropped),
                // What waited may have been dropped since: then it was not delivered after all.
                deliveries: subscription.delivered < old?.delivered ?? 0
                    ? 0 : rate(subscription.delivered, old?.delivered))
        }
        return rows.sorted { one, other in
            let (first, second) = ([one.client, one.sub], [other.client, other.sub])
            let isBefore = first.lexicographicallyPrecedes(second)
            return switch order {
            case 1: Self.order(Double(one.lagMilliseconds), Double(other.lagMilliseconds), isBefore)
            case 2: Self.order(one.drops, other.drops, isBefore)
            case 3: Self.order(one.deliveries, other.deliveries, isBefore)
            case 4: one.pattern == other.pattern ? isBefore : one.pattern < other.pattern
            default:
                one.waiting == other.waiting
                    ? Self.order(one.drops, other.drops, isBefore) : one.waiting > other.waiting
            }
        }
    }

    /// - Parameter command: what a process is called, to sort by it.
    func posters(order: Int = 0, command: (Int32) -> String = { _ in "" }) -> [PosterRow] {
        let before = Dictionary((previous?.clients ?? []).map { ($0.client, $0) }) { $1 }
        let rows = (latest?.clients ?? []).map { client in
            let old = before[client.client]
            return PosterRow(
                client: client.client, pid: client.pid, uid: client.uid, name: client.name, state: client.state,
                posts: rate(client.posts, old?.posts), bytesIn: rate(client.bytesIn, old?.bytesIn),
                bytesOut: rate(client.bytesOut, old?.bytesOut))
        }
        if order == 3 {
            let names = Dictionary(rows.map { ($0.pid, command($0.pid)) }) { $1 }
            return rows.sorted { one, other in
                let (first, second) = (names[one.pid] ?? "", names[other.pid] ?? "")
                return first == second ? one.client < other.client : first < second
            }
        }
        return rows.sorted { one, other in
            switch order {
            case 1: Self.order(one.bytesIn, other.bytesIn, one.client < other.client)
            case 2: Self.order(one.bytesOut, other.bytesOut, one.client < other.client)
            default: Self.order(one.posts, other.posts, one.client < other.client)
            }
        }
    }

    /// Whoever connects for each post is no poster that two looks see, but has an account.
    func accounts(order: Int = 0) -> [AccountRow] {
        let before = Dictionary((previous?.accounts ?? []).map { ($0.name, $0) }) { $1 }
        let rows = (latest?.accounts ?? []).map { account in
            let old = before[account.name]
            return AccountRow(
                name: account.name, uid: account.uid, unit: account.unit, clients: account.clients,
                posts: rate(account.posts, old?.posts), bytesIn: rate(account.bytesIn, old?.bytesIn),
                refusals: rate(account.refused, old?.refused))
        }
        return rows.sorted { one, other in
            switch order {
            case 1: Self.order(one.bytesIn, other.bytesIn, one.name, other.name)
            case 2: Self.order(one.refusals, other.refusals, one.name, other.name)
            case 3: one.name < other.name
            default: Self.order(one.posts, other.posts, one.name, other.name)
            }
        }
    }

    /// The greater first, and what is as great in the order of names.
    private static func order(_ one: Double, _ other: Double, _ first: String, _ second: String) -> Bool {
        order(one, other, first < second)
    }

    private static func order(_ one: Double, _ other: Double, _ isBefore: Bool) -> Bool {
        one == other ? isBefore : one > other
    }
}
