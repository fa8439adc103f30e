// The daemon's counters.

public import FoundationEssentials

extension NotifyCenter {
    /// The daemon's counters. ``json`` has them all, also those that a newer daemon adds.
    ///
    /// They are about everybody. Without the right `observe` on `$notifyd.accounts` there is only what is one's own:
    /// ``hasTotals`` is false then, counters are 0 or nil, and ``json`` has the own account.
    public struct Statistics: Sendable, Hashable, Codable {
        /// The daemon's version.
        public var version: String
        /// Names one life of the daemon's numbering.
        public var epoch: String
        /// The daemon's position.
        public var pos: UInt64
        /// Seconds since the daemon started.
        public var uptime: Double
        /// Whether the daemon tells the counters below; false: the access rules deny it.
        public internal(set) var hasTotals = true
        /// Connections.
        public var clients: UInt64
        /// Subscriptions.
        public var subscriptions: UInt64
        /// Channels.
        public var channels: UInt64
        /// Retained messages.
        public var retained: UInt64
        /// Bytes of retained messages.
        public var retainedBytes: UInt64
        /// Accepted posts.
        public var posts: UInt64
        /// Messages queued for subscriptions.
        public var deliveries: UInt64
        /// Messages dropped because a reader was slow.
        public var dropped: UInt64
        /// Refused requests.
        public var refused: UInt64
        /// Messages that wait for readers.
        public var queuedMessages: UInt64
        /// Bytes that wait for readers.
        public var queuedBytes: UInt64
        /// Bytes received.
        public var bytesIn: UInt64
        /// Bytes sent.
        public var bytesOut: UInt64
        /// Connections since the daemon started. (This and what follows: nil if the daemon does not say.)
        public var connections: UInt64?
        /// Connections that were refused.
        public var turnedAway: UInt64?
        /// Bytes of the messages that can be replayed.
        public var historyBytes: UInt64?
        /// Posts that are to be made later.
        public var scheduled: UInt64?
        /// Bytes that those take.
        public var scheduledBytes: UInt64?
        /// Bytes that ``PostOptions/deduplicationKey``s take.
        public var deduplicationBytes: UInt64?
        /// Traces of posts that somebody has.
        public var traces: UInt64?
        /// Bytes that have come from clients and are not handled yet, such as the beginnings of lines.
        public var inputBytes: UInt64?
        /// How often a subscription began to lose messages because its reader was slow.
        public var slow: UInt64?
        /// What the access rules have denied, posts that were to be made later included.
        public var denied: UInt64?
        /// Refused requests by the code of the refusal.
        public var refusals: [String: UInt64]?
        /// How often the daemon has read its configuration anew.
        public var reloads: UInt64?
        /// How often it could not, and went on with the old one.
        public var failedReloads: UInt64?
        /// The limits that all share, by their names in the daemon's configuration.
        public var limits: [String: UInt64]?
        /// The object exactly as the daemon sent it.
        public internal(set) var json = Data()

        enum CodingKeys: String, CodingKey {
            case version, epoch, pos, clients, subscriptions, channels, retained, posts, deliveries, dropped, refused
            case connections, scheduled, traces, slow, denied, refusals, reloads, limits
            case failedReloads = "reloads_failed"
            case turnedAway = "turned_away"
            case historyBytes = "history_bytes"
            case scheduledBytes = "scheduled_bytes"
            case deduplicationBytes = "dedup_bytes"
            case inputBytes = "input_bytes"
            case uptime = "uptime_s"
            case hasTotals = "totals"
            case retainedBytes = "retained_bytes"
            case queuedMessages = "queued_messages"
            case queuedBytes = "queued_bytes"
            case bytesIn = "bytes_in"
            case bytesOut = "bytes_out"
        }
    }
}

extension NotifyCenter.Statistics {
    /// Reads what the daemon says.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let hasTotals = try values.decodeIfPresent(Bool.self, forKey: .hasTotals) ?? true
        /// What is missing is a fault of the daemon, unless it has said that it is.
        func total(_ key: CodingKeys) throws -> UInt64 {
            hasTotals ? try values.decode(UInt64.self, forKey: key) : 0
        }
        func optional(_ key: CodingKeys) throws -> UInt64? { try values.decodeIfPresent(UInt64.self, forKey: key) }
        self.hasTotals = hasTotals
        version = try values.decode(String.self, forKey: .version)
        epoch = try values.decode(String.self, forKey: .epoch)
        pos = try values.decode(UInt64.self, forKey: .pos)
        uptime = try values.decode(Double.self, forKey: .uptime)
        (clients, subscriptions, channels) = (try total(.clients), try total(.subscriptions), try total(.channels))
        (retained, retainedBytes) = (try total(.retained), try total(.retainedBytes))
        (posts, deliveries, dropped) = (try total(.posts), try total(.deliveries), try total(.dropped))
        refused = try total(.refused)
        (queuedMessages, queuedBytes) = (try total(.queuedMessages), try total(.queuedBytes))
        (bytesIn, bytesOut) = (try total(.bytesIn), try total(.bytesOut))
        (connections, turnedAway) = (try optional(.connections), try optional(.turnedAway))
        (historyBytes, deduplicationBytes) = (try optional(.historyBytes), try optional(.deduplicationBytes))
        (scheduled, scheduledBytes) = (try optional(.scheduled), try optional(.scheduledBytes))
        (traces, inputBytes) = (try optional(.traces), try optional(.inputBytes))
        (slow, denied) = (try optional(.slow), try optional(.denied))
        (reloads, failedReloads) = (try optional(.reloads), try optional(.failedReloads))
        refusals = try values.decodeIfPresent([String: UInt64].self, forKey: .refusals)
        limits = try values.decodeIfPresent([String: UInt64].self, forKey: .limits)
    }
}
