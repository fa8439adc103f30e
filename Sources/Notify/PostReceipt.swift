// The daemon's word that a message was accepted.

extension NotifyCenter {
    /// The daemon's word that a message was accepted.
    public struct PostReceipt: Sendable, Hashable {
        /// The message's number on its channel: contiguous, from 1. 0 for one that is posted later.
        public var sequence: UInt64
        /// The message's place in everything that the daemon accepted: strictly increasing. 0 for one that is posted
        /// later.
        public var position: UInt64
        /// How many subscriptions it was queued for.
        public var matched: Int
        /// How many subscriptions lost something to make room for it.
        public var dropped: Int
        /// Whether an earlier message with the same ``PostOptions/deduplicationKey`` is what this receipt is of.
        public var isDuplicate: Bool
        /// For a message that is posted later by ``PostOptions/delay`` or ``PostOptions/at``: its number for
        /// ``NotifyCenter/cancel(schedule:)``.
        public var schedule: UInt64?
        /// Whether the message is held back by ``PostOptions/coalesceWithin``.
        public var isHeld: Bool
        /// Whether it has replaced one that was held back.
        public var hasReplaced: Bool

        /// Makes a receipt.
        public init(
            sequence: UInt64, position: UInt64, matched: Int, dropped: Int, isDuplicate: Bool = false,
            schedule: UInt64? = nil, isHeld: Bool = false, hasReplaced: Bool = false
        ) {
            self.sequence = sequence
            self.position = position
            self.matched = matched
            self.dropped = dropped
            self.isDuplicate = isDuplicate
            self.schedule = schedule
            self.isHeld = isHeld
            self.hasReplaced = hasReplaced
        }
    }
}
