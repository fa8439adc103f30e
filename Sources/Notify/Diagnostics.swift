// What went wrong without an error to throw: told once, and counted.

extension NotifyCenter {
    /// Something that went wrong without an error to throw.
    public enum Diagnostic: Sendable {
        /// A message that an observer or a `messages` sequence skipped, and why.
        case undecodable(RawMessage, NotifyError)
        /// A buffer of this process was full and dropped the oldest message it held. Told once per consumer until it
        /// has caught up.
        case slowConsumer(Channel)
        /// The daemon refused something that nobody waits for: an enqueued post or a subscription.
        case refused(NotifyError)
        /// The connection was lost or could not be made.
        case disconnected(NotifyError)
    }

    /// Counters of what went wrong without an error to throw.
    public struct Diagnostics: Sendable, Hashable {
        /// Messages skipped because they could not be decoded.
        public var undecodable: UInt64 = 0
        /// Messages dropped because a consumer in this process was slow.
        public var dropped: UInt64 = 0
        /// Enqueued posts and subscriptions that the daemon refused.
        public var refused: UInt64 = 0
        /// How often the connection was lost or could not be made.
        public var disconnects: UInt64 = 0
    }
}
