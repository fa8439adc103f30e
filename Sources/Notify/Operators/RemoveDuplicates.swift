// Elements that differ from the one before.

extension NotifyCenter.MessageSequence {
    /// The elements that are not equal to the one before.
    public func removeDuplicates() -> NotifyCenter.RemoveDuplicatesSequence<Self> where Element: Equatable {
        removeDuplicates { $0 == $1 }
    }

    /// The elements that are not the same as the one before, in the eyes of `areSame`, which gets the older one first.
    public func removeDuplicates(
        by areSame: @escaping @Sendable (Element, Element) -> Bool
    ) -> NotifyCenter.RemoveDuplicatesSequence<Self> {
        NotifyCenter.RemoveDuplicatesSequence(base: self, areSame: areSame)
    }
}

extension NotifyCenter {
    /// What ``NotifyCenter/MessageSequence/removeDuplicates(by:)`` makes of a sequence.
    public struct RemoveDuplicatesSequence<Base: AsyncSequence & Sendable>: MessageSequence
    where Base.Element: Sendable {
        /// What comes.
        public typealias Element = Base.Element
        /// What the sequence behind it may throw.
        public typealias Failure = Base.Failure

        let base: Base
        let areSame: @Sendable (Element, Element) -> Bool

        /// Takes one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: Base.AsyncIterator
            let areSame: @Sendable (Element, Element) -> Bool
            var last: Element?

            /// The next one; nil at the end and when the task is cancelled.
            public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
                try await next(isolation: #isolation)
            }

            /// The next one; nil at the end and when the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
                while let element = try await base.next(isolation: actor) {
                    if let last, areSame(last, element) { continue }
                    last = element
                    return element
                }
                return nil
            }
        }

        /// An iterator of its own.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: base.makeAsyncIterator(), areSame: areSame)
        }
    }
}

extension NotifyCenter.RemoveDuplicatesSequence: BelongsToTestWorld {
    package var testWorld: TestWorld? { TestWorld.of(base) }
}
