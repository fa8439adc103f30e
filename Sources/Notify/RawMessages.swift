// Messages as bytes, and the whole truth about them.

extension NotifyCenter {
    /// Messages as bytes. Never throws; ends when the center is closed or the task cancelled.
    public struct RawMessages: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = RawMessage
        /// It never throws.
        public typealias Failure = Never

        let source: FeedSource

        /// How many messages were dropped because they were not taken in time.
        public var droppedCount: UInt64 { source.counters.dropped }

        /// Takes one message after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var reader: FeedReader

            /// The next message; nil at the end.
            public nonisolated(nonsending) mutating func next() async -> RawMessage? {
                await next(isolation: #isolation)
            }

            /// The next message; nil at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> RawMessage? {
                if let message = reader.nextAtHand() { return message }
                while let item = await reader.next(isolation: actor) {
                    if case .message(let message) = item {
                        return message
                    }
                }
                return nil
            }
        }

        /// The first iterator gets what came since the sequence was made; a further one has its own buffer from now.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: source.makeReader())
        }
    }

    /// What happens on a subscription.
    public enum RawEvent: Sendable {
        /// A message.
        case message(RawMessage)
        /// Messages are missing here.
        case gap(Gap)
        /// What was asked for by `replay` is through.
        case live
        /// The daemon was lost, or could not be reached; the center tries again.
        case disconnected(NotifyError)
        /// The daemon is back and the subscription made again.
        case reconnected
    }

    /// What happens on a subscription, as bytes. Throws what ends the subscription.
    public struct RawEvents: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = RawEvent
        /// What ends a subscription.
        public typealias Failure = NotifyError

        let source: FeedSource

        /// Takes one event after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var reader: FeedReader

            /// The next event; nil when the center was shut down or the task cancelled.
            public nonisolated(nonsending) mutating func next() async throws(NotifyError) -> RawEvent? {
                try await next(isolation: #isolation)
            }

            /// The next event; nil when the center was shut down or the task cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(NotifyError) -> RawEvent? {
                guard let item = await reader.next(isolation: actor) else {
                    try reader.checkFailure()
                    return nil
                }
                return item
            }

            /// Whether the next event is there already: `next()` will not have to wait for the daemon. For programs
            /// that write many messages at once but never keep one back.
            public var isNextReady: Bool { reader.isNextReady }
        }

        /// The first iterator gets what came since the sequence was made; a further one has its own buffer from now.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: source.makeReader())
        }
    }
}
