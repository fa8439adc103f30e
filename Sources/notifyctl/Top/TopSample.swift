// What the daemon says at one moment, as far as `top` shows it.

import Notify

/// One look at the daemon.
struct TopSample: Sendable, Equatable {
    struct Channel: Sendable, Equatable {
        var name: String
        var posts: UInt64
        var bytes: UInt64
        var deliveries: UInt64
        var subscriptions: Int
    }

    struct Subscription: Sendable, Equatable {
        var client: UInt64
        var pid: Int32
        var uid: UInt32
        var sub: UInt64
        var pattern: String
        var waiting: UInt64
        var waitingBytes: UInt64
        /// Of the oldest message that waits, in milliseconds.
        var lag: UInt64
        var delivered: UInt64
        var dropped: UInt64
    }

    struct Client: Sendable, Equatable {
        var client: UInt64
        var pid: Int32
        var uid: UInt32
        /// What it calls itself.
        var name: String
        var posts: UInt64
        var bytesIn: UInt64
        var bytesOut: UInt64
        /// Why it waits, or is waited for.
        var state: String
    }

    /// All of a user, or of a unit that has an account of its own, also what has gone.
    struct Account: Sendable, Equatable {
        var uid: UInt32?
        var unit: String?
        var clients: UInt64
        var posts: UInt64
        var bytesIn: UInt64
        var refused: UInt64
    }

    struct Totals: Sendable, Equatable {
        var version = ""
        var uptime = 0.0
        /// False: the rest is nothing, because we may not know it.
        var areTold = true
        var clients: UInt64 = 0
        var subscriptions: UInt64 = 0
        var channels: UInt64 = 0
        var posts: UInt64 = 0
        var deliveries: UInt64 = 0
        var dropped: UInt64 = 0
        var refused: UInt64 = 0
        var waiting: UInt64 = 0
        var waitingBytes: UInt64 = 0
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
    }

    /// Which process of the daemon this is of: another one counts anew.
    var life: String
    /// When, in nanoseconds of the monotonic clock.
    var time: UInt64
    /// When the daemon was asked.
    var asked: UInt64 = 0
    var totals: Totals
    var channels: [Channel]
    var subscriptions: [Subscription]
    var clients: [Client]
    var accounts: [Account] = []
}

extension TopSample {
    /// Asks the daemon.
    init(_ center: NotifyCenter, now: () -> UInt64) async throws(NotifyError) {
        asked = now()
        let statistics = try await center.statistics()
        let channels = try await center.channels().elements
        let subscriptions = try await center.subscriptions().elements
        let clients = try await center.clients().elements
        // Of a daemon that was started anew in between the next look tells.
        life = "\(statistics.epoch) \(center.server?.client ?? 0)"
        time = now()
        totals = Totals(statistics)
        self.channels = channels.map(Channel.init)
        self.subscriptions = subscriptions.map(Subscription.init)
        self.clients = clients.map(Client.init)
        accounts = AccountUse.all(statistics).map(Account.init)
    }
}

extension TopSample.Channel {
    init(_ info: NotifyCenter.ChannelInfo) {
        name = info.channel.rawValue
        (posts, bytes, deliveries) = (info.posts ?? info.seq, info.bytes ?? 0, info.deliveries ?? 0)
        subscriptions = info.subscriptions
    }
}

extension TopSample.Subscription {
    init(_ info: NotifyCenter.SubscriptionInfo) {
        (client, pid, uid, sub, pattern) = (info.client, info.pid, info.uid, info.sub, info.channel)
        (waiting, waitingBytes, lag) = (info.queuedMessages, info.queuedBytes, info.lagMilliseconds ?? 0)
        (delivered, dropped) = (info.delivered, info.dropped)
    }
}

extension TopSample.Client {
    init(_ info: NotifyCenter.ClientInfo) {
        (client, pid, uid, name) = (info.client, info.pid, info.uid, info.name ?? "")
        (posts, bytesIn, bytesOut) = (info.posts, info.bytesIn ?? 0, info.bytesOut ?? 0)
        state = Clients.state(info)
    }
}

extension TopSample.Account {
    init(_ use: AccountUse) {
        (uid, unit, clients) = (use.uid, use.unit, use.clients ?? 0)
        (posts, bytesIn, refused) = (use.posts ?? 0, use.bytesIn ?? 0, use.refused ?? 0)
    }

    var name: String { unit ?? uid.map { "uid \($0)" } ?? "" }
}

extension TopSample.Totals {
    init(_ statistics: NotifyCenter.Statistics) {
        (version, uptime, areTold) = (statistics.version, statistics.uptime, statistics.hasTotals)
        (clients, subscriptions, channels) = (statistics.clients, statistics.subscriptions, statistics.channels)
        (posts, deliveries, dropped) = (statistics.posts, statistics.deliveries, statistics.dropped)
        (refused, waiting, waitingBytes) = (statistics.refused, statistics.queuedMessages, statistics.queuedBytes)
        (bytesIn, bytesOut) = (statistics.bytesIn, statistics.bytesOut)
    }
}
