// Two sequences as one.

extension NotifyCenter {
    /// The elements of two sequences, each as it comes. One of them may be any other sequence, a timer's for example.
    ///
    /// ```swift
    /// let (timer, _) = AsyncStream.makeStream(of: Void.self)
    /// let changes = center.messages(for: CartDidChange.self).map { _ in () }
    /// for await _ in NotifyCenter.merge(changes, timer) { print("time to draw") }
    /// ```
    ///
    /// It ends when both have ended, and throws when one throws.
    public static func merge<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>(
        _ first: First, _ second: Second
    ) -> MergeSequence<First, Second>
    where First.Element == Second.Element, First.Failure == Second.Failure, First.Element: Sendable {
        MergeSequence(first: first, second: second)
    }

    /// What ``NotifyCenter/merge(_:_:)`` makes of two sequences.
    public struct MergeSequence<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>: MessageSequence
    where First.Element == Second.Element, First.Failure == Second.Failure, First.Element: Sendable {
        /// What comes.
        public typealias Element = First.Element
        /// What the sequences behind it may throw.
        public typealias Failure = First.Failure
        typealias Rule = MergeRule<Element, ContinuousClock.Instant>

        let first: First
        let second: Second

        /// Takes one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let handle: BurstHandle<Rule, ContinuousClock, Failure>

            /// The next one; nil at the end and when the task is cancelled.
            public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
                try await next(isolation: #isolation)
            }

            /// The next one; nil at the end and when the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
                try await handle.next(isolation: actor)
            }
        }

        /// An iterator of its own.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                handle: BurstHandle(
                    Rule(), clock: ContinuousClock(), world: testWorld,
                    [{ [first] in $0.bring(first) }, { [second] in $0.bring(second) }]))
        }
    }
}

extension NotifyCenter.MergeSequence: BelongsToTestWorld {
    package var testWorld: TestWorld? { TestWorld.of(first) ?? TestWorld.of(second) }
}
