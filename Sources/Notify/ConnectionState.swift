// How the center stands with its daemon.

extension NotifyCenter {
    /// How the center stands with its daemon.
    public enum ConnectionState: Sendable {
        /// Nothing was asked for yet: the center connects on first use.
        case idle
        /// It tries to reach the daemon.
        case connecting
        /// The daemon answers.
        case connected(ServerInfo)
        /// The daemon cannot be reached or was lost; the center tries again after a pause.
        case disconnected(NotifyError)
        /// It is over: shut down, or lost with `reconnects` off. Nothing follows.
        case closed(NotifyError?)
    }

    /// The states of a center: the present one first, then each change.
    public struct ConnectionStates: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = ConnectionState
        /// It never throws.
        public typealias Failure = Never

        let stream: @Sendable () -> AsyncStream<ConnectionState>

        /// Takes one state after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: AsyncStream<ConnectionState>.AsyncIterator

            /// The next state; nil when the center is closed or the task cancelled.
            public nonisolated(nonsending) mutating func next() async -> ConnectionState? {
                await base.next(isolation: #isolation)
            }

            /// The next state; nil when the center is closed or the task cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
                await base.next(isolation: actor)
            }
        }

        /// An iterator of its own.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: stream().makeAsyncIterator())
        }
    }
}
