// The last element of a burst, once there is quiet.

extension NotifyCenter.MessageSequence {
    /// The last element of each burst: one after which nothing came for the interval.
    ///
    /// ```swift
    /// for await change in center.messages(for: CartDidChange.self).debounce(for: .milliseconds(200)) {
    ///     print("\(change.itemCount) items, and nobody is adding more")
    /// }
    /// ```
    ///
    /// While elements keep coming there is none; at the end of the sequence the last one comes at once.
    ///
    /// - Parameters:
    ///   - interval: How long.
    ///   - clock: What measures it; in tests one that is set by hand.
    public func debounce<C: Clock>(
        for interval: C.Instant.Duration, clock: C = ContinuousClock()
    ) -> NotifyCenter.DebounceSequence<Self, C> {
        NotifyCenter.DebounceSequence(base: self, interval: interval, clock: clock)
    }
}

extension NotifyCenter {
    /// What ``NotifyCenter/MessageSequence/debounce(for:clock:)`` makes of a sequence.
    public struct DebounceSequence<Base: AsyncSequence & Sendable, C: Clock>: MessageSequence
    where Base.Element: Sendable {
        /// What comes.
        public typealias Element = Base.Element
        /// What the sequence behind it may throw.
        public typealias Failure = Base.Failure
        typealias Rule = DebounceRule<Base.Element, C.Instant>

        let base: Base
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
                    Rule(interval: interval), clock: clock, world: testWorld, [{ [base] in $0.bring(base) }]))
        }
    }
}

extension NotifyCenter.DebounceSequence: BelongsToTestWorld {
    package var testWorld: TestWorld? { TestWorld.of(clock) ?? TestWorld.of(base) }
}
