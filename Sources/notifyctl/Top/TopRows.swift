// The rows of the tables of `top`, as they are shown and, with --json, printed.

extension TopModel {
    struct Rates: Equatable, Sendable, Encodable {
        var posts = 0.0
        var deliveries = 0.0
        var drops = 0.0
        var refusals = 0.0
        var bytesIn = 0.0
        var bytesOut = 0.0

        enum CodingKeys: String, CodingKey {
            case posts = "posts_per_s"
            case deliveries = "deliveries_per_s"
            case drops = "dropped_per_s"
            case refusals = "refused_per_s"
            case bytesIn = "bytes_in_per_s"
            case bytesOut = "bytes_out_per_s"
        }
    }

    struct ChannelRow: Equatable, Sendable, Encodable {
        var channel: String
        var posts: Double
        var bytes: Double
        var deliveries: Double
        var subscriptions: Int

        enum CodingKeys: String, CodingKey {
            case channel, subscriptions
            case posts = "posts_per_s"
            case bytes = "bytes_per_s"
            case deliveries = "deliveries_per_s"
        }
    }

    struct SubscriptionRow: Equatable, Sendable, Encodable {
        var client: UInt64
        var sub: UInt64
        var pid: Int32
        var uid: UInt32
        var pattern: String
        var waiting: UInt64
        var waitingBytes: UInt64
        var lagMilliseconds: UInt64
        var drops: Double
        var deliveries: Double

        enum CodingKeys: String, CodingKey {
            case client, sub, pid, uid
            case pattern = "channel"
            case waiting = "queued_messages"
            case waitingBytes = "queued_bytes"
            case lagMilliseconds = "lag_ms"
            case drops = "dropped_per_s"
            case deliveries = "deliveries_per_s"
        }
    }

    struct PosterRow: Equatable, Sendable, Encodable {
        var client: UInt64
        var pid: Int32
        var uid: UInt32
        var name: String
        var state: String
        var posts: Double
        var bytesIn: Double
        var bytesOut: Double

        enum CodingKeys: String, CodingKey {
            case client, pid, uid, name, state
            case posts = "posts_per_s"
            case bytesIn = "bytes_in_per_s"
            case bytesOut = "bytes_out_per_s"
        }
    }

    struct AccountRow: Equatable, Sendable, Encodable {
        var name: String
        var uid: UInt32?
        var unit: String?
        var clients: UInt64
        var posts: Double
        var bytesIn: Double
        var refusals: Double

        enum CodingKeys: String, CodingKey {
            case uid, unit, clients
            case posts = "posts_per_s"
            case bytesIn = "bytes_in_per_s"
            case refusals = "refused_per_s"
        }
    }
}
