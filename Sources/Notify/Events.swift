// Typed messages with the whole truth: gaps, what cannot be decoded, and the connection's fate.

extension NotifyCenter {
    /// What happens on a typed subscription.
    public enum Event<M: Message>: Sendable {
        /// A message.
        case message(M, MessageInfo)
        /// Messages are missing here.
        case gap(Gap)
        /// A message that is malformed for this type or of another type.
        case undecodable(RawMessage, NotifyError)
        /// What was asked for by `replay` is through.
        case live
        /// The daemon was lost, or could not be reached; the center tries again.
        case disconnected(NotifyError)
        /// The daemon is back and the subscription made again.
        case reconnected
    }

    /// What happens on a typed subscription. Throws what ends the subscription.
    public struct Events<M: Message>: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = Event<M>
        /// What ends a subscription.
        public typealias Failure = NotifyError

        let source: FeedSource

        /// Takes one event after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var reader: FeedReader

            /// The next event; nil when the center was shut down or the task cancelled.
            public nonisolated(nonsending) mutating func next() async throws(NotifyError) -> Event<M>? {
                try await next(isolation: #isolation)
            }

            /// The next event; nil when the center was shut down or the task cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(NotifyError) -> Event<M>? {
                guard let item = await reader.next(isolation: actor) else {
                    try reader.checkFailure()
                    return nil
                }
                switch item {
                case .message(let raw):
                    do {
                        return .message(try reader.read(M.self, from: raw), raw.info)
                    } catch {
                        return .undecodable(raw, error)
                    }
                case .gap(let gap): return .gap(gap)
                case .live: return .live
                case .disconnected(let error): return .disconnected(error)
                case .reconnected: return .reconnected
                }
            }
        }

        /// The first iterator gets what came since the sequence was made; a further one has its own buffer from now.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: source.makeReader())
        }
    }
}
