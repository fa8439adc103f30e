// Elements together.

extension NotifyCenter.MessageSequence {
    /// Elements together, in their order: so many, or as many as came within a time of the first of them.
    ///
    /// ```swift
    /// for await changes in center.messages(for: CartDidChange.self).batches(ofCount: 100, or: .seconds(1)) {
    ///     print("\(changes.count) changes for the database")
    /// }
    /// ```
    ///
    /// A batch is never empty. While nobody takes the next one it grows to its full count and no further: what comes then
    /// waits in the buffer of the sequence.
    ///
    /// - Parameters:
    ///   - count: How many elements a batch has at most; at least 1.
    ///   - interval: How long after its first element a batch is given out although it is not full.
    ///   - clock: What measures it; in tests one that is set by hand.
    public func batches<C: Clock>(
        ofCount count: Int, or interval: C.Instant.Duration, clock: C = ContinuousClock()
    ) -> NotifyCenter.BatchSequence<Self, C> {
        precondition(count >= 1, "a batch has at least 1 element, not \(count)")
        return NotifyCenter.BatchSequence(base: self, count: count, interval: interval, clock: clock)
    }
}

extension NotifyCenter {
    /// What ``NotifyCenter/MessageSequence/batches(ofCount:or:clock:)`` makes of a sequence.
    public struct BatchSequence<Base: AsyncSequence & Sendable, C: Clock>: MessageSequence
    where Base.Element: Sendable {
        /// What comes.
        public typealias Element = [Base.Element]
        /// What the sequence behind it may throw.
        public typealias Failure = Base.Failure
        typealias Rule = BatchRule<Base.Element, C.Instant>

        let base: Base
        let count: Int
        let interval: C.Instant.Duration
        let clock: C

        /// Takes one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let handle: BurstHandle<Rule, C, Failure>

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
                    Rule(count: count, interval: interval), clock: clock, world: testWorld,
                    [{ [base] in $0.bring(base) }]))
        }
    }
}

extension NotifyCenter.BatchSequence: BelongsToTestWorld {
    package var testWorld: TestWorld? { TestWorld.of(clock) ?? TestWorld.of(base) }
}
