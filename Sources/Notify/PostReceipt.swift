// The daemon's word that a message was accepted.

extension NotifyCenter {
    /// The daemon's word that a message was accepted.
    public struct PostReceipt: Sendable, Hashable {
        /// The message's number on its channel: contiguous, from 1.
        public var sequence: UInt64
        /// The message's place in everything that the daemon accepted: strictly increasing.
        public var position: UInt64
        /// How many subscriptions it was queued for.
        public var matched: Int
        /// How many subscriptions lost something to make room for it.
        public var dropped: Int

        /// Makes a receipt.
        public init(sequence: UInt64, position: UInt64, matched: Int, dropped: Int) {
            self.sequence = sequence
            self.position = position
            self.matched = matched
            self.dropped = dropped
        }
    }
}
