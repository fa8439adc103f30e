// Questions to the daemon: retained messages, lists, counters.

extension NotifyCenter {
    /// The retained message of a channel; nil when there is none.
    public func retained(on channel: Channel) async throws(NotifyError) -> RawMessage? {
        try await link.ask(.get(channel)).retainedMessage()
    }

    /// Forgets the retained message of a channel.
    public func clearRetained(on channel: Channel) async throws(NotifyError) {
        _ = try await link.ask(.clear(channel))
    }

    /// Takes back a message that is to be posted later.
    ///
    /// - Parameter schedule: ``PostReceipt/schedule`` of its receipt.
    /// - Throws: `unknown_schedule` when it was posted or taken back already, or is another user's.
    public func cancel(schedule: UInt64) async throws(NotifyError) {
        _ = try await link.ask(.cancel(schedule))
    }

    /// The daemon's channels, all or those that match.
    public func channels(matching pattern: Pattern? = nil) async throws(NotifyError) -> Listing<ChannelInfo> {
        try await link.ask(.channels(pattern)).listing("channels")
    }

    /// The daemon's connections.
    public func clients() async throws(NotifyError) -> Listing<ClientInfo> {
        try await link.ask(.clients).listing("clients")
    }

    /// The daemon's subscriptions, all or those that match.
    public func subscriptions(
        matching pattern: Pattern? = nil
    ) async throws(NotifyError) -> Listing<SubscriptionInfo> {
        try await link.ask(.subscriptions(pattern)).listing("subscriptions")
    }

    /// The daemon's counters.
    public func statistics() async throws(NotifyError) -> Statistics {
        try await link.ask(.statistics).statistics()
    }

    /// Asks for a sign of life and says how long it took.
    ///
    /// - Throws: `notConnected` without a daemon; `timedOut` when it does not answer within the request timeout.
    public func ping() async throws(NotifyError) -> Duration {
        let start = link.now
        _ = try await link.ask(.ping)
        return .nanoseconds(Int64(link.now - start))
    }
}
