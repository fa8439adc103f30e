// What happens when messages come faster than they are taken.

extension NotifyCenter {
    /// What happens when messages come faster than they are taken.
    public struct BufferPolicy: Sendable, Hashable {
        /// How many messages wait at most.
        public let messages: Int

        /// Messages that wait unless said otherwise.
        public static let defaultCount = 65536

        /// Keeps the newest `count` messages: the oldest waiting one is dropped, counted, and told as a gap.
        ///
        /// - Precondition: `count` is at least 1.
        public static func bufferingNewest(_ count: Int) -> BufferPolicy {
            precondition(count >= 1, "a buffer holds at least 1 message, not \(count)")
            return BufferPolicy(messages: count)
        }
    }
}
