// Asynchronous sequences of messages. Each is subscribed when the call returns, not when iteration begins.
// The same with identifiers is in NotifyCenter+Identifiers.swift.

extension NotifyCenter {
    /// The messages of a type, from now on.
    ///
    /// What this process posts after the call, or another one that was told after ``ready()``, is never missed.
    /// A slow reader loses the oldest waiting messages beyond `bufferSize`, counted in `droppedCount`.
    ///
    /// - Parameters:
    ///   - subject: Only messages about exactly this subject; nil: all.
    ///   - type: The type of the messages.
    ///   - bufferSize: How many messages wait at most; at least 1.
    public func messages<M: Message>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount
    ) -> Messages<M> {
        Messages(source: link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize))))
    }

    /// The messages of a type with the whole truth: gaps, what cannot be decoded, the connection's fate.
    ///
    /// - Parameters:
    ///   - subject: Only messages about exactly this subject; nil: all.
    ///   - type: The type of the messages.
    ///   - replay: What comes of the past, before the messages from now on.
    ///   - buffer: What happens when messages come faster than they are taken.
    public func events<M: Message>(
        of subject: Subject? = nil, for type: M.Type, replay: Replay = .none, buffer: BufferPolicy = .standard
    ) -> Events<M> {
        Events(source: link.subscribe(.typed(type, subject: subject, replay: replay, buffer: buffer)))
    }

    /// The messages on all channels that match a pattern, as bytes.
    public func rawMessages(
        matching pattern: Pattern, options: SubscriptionOptions = SubscriptionOptions()
    ) -> RawMessages {
        RawMessages(source: link.subscribe(.raw([pattern], options)))
    }

    /// What happens on all channels that match one of these patterns. A message that matches several comes once.
    ///
    /// - Precondition: there is at least one pattern.
    public func rawEvents(
        matching patterns: [Pattern], options: SubscriptionOptions = SubscriptionOptions()
    ) -> RawEvents {
        precondition(!patterns.isEmpty, "rawEvents needs at least one pattern")
        return RawEvents(source: link.subscribe(.raw(patterns, options)))
    }

    /// Runs `body` with the messages of a type: it begins after the daemon has acknowledged the subscription, which
    /// ends with it.
    ///
    /// - Throws: what `body` throws, and ``NotifyError`` when the daemon cannot be reached or refuses.
    public func withMessages<M: Message, Result>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount,
        isolation: isolated (any Actor)? = #isolation, _ body: (Messages<M>) async throws -> Result
    ) async throws -> Result {
        let source = link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
        defer { source.close() }
        try await source.acknowledged()
        return try await body(Messages(source: source))
    }
}
