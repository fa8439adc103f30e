// Posting: with a receipt, pipelined, or from synchronous code.

extension NotifyCenter {
    /// Posts a message and waits until the daemon has accepted it.
    ///
    /// Posts of one task arrive in their order. A post whose answer was lost with the connection is sent again under the
    /// same key, so that the daemon delivers it once. Where that cannot be, because the daemon was started anew meanwhile
    /// or because there were more than about a hundred such posts in a second, it fails with
    /// `notConnected`, and the message says that it may have been accepted. One that was not sent yet waits for the
    /// daemon, at most for the connect timeout.
    ///
    /// - Throws: `encodingFailed`, `notConnected`, `closed`, `cancelled`, `timedOut`, or the daemon's refusal.
    @discardableResult
    public nonisolated(nonsending) func post<M: Message>(
        _ message: M, subject: Subject? = nil, options: PostOptions = PostOptions()
    ) async throws(NotifyError) -> PostReceipt {
        try await link.post(try draft(message, subject, options))
    }

    /// Sends a message at once and lets the receipt be awaited later, so that many can be on their way. It is sent again
    /// after a lost connection only if it has a ``PostOptions/deduplicationKey``.
    ///
    /// Suspends only while the bounded send buffer is full.
    public nonisolated(nonsending) func submit<M: Message>(
        _ message: M, subject: Subject? = nil, options: PostOptions = PostOptions()
    ) async throws(NotifyError) -> PendingReceipt {
        try await link.submit(try draft(message, subject, options), isPipelined: true)
    }

    /// Posts bytes and waits until the daemon has accepted them.
    ///
    /// The payload is one JSON value, passed on byte for byte; only line breaks between its tokens become spaces.
    ///
    /// - Throws: `invalidJSON` with the offset when the payload is not strict JSON, and what ``post(_:subject:options:)``
    ///   throws.
    @discardableResult
    public nonisolated(nonsending) func post(
        payload: some Sequence<UInt8>, to channel: Channel, type: String? = nil, subject: Subject? = nil,
        options: PostOptions = PostOptions()
    ) async throws(NotifyError) -> PostReceipt {
        try await link.post(try draft(payload, channel, type, subject, options))
    }

    /// Sends bytes at once and lets the receipt be awaited later, so that many can be on their way. They are sent again
    /// after a lost connection only if they have a ``PostOptions/deduplicationKey``.
    ///
    /// Suspends only while the bounded send buffer is full.
    public nonisolated(nonsending) func submit(
        payload: some Sequence<UInt8>, to channel: Channel, type: String? = nil, subject: Subject? = nil,
        options: PostOptions = PostOptions()
    ) async throws(NotifyError) -> PendingReceipt {
        try await link.submit(try draft(payload, channel, type, subject, options), isPipelined: true)
    }

    /// Posts a message from synchronous code: never blocks, gives no receipt.
    ///
    /// Enqueued posts keep their order among themselves and wait for the daemon if it is away, bounded. A refusal by
    /// the daemon goes to ``diagnostics``. ``shutdown(drainingFor:)`` sees to it that all are sent.
    ///
    /// ```swift
    /// try center.enqueue(CartDidChange(itemCount: 2), coalescing: .onChannel(within: .milliseconds(50)))
    /// ```
    ///
    /// With `coalescing` it is held back for a moment, in which a newer one takes its place.
    ///
    /// - Throws: `encodingFailed`; `overflow` when too much waits already; `closed`.
    public func enqueue<M: Message>(
        _ message: M, subject: Subject? = nil, options: PostOptions = PostOptions(), coalescing: Coalescing? = nil
    ) throws(NotifyError) {
        try link.enqueue(try draft(message, subject, options), coalescing)
    }

    /// Posts bytes from synchronous code: never blocks, gives no receipt.
    ///
    /// With `coalescing` it is held back for a moment, in which a newer one takes its place.
    ///
    /// - Throws: `invalidJSON` with the offset when the payload is not strict JSON; `overflow` when too much waits
    ///   already; `closed`.
    public func enqueue(
        payload: some Sequence<UInt8>, to channel: Channel, type: String? = nil, subject: Subject? = nil,
        options: PostOptions = PostOptions(), coalescing: Coalescing? = nil
    ) throws(NotifyError) {
        try link.enqueue(try draft(payload, channel, type, subject, options), coalescing)
    }

    func draft<M: Message>(
        _ message: M, _ subject: Subject?, _ options: PostOptions
    ) throws(NotifyError) -> PostDraft {
        PostDraft(
            channel: M.channel, type: M.type, subject: subject, payload: try PayloadCoder.encode(message),
            terms: try options.onWire())
    }

    func draft(
        _ payload: some Sequence<UInt8>, _ channel: Channel, _ type: String?, _ subject: Subject?,
        _ options: PostOptions
    ) throws(NotifyError) -> PostDraft {
        if let type { try NameRules.checkLabel(type, of: "type") }
        return PostDraft(
            channel: channel, type: type, subject: subject, payload: try PayloadCoder.check(payload),
            terms: try options.onWire())
    }
}
