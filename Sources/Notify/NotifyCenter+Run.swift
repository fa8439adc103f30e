// A center as a service: it runs until it ends or its task is cancelled.

extension NotifyCenter {
    /// Connects, and returns when the center has ended: for a task that stands for the center, as in a group of services.
    ///
    /// ```swift
    /// try await withThrowingTaskGroup(of: Void.self) { group in
    ///     group.addTask { try await center.run() }
    ///     group.addTask {
    ///         for await change in center.messages(for: CartDidChange.self) { print(change.itemCount) }
    ///     }
    ///     try await group.next()
    ///     group.cancelAll()
    /// }
    /// ```
    ///
    /// Cancelling the task shuts the center down in good order, as ``shutdown(drainingFor:)`` does, and lets this return.
    /// Nothing else does it for you: a center works without being run.
    ///
    /// - Parameter limit: how long answers are awaited after the task was cancelled.
    /// - Throws: why the center has ended, if it was not shut down: with ``Configuration/reconnects`` off, when the
    ///   connection was lost.
    public func run(drainingFor limit: Duration = .seconds(5)) async throws(NotifyError) {
        try await link.run(drainingFor: limit)
    }
}
