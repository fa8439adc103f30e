// What happens when messages come faster than they are taken.

import NotifyWire

extension NotifyCenter {
    /// What happens when messages come faster than they are taken.
    ///
    /// It holds for both queues of a subscription: the daemon's, and the one in this process. What is lost is told as a gap.
    public struct BufferPolicy: Sendable, Hashable {
        let kind: NotifyWire.BufferPolicy

        /// How many messages wait at most.
        public let messages: Int

        /// Messages that wait unless said otherwise.
        public static let defaultCount = 65536

        /// Keeps the newest of as many as wait unless said otherwise.
        public static let standard = bufferingNewest(defaultCount)

        private init(_ kind: NotifyWire.BufferPolicy, _ count: Int) {
            precondition(count >= 1, "a buffer holds at least 1 message, not \(count)")
            self.kind = kind
            messages = count
        }

        /// Keeps the newest `count` messages: the oldest waiting one is dropped, counted, and told as a gap.
        ///
        /// - Precondition: `count` is at least 1.
        public static func bufferingNewest(_ count: Int) -> BufferPolicy { BufferPolicy(.newest, count) }

        /// Keeps the oldest `count` messages: while they wait, new ones are dropped, counted, and told as a gap.
        ///
        /// - Precondition: `count` is at least 1.
        public static func bufferingOldest(_ count: Int) -> BufferPolicy { BufferPolicy(.oldest, count) }

        /// Keeps the last message of each channel and subject: for channels that tell a state. What it replaces is told as
        /// a gap of the reason ``Gap/Reason/coalesced``.
        public static let latestPerSubject = BufferPolicy(.latest, defaultCount)

        /// Ends the subscription with the error ``NotifyError/Code/overflow`` rather than lose one of more than `count`
        /// messages; those that wait are still delivered before.
        ///
        /// - Precondition: `count` is at least 1.
        public static func failing(_ count: Int) -> BufferPolicy { BufferPolicy(.fail, count) }

        /// Keeps others from posting while `count` messages wait, instead of losing any: for at most as long as the daemon
        /// allows, and only if it allows it at all.
        ///
        /// While the buffer in this process is full, the center reads nothing, and its other subscriptions wait, too: give
        /// such a subscription a center of its own. Only when somebody waits for an answer of the daemon does it read on, and
        /// the buffer gets fuller; so who takes the messages had better post by another center.
        ///
        /// - Precondition: `count` is at least 1.
        public static func blocking(_ count: Int) -> BufferPolicy { BufferPolicy(.block, count) }
    }
}
