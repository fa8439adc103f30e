// Typed messages for people who do not want to hear of trouble: what cannot be decoded is skipped and counted.

extension NotifyCenter {
    /// The messages of one type. Never throws; ends when the center is closed or the task cancelled.
    public struct Messages<M: Message>: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = M
        /// It never throws.
        public typealias Failure = Never

        let source: FeedSource

        /// How many messages were dropped because they were not taken in time.
        public var droppedCount: UInt64 { source.counters.dropped }

        /// How many messages were skipped because they are not of this type.
        public var undecodableCount: UInt64 { source.counters.undecodable }

        /// Takes one message after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var reader: FeedReader

            /// The next message; nil at the end.
            public nonisolated(nonsending) mutating func next() async -> M? {
                await next(isolation: #isolation)
            }

            /// The next message; nil at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> M? {
                while let item = await reader.next(isolation: actor) {
                    if case .message(let raw) = item, let message = reader.readOrSkip(M.self, from: raw) {
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
}
