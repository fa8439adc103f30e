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

        /// Makes options.
        public init(
            type: String? = nil, subject: Subject? = nil, fromUID: UInt32? = nil, echo: Bool = true,
            replay: Replay = .none, buffer: BufferPolicy = .bufferingNewest(BufferPolicy.defaultCount)
        ) {
            self.type = type
            self.subject = subject
            self.fromUID = fromUID
            self.echo = echo
            self.replay = replay
            self.buffer = buffer
        }
    }
}
