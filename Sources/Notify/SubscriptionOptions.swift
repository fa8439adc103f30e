// Which messages a subscription wants, and how they wait.

extension NotifyCenter {
    /// Which messages a subscription wants, and how they wait.
    public struct SubscriptionOptions: Sendable, Hashable {
        /// Only messages with exactly this type.
        public var type: String?
        /// Only messages about exactly this subject.
        public var subject: Subject?
        /// Only messages posted by this user.
        public var fromUID: UInt32?
        /// Whether this center's own posts are wanted too.
        public var echo: Bool
        /// What comes before the live messages.
        public var replay: Replay
        /// How messages wait until they are taken.
        public var buffer: BufferPolicy
        /// At most one message of a channel and subject comes in this time; the latest wins, and the last one of a burst
        /// always comes. nil: all come. More than nothing.
        public var minimumInterval: Duration?
        /// The name of a group: of all subscriptions to the same pattern with it one gets each message, whichever programs
        /// they are of. What a group missed while the connection was lost is not made up for.
        public var group: String?

        /// Makes options.
        public init(
            type: String? = nil, subject: Subject? = nil, fromUID: UInt32? = nil, echo: Bool = true,
            replay: Replay = .none, buffer: BufferPolicy = .standard, minimumInterval: Duration? = nil,
            group: String? = nil
        ) {
            self.type = type
            self.subject = subject
            self.fromUID = fromUID
            self.echo = echo
            self.replay = replay
            self.buffer = buffer
            self.minimumInterval = minimumInterval
            self.group = group
        }
    }
}
