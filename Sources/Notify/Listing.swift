// What the daemon tells about its channels, clients and subscriptions.

extension NotifyCenter {
    /// A list from the daemon. It takes as many answers as it needs; what comes or goes between two of them may be in it
    /// or not.
    public struct Listing<Element: Codable & Sendable>: Sendable {
        /// What was listed.
        public var elements: [Element]
        /// Whether the list goes on, and the daemon does not say how: one of an earlier version.
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
        /// How long the retained message is, in bytes. (This and what follows: nil if the daemon does not say.)
        public var retainedBytes: UInt64?
        /// How many messages its history holds.
        public var historyMessages: UInt64?
        /// How long those are, in bytes.
        public var historyBytes: UInt64?
        /// Whether it is kept on disk.
        public var persistent: Bool?
        /// How many messages were posted on it since the daemon knows it.
        public var posts: UInt64?
        /// How many bytes of payload those had.
        public var bytes: UInt64?
        /// How many subscriptions those went to, all together.
        public var deliveries: UInt64?
        /// When the last one was posted (RFC 3339); nil: not since the daemon started.
        public var last: String?

        enum CodingKeys: String, CodingKey {
            case channel, seq, subscriptions, retained, persistent, posts, bytes, deliveries, last
            case retainedBytes = "retained_bytes"
            case historyMessages = "history_messages"
            case historyBytes = "history_bytes"
        }
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
        /// How many bytes came from it. (This and what follows: nil if the daemon does not say.)
        public var bytesIn: UInt64?
        /// How many bytes were sent to it.
        public var bytesOut: UInt64?
        /// How many bytes of answers, and of what else is never dropped, wait for it.
        public var answerBytes: UInt64?
        /// Whether it reads more slowly than it is written to; nil: no.
        public var blocked: Bool?
        /// Why its requests wait: it does not read the `answers`, or posts to a full `queue` with the policy
        /// ``BufferPolicy/blocking(_:)``; nil: they do not.
        public var paused: String?
        /// When something came from it last (RFC 3339).
        public var last: String?
        /// The unit of systemd that it belongs to; nil: the daemon does not know, or has no need to.
        public var unit: String?

        enum CodingKeys: String, CodingKey {
            case client, pid, uid, gid, name, subscriptions, posts, delivered, dropped, connected, blocked, paused, last
            case unit
            case bytesIn = "bytes_in"
            case bytesOut = "bytes_out"
            case answerBytes = "answer_bytes"
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
        /// How long the oldest message that waits has waited, in milliseconds; nil: the daemon does not say.
        public var lagMilliseconds: UInt64?
        /// How many messages later ones took the place of; nil: it takes all.
        public var coalesced: UInt64?
        /// The group that shares its messages.
        public var group: String?
        /// At most one message of a channel and subject in so many milliseconds.
        public var minimumIntervalMilliseconds: UInt64?

        enum CodingKeys: String, CodingKey {
            case client, pid, uid, sub, channel, type, subject, echo, policy, messages, bytes, delivered, dropped
            case coalesced, group
            case lagMilliseconds = "lag_ms"
            case minimumIntervalMilliseconds = "min_interval_ms"
            case fromUID = "from_uid"
            case queuedMessages = "queued_messages"
            case queuedBytes = "queued_bytes"
        }
    }
}
