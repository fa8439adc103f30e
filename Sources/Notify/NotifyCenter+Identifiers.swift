// A message type may be named by an identifier everywhere: `for: .cartDidChange` instead of `for: CartDidChange.self`.

extension NotifyCenter {
    /// The messages of a type that is named by an identifier.
    public func messages<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier, bufferSize: Int = BufferPolicy.defaultCount
    ) -> Messages<Identifier.MessageType> {
        messages(of: subject, for: Identifier.MessageType.self, bufferSize: bufferSize)
    }

    /// The events of a type that is named by an identifier.
    public func events<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier, replay: Replay = .none, buffer: BufferPolicy = .standard
    ) -> Events<Identifier.MessageType> {
        events(of: subject, for: Identifier.MessageType.self, replay: replay, buffer: buffer)
    }

    /// Runs `body` with the messages of a type that is named by an identifier.
    public func withMessages<Identifier: MessageIdentifier, Result>(
        of subject: Subject? = nil, for identifier: Identifier, bufferSize: Int = BufferPolicy.defaultCount,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<Identifier.MessageType>) async throws -> Result
    ) async throws -> Result {
        try await withMessages(
            of: subject, for: Identifier.MessageType.self, bufferSize: bufferSize, isolation: isolation, body)
    }

    /// Calls a closure for each message of a type that is named by an identifier.
    public func addObserver<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (Identifier.MessageType) async -> Void
    ) -> ObservationToken {
        addObserver(of: subject, for: Identifier.MessageType.self, bufferSize: bufferSize, using: handler)
    }

    /// Calls a closure with an object for each message of a type that is named by an identifier, until the object is gone.
    public func addObserver<Identifier: MessageIdentifier, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for identifier: Identifier, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (Context, Identifier.MessageType) async -> Void
    ) -> ObservationToken {
        addObserver(
            of: subject, for: Identifier.MessageType.self, context: context, bufferSize: bufferSize, using: handler)
    }

    /// Calls a closure on the main actor for each message of a type that is named by an identifier.
    public func addMainActorObserver<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (Identifier.MessageType) async -> Void
    ) -> ObservationToken {
        addMainActorObserver(of: subject, for: Identifier.MessageType.self, bufferSize: bufferSize, using: handler)
    }

    /// Calls a closure on the main actor with an object for each message of a type that is named by an identifier, until
    /// the object is gone.
    public func addMainActorObserver<Identifier: MessageIdentifier, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for identifier: Identifier, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (Context, Identifier.MessageType) async -> Void
    ) -> ObservationToken {
        addMainActorObserver(
            of: subject, for: Identifier.MessageType.self, context: context, bufferSize: bufferSize, using: handler)
    }
}
