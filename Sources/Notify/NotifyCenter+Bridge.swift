// What NotifyFoundation needs to join a center to a classic notification center.

extension NotifyCenter {
    /// Calls a closure for whatever happens on the channels that match a pattern, one at a time, in the daemon's order,
    /// off the main actor.
    package func observe(
        _ pattern: Pattern, using handler: @escaping @Sendable (RawEvent) async -> Void
    ) -> ObservationToken {
        Observer.startRaw(link.subscribe(.raw([pattern], SubscriptionOptions()))) { event, gate in
            guard gate.pass() else { return false }
            await handler(event)
            return true
        }
    }

    /// Posts bytes from synchronous code. `body` gets the receipt before they are sent.
    package func submitAtOnce(
        payload: some Sequence<UInt8>, to channel: Channel, subject: Subject?, _ body: (PendingReceipt) -> Void
    ) throws(NotifyError) {
        try link.submitAtOnce(try draft(payload, channel, nil, subject, PostOptions()), body)
    }

    /// Tells ``diagnostics`` of a refusal that nobody waits for.
    package func refuse(_ error: NotifyError) {
        link.refuse(error)
    }
}
