// At most one element in an interval, and always the last one of a burst.

extension NotifyCenter.MessageSequence {
    /// At most one element in an interval: the first at once, then the last that came until the interval was over.
    ///
    /// The last element of a burst always comes, without another one to push it. ``NotifyCenter/SubscriptionOptions/minimumInterval``
    /// has the daemon do this, for each channel and subject, so that what is left out is not even sent.
    ///
    /// - Parameters:
    ///   - interval: How long.
    ///   - clock: What measures it; in tests one that is set by hand.
    public func throttle<C: Clock>(
        for interval: C.Instant.Duration, clock: C = ContinuousClock()
    ) -> NotifyCenter.ThrottleSequence<Self, C> {
        NotifyCenter.ThrottleSequence(base: self, interval: interval, clock: clock)
    }
}

extension NotifyCenter {
    /// What ``NotifyCenter/MessageSequence/throttle(for:clock:)`` makes of a sequence.
    public struct ThrottleSequence<Base: AsyncSequence & Sendable, C: Clock>: MessageSequence
    where Base.Element: Sendable {
        /// What comes.
        public typealias Element = Base.Element
        /// What the sequence behind it may throw.
        public typealias Failure = Base.Failure
        typealias Rule = ThrottleRule<Base.Element, C.Instant>

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

extension NotifyCenter.ThrottleSequence: BelongsToTestWorld {
    package var testWorld: TestWorld? { TestWorld.of(clock) ?? TestWorld.of(base) }
}
