// Observers: closures that are called for each message, one at a time, until their token is cancelled or gone.
// The same with identifiers is in NotifyCenter+Identifiers.swift.

extension NotifyCenter {
    /// Calls a closure for each message of a type, one at a time, in the daemon's order, off the main actor.
    ///
    /// It may block its thread: that is not one of those that Swift's tasks share. When very many handlers block at a time
    /// (more than 64), further ones wait for them.
    ///
    /// - Parameters:
    ///   - subject: Only messages about exactly this subject; nil: all.
    ///   - type: What is observed.
    ///   - bufferSize: How many messages wait at most; at least 1. Of more the oldest are dropped.
    ///   - handler: Is called, and awaited, for each.
    /// - Returns: the token that keeps the observer: keep it, or store it in a collection.
    public func addObserver<M: Message>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken {
        Observer.start(source(subject, type, bufferSize), type) { message, gate in
            guard gate.pass() else { return false }
            await handler(message)
            return true
        }
    }

    /// Calls a closure with an object for each message of a type, until the object is gone.
    ///
    /// The observer does not keep the object: use it instead of `[weak self]`.
    ///
    /// ```swift
    /// actor Basket {
    ///     var itemCount = 0
    ///     func apply(_ change: CartDidChange) { itemCount = change.itemCount }
    /// }
    ///
    /// let basket = Basket()
    /// let token = center.addObserver(for: CartDidChange.self, context: basket) { basket, change in
    ///     await basket.apply(change)
    /// }
    /// ```
    public func addObserver<M: Message, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for type: M.Type, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @Sendable (Context, M) async -> Void
    ) -> ObservationToken {
        Observer.start(source(subject, type, bufferSize), type) { [weak context] message, gate in
            guard let context, gate.pass() else { return false }
            await handler(context, message)
            return true
        }
    }

    /// Calls a closure on the main actor for each message of a type, one at a time, in the daemon's order. If it suspends,
    /// the main actor goes on, and the next message waits.
    public func addMainActorObserver<M: Message>(
        of subject: Subject? = nil, for type: M.Type, bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (M) async -> Void
    ) -> ObservationToken {
        Observer.startOnMainActor(source(subject, type, bufferSize), type) { message, gate in
            guard gate.pass() else { return false }
            await handler(message)
            return true
        }
    }

    /// Calls a closure on the main actor with an object for each message of a type, until the object is gone.
    ///
    /// The observer does not keep the object: use it instead of `[weak self]`.
    public func addMainActorObserver<M: Message, Context: AnyObject & Sendable>(
        of subject: Subject? = nil, for type: M.Type, context: Context,
        bufferSize: Int = BufferPolicy.defaultCount,
        using handler: @escaping @MainActor (Context, M) async -> Void
    ) -> ObservationToken {
        Observer.startOnMainActor(source(subject, type, bufferSize), type) { [weak context] message, gate in
            guard let context, gate.pass() else { return false }
            await handler(context, message)
            return true
        }
    }

    private func source<M: Message>(_ subject: Subject?, _ type: M.Type, _ bufferSize: Int) -> FeedSource {
        link.subscribe(.typed(type, subject: subject, buffer: .bufferingNewest(bufferSize)))
    }
}
