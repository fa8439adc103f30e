// What a client can ask for, and with which fields.

package enum Op: UInt8, CaseIterable, Sendable {
    case post, batch, subscribe, unsubscribe, get, clear, hello, ping, bye
    case channels, clients, subscriptions, stats, cancel, will, explain

    package var name: StaticString {
        switch self {
        case .post: "post"
        case .batch: "batch"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .get: "get"
        case .clear: "clear"
        case .hello: "hello"
        case .ping: "ping"
        case .bye: "bye"
        case .channels: "channels"
        case .clients: "clients"
        case .subscriptions: "subscriptions"
        case .stats: "stats"
        case .cancel: "cancel"
        case .will: "will"
        case .explain: "explain"
        }
    }

    static func named(_ name: ByteSlice) -> Op? {
        if name.equals(Op.post.name) { return .post }
        return allCases.first { name.equals($0.name) }
    }

    /// The fields this op may have, besides `op` and `id`.
    package var fields: FieldSet {
        switch self {
        case .post:
            [
                .channel, .payload, .type, .subject, .retain, .ttl, .delay, .at, .priority, .coalesce, .dedup,
                .ifSequence, .requireSubscribers,
            ]
        case .batch: [.posts]
        case .subscribe:
            [.channel, .sub, .type, .subject, .fromUID, .echo, .replay, .buffer, .minimumInterval, .group]
        case .unsubscribe: [.sub]
        case .get, .clear: [.channel]
        case .hello: [.version, .name]
        case .channels, .subscriptions: [.match, .after]
        case .clients: [.after]
        case .ping, .bye, .stats: []
        case .cancel: [.schedule]
        case .will: [.channel, .payload, .type, .subject, .retain, .ttl, .priority]
        case .explain: [.right, .channel, .uid, .groups, .unit]
        }
    }

    package var required: FieldSet {
        switch self {
        case .post, .subscribe, .get, .clear: [.channel]
        case .batch: [.posts]
        case .unsubscribe: [.sub]
        case .hello: [.version]
        case .cancel: [.schedule]
        case .explain: [.right, .channel]
        default: []
        }
    }
}
