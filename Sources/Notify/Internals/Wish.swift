// What a consumer wants to hear.

import NotifyWire

struct Wish: Sendable {
    var patterns: [NotifyCenter.Pattern]
    var options: NotifyCenter.SubscriptionOptions
    /// For typed consumers: the name that a message's type must have, if it has one. It is not asked for on the wire,
    /// so that posts without a type come too.
    var typeName: String?

    static func typed<M: NotifyCenter.Message>(
        _ type: M.Type, subject: NotifyCenter.Subject?, replay: NotifyCenter.Replay = .none, bufferSize: Int
    ) -> Wish {
        Wish(
            patterns: [NotifyCenter.Pattern(M.channel)],
            options: NotifyCenter.SubscriptionOptions(
                subject: subject, replay: replay, buffer: .bufferingNewest(bufferSize)),
            typeName: M.type)
    }

    static func raw(_ patterns: [NotifyCenter.Pattern], _ options: NotifyCenter.SubscriptionOptions) -> Wish {
        var unique: [NotifyCenter.Pattern] = []
        for pattern in patterns where !unique.contains(pattern) { unique.append(pattern) }
        return Wish(patterns: unique, options: options)
    }

    /// The subscriptions this takes. Those with a replay belong to this consumer alone, which is told apart by its id.
    func keys<Consumer: Sendable>(_ id: UInt64) -> [SubscriptionTable<Consumer>.Key] {
        patterns.map { pattern in
            SubscriptionTable<Consumer>.Key(
                pattern: pattern, type: options.type, subject: options.subject, fromUID: options.fromUID,
                echo: options.echo, replay: options.replay, solo: options.replay == .none ? 0 : id)
        }
    }
}

/// What a post says, before it has an id.
struct PostDraft: Sendable {
    var channel: NotifyCenter.Channel
    var type: String?
    var subject: NotifyCenter.Subject?
    var payload: [UInt8]
    var terms: ClientPostTerms
}

/// What can be asked of the daemon.
enum Question: Sendable {
    case get(NotifyCenter.Channel)
    case clear(NotifyCenter.Channel)
    case channels(NotifyCenter.Pattern?)
    case clients
    case subscriptions(NotifyCenter.Pattern?)
    case statistics
    case ping
    case cancel(UInt64)
}
