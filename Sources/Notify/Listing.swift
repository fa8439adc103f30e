// What the daemon tells about its channels, clients and subscriptions.

extension NotifyCenter {
    /// A list from the daemon, possibly cut short because its line would have been too long.
    public struct Listing<Element: Codable & Sendable>: Sendable {
        /// What was listed.
        public var elements: [Element]
        /// Whether the list goes on beyond what fits into one line.
        public var isTruncated: Bool
    }

    /// A channel as the daemon lists it.
    public struct ChannelInfo: Sendable, Hashable, Codable {
        /// Its name.
        public var channel: Channel
        /// The sequence of its last message.
        public var seq: UInt64
        /// How many subscriptions match it.
        public var subscriptions: Int
        /// Whether it has a retained message.
        public var retained: Bool
    }

    /// A connection as the daemon lists it.
    public struct ClientInfo: Sendable, Hashable, Codable {
        /// The daemon's number for it.
        public var client: UInt64
        /// The process.
        public var pid: Int32
        /// The user.
        public var uid: UInt32
        /// The group.
        public var gid: UInt32
        /// The name it gave itself.
        public var name: String?
        /// How many subscriptions it has.
        public var subscriptions: Int
        /// How many messages it posted.
        public var posts: UInt64
        /// How many messages were delivered to it.
        public var delivered: UInt64
        /// How many messages it lost because it was slow.
        public var dropped: UInt64
        /// How many messages wait for it.
        public var queuedMessages: UInt64
        /// How many bytes wait for it.
        public var queuedBytes: UInt64
        /// When it connected (RFC 3339).
        public var connected: String

        enum CodingKeys: String, CodingKey {
            case client, pid, uid, gid, name, subscriptions, posts, delivered, dropped, connected
            case queuedMessages = "queued_messages"
            case queuedBytes = "queued_bytes"
        }
    }

    /// A subscription as the daemon lists it.
    public struct SubscriptionInfo: Sendable, Hashable, Codable {
        /// The daemon's number for its connection.
        public var client: UInt64
        /// The process.
        public var pid: Int32
        /// The user.
        public var uid: UInt32
        /// The subscription's number on its connection.
        public var sub: UInt64
        /// Its pattern.
        public var channel: String
        /// The type it asks for.
        public var type: String?
        /// The subject it asks for.
        public var subject: String?
        /// The user whose messages it asks for.
        public var fromUID: UInt32?
        /// Whether it gets its own connection's posts; absent means yes.
        public var echo: Bool?
        /// What happens when its queue is full.
        public var policy: String
        /// How many messages may wait.
        public var messages: UInt64
        /// How many bytes may wait.
        public var bytes: UInt64
        /// How many messages wait.
        public var queuedMessages: UInt64
        /// How many bytes wait.
        public var queuedBytes: UInt64
        /// How many messages were delivered.
        public var delivered: UInt64
        /// How many messages were lost.
        public var dropped: UInt64

        enum CodingKeys: String, CodingKey {
            case client, pid, uid, sub, channel, type, subject, echo, policy, messages, bytes, delivered, dropped
            case fromUID = "from_uid"
            case queuedMessages = "queued_messages"
            case queuedBytes = "queued_bytes"
        }
    }
}
