// Questions to the daemon: retained messages, lists, counters.

extension NotifyCenter {
    /// The retained message of a channel; nil when there is none.
    public nonisolated(nonsending) func retained(on channel: Channel) async throws(NotifyError) -> RawMessage? {
        try await link.ask(.get(channel)).retainedMessage()
    }

    /// Forgets the retained message of a channel.
    public nonisolated(nonsending) func clearRetained(on channel: Channel) async throws(NotifyError) {
        _ = try await link.ask(.clear(channel))
    }

    /// Takes back a message that is to be posted later.
    ///
    /// - Parameter schedule: ``PostReceipt/schedule`` of its receipt.
    /// - Throws: `unknown_schedule` when it was posted or taken back already, or is another user's.
    public nonisolated(nonsending) func cancel(schedule: UInt64) async throws(NotifyError) {
        _ = try await link.ask(.cancel(schedule))
    }

    /// The daemon's channels, all or those that match.
    public nonisolated(nonsending) func channels(
        matching pattern: Pattern? = nil
    ) async throws(NotifyError) -> Listing<ChannelInfo> {
        try await listing("channels") { .channels(pattern, after: $0) }
    }

    /// The daemon's connections.
    public nonisolated(nonsending) func clients() async throws(NotifyError) -> Listing<ClientInfo> {
        try await listing("clients") { .clients(after: $0) }
    }

    /// The daemon's subscriptions, all or those that have a channel in common with the pattern.
    public nonisolated(nonsending) func subscriptions(
        matching pattern: Pattern? = nil
    ) async throws(NotifyError) -> Listing<SubscriptionInfo> {
        try await listing("subscriptions") { .subscriptions(pattern, after: $0) }
    }

    /// All answers that the list takes.
    private nonisolated(nonsending) func listing<Element>(
        _ key: String, _ question: (String?) -> Question
    ) async throws(NotifyError) -> Listing<Element> {
        var listing = Listing<Element>(elements: [], isTruncated: false)
        var place: String?
        while true {
            let reply = try await link.ask(question(place))
            listing.elements += try reply.elements(key)
            let next = reply.next
            // A daemon that says the same place again would be asked for ever.
            guard let next, next != place else {
                listing.isTruncated = reply.isTruncated
                return listing
            }
            place = next
        }
    }

    /// The daemon's counters.
    public nonisolated(nonsending) func statistics() async throws(NotifyError) -> Statistics {
        try await link.ask(.statistics).statistics()
    }

    /// Asks for a sign of life and says how long it took.
    ///
    /// - Throws: `notConnected` without a daemon; `timedOut` when it does not answer within the request timeout.
    public nonisolated(nonsending) func ping() async throws(NotifyError) -> Duration {
        let start = link.now
        _ = try await link.ask(.ping)
        return .nanoseconds(Int64(link.now - start))
    }
}
