// Observers: closures that are called for each message, one at a time, until their token is cancelled or gone.

extension NotifyCenter {
    /// Calls a closure for each message of a type, one at a time, in the daemon's order, off the main actor.
    ///
    /// - Returns: the token that keeps the observer: keep it, or store it in a collection.
    public func addObserver<M: Message>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken {
        let source = link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
        return Observer.start(source, type) { message, gate in
            guard gate.pass() else { return false }
            await handler(message)
            return true
        }
    }

    /// Calls a closure for each message of a type that is named by an identifier.
    public func addObserver<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (Identifier.MessageType) async -> Void
    ) -> ObservationToken {
        addObserver(of: subject, for: Identifier.MessageType.self, bufferSize: bufferSize, using: handler)
    }

    /// Calls a closure with an object for each message of a type, until the object is gone.
    ///
    /// The observer does not keep the object: use it instead of `[weak self]`.
    public func addObserver<M: Message, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for type: M.Type, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (Context, M) async -> Void
    ) -> ObservationToken {
        let source = link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
        return Observer.start(source, type) { [weak context] message, gate in
            guard let context, gate.pass() else { return false }
            await handler(context, message)
            return true
        }
    }

    /// Calls a closure on the main actor for each message of a type, one at a time, in the daemon's order.
    public func addMainActorObserver<M: Message>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        let source = link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
        return Observer.startOnMainActor(source, type) { message, gate in
            guard gate.pass() else { return false }
            handler(message)
            return true
        }
    }

    /// Calls a closure on the main actor with an object for each message of a type, until the object is gone.
    public func addMainActorObserver<M: Message, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for type: M.Type, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (Context, M) -> Void
    ) -> ObservationToken {
        let source = link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
        return Observer.startOnMainActor(source, type) { [weak context] message, gate in
            guard let context, gate.pass() else { return false }
            handler(context, message)
            return true
        }
    }
}
