// What the daemon said in its answer to hello.

extension NotifyCenter {
    /// What the daemon said when the center connected.
    public struct ServerInfo: Sendable, Hashable {
        /// The daemon's name and version, for example `notifyd 0.1.0`.
        public var version: String
        /// Names one life of the daemon's numbering: with a new epoch, positions count anew.
        public var epoch: String
        /// The daemon's number for this connection.
        public var client: UInt64
        /// The daemon's position at that moment.
        public var position: UInt64
        /// What the daemon limits.
        public var limits: Limits
        /// What the daemon can do beyond the first version of the protocol.
        public var features: [String]
        /// The socket that is used.
        public var socketPath: String
        /// Tells the daemon's process from another one with the same epoch; nil: it does not say.
        var started: UInt64?
        /// This process, as the daemon sees it; nil: it does not say.
        var pid: Int32?

        /// What the daemon limits. A limit that it does not mention is nil.
        public struct Limits: Sendable, Hashable, Codable {
            /// The longest line in bytes, newline included.
            public var lineBytes: Int?
            /// Connections at a time.
            public var clients: Int?
            /// Connections at a time of one user.
            public var clientsPerUID: Int?
            /// Subscriptions of one connection.
            public var subscriptionsPerClient: Int?
            /// Messages that wait for one subscription.
            public var queueMessages: Int?
            /// Bytes that wait for one subscription.
            public var queueBytes: Int?
            /// For how many seconds a post's ``PostOptions/deduplicationKey`` is remembered.
            public var deduplicationSeconds: Int?

            enum CodingKeys: String, CodingKey {
                case lineBytes = "line_bytes"
                case clients
                case clientsPerUID = "clients_per_uid"
                case subscriptionsPerClient = "subscriptions_per_client"
                case queueMessages = "queue_messages"
                case queueBytes = "queue_bytes"
                case deduplicationSeconds = "dedup_window_s"
            }
        }
    }
}
