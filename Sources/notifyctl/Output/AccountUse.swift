// What an account uses, out of the `accounts` of the daemon's statistics: of all, or of one's own for those who may not
// observe others.

import FoundationEssentials
import Notify

/// One account, as far as the daemon tells of it.
struct AccountUse: Decodable, Sendable, Equatable {
    var uid: UInt32?
    /// Of a unit that has an account of its own.
    var unit: String?
    var clients: UInt64?
    var subscriptions: UInt64?
    var traces: UInt64?
    var queuedBytes: UInt64?
    var inputBytes: UInt64?
    var retainedBytes: UInt64?
    var scheduledPosts: UInt64?
    var scheduledBytes: UInt64?
    var dedupBytes: UInt64?
    var historyBytes: UInt64?
    var posts: UInt64?
    var bytesIn: UInt64?
    var refused: UInt64?
    var rateLimited: UInt64?
    var limits: Limits?

    /// How fast it may post; 0: as fast as it can.
    struct Limits: Decodable, Sendable, Equatable {
        var messages: UInt64?
        var bytes: UInt64?
        var messagesPerClient: UInt64?
        var bytesPerClient: UInt64?

        enum CodingKeys: String, CodingKey {
            case messages = "messages_per_s"
            case bytes = "bytes_per_s"
            case messagesPerClient = "messages_per_s_per_client"
            case bytesPerClient = "bytes_per_s_per_client"
        }

        var hasRates: Bool { [messages, bytes, messagesPerClient, bytesPerClient].contains { ($0 ?? 0) > 0 } }
    }

    enum CodingKeys: String, CodingKey {
        case uid, unit, clients, subscriptions, traces, posts, refused, limits
        case bytesIn = "bytes_in"
        case queuedBytes = "queued_bytes"
        case inputBytes = "input_bytes"
        case retainedBytes = "retained_bytes"
        case scheduledPosts = "scheduled_posts"
        case scheduledBytes = "scheduled_bytes"
        case dedupBytes = "dedup_bytes"
        case historyBytes = "history_bytes"
        case rateLimited = "rate_limited"
    }

    private struct List: Decodable { var accounts: [AccountUse] }

    /// Our own comes first.
    static func all(_ statistics: NotifyCenter.Statistics) -> [AccountUse] {
        (try? JSONDecoder().decode(List.self, from: statistics.json).accounts) ?? []
    }

    /// Each number with its name for people.
    var figures: [(name: String, value: UInt64)] {
        let figures = [
            ("clients", clients), ("subscriptions", subscriptions), ("retained bytes", retainedBytes),
            ("history bytes", historyBytes), ("scheduled", scheduledPosts), ("scheduled bytes", scheduledBytes),
            ("dedup bytes", dedupBytes), ("posts", posts), ("bytes in", bytesIn), ("refused", refused),
            ("rate limited", rateLimited),
            ("waiting bytes", queuedBytes), ("half-read bytes", inputBytes), ("traces", traces),
        ]
        return figures.compactMap { name, value in value.map { (name, $0) } }
    }
}
