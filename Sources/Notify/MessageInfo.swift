// What the daemon says about a message besides its payload.

public import FoundationEssentials

extension NotifyCenter {
    /// Who posted a message, as the kernel says, never the poster.
    public struct Sender: Sendable, Hashable {
        /// The daemon's number for the connection.
        public var client: UInt64
        /// The process.
        public var pid: Int32
        /// The user.
        public var uid: UInt32
    }

    /// What the daemon says about a message besides its payload.
    public struct MessageInfo: Sendable, Hashable {
        /// The message's number on its channel: contiguous, from 1.
        public var sequence: UInt64
        /// The message's place in everything that the daemon accepted: strictly increasing.
        public var position: UInt64
        /// The life of the daemon's numbering that the position belongs to: ``ServerInfo/epoch`` of the daemon that it came
        /// from. Who writes down how far they have come writes down both, for ``Replay/after(_:epoch:)``.
        public var epoch: String
        /// When the daemon accepted it.
        public var time: Date
        /// The same time exactly as the daemon wrote it (RFC 3339).
        public var timestamp: String
        /// Whom or what it is about.
        public var subject: Subject?
        /// Who posted it.
        public var sender: Sender
        /// Whether it comes from what the daemon keeps of the past: by ``Replay``, or because the connection was lost when
        /// it was posted.
        public var isReplay: Bool
        /// Whether it is its channel's retained value.
        public var isRetained: Bool
        /// How urgent it is.
        public var priority: Priority
    }
}
