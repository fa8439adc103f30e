// What a consumer wants to hear.

import NotifyWire

struct Wish: Sendable {
    var patterns: [NotifyCenter.Pattern]
    var options: NotifyCenter.SubscriptionOptions
    /// For typed consumers: the name that a message's type must have, if it has one. It is not asked for on the wire,
    /// so that posts without a type come too.
    var typeName: String?
    /// Whether `live` comes anew after each reconnect.
    var tellsEveryLive = false

    static func typed<M: NotifyCenter.Message>(
        _ type: M.Type, subject: NotifyCenter.Subject?, replay: NotifyCenter.Replay = .none,
        buffer: NotifyCenter.BufferPolicy
    ) -> Wish {
        Wish(
            patterns: [NotifyCenter.Pattern(M.channel)],
            options: NotifyCenter.SubscriptionOptions(
                subject: subject, replay: replay, buffer: buffer),
            typeName: M.type)
    }

    static func raw(_ patterns: [NotifyCenter.Pattern], _ options: NotifyCenter.SubscriptionOptions) -> Wish {
        var unique: [NotifyCenter.Pattern] = []
        for pattern in patterns where !unique.contains(pattern) { unique.append(pattern) }
        if let interval = options.minimumInterval {
            precondition(interval > .zero, "an interval between messages is more than nothing, not \(interval)")
        }
        return Wish(patterns: unique, options: options)
    }

    /// The subscriptions this takes. Those with a replay or a group belong to this consumer alone, which is told apart by its id.
    func keys<Consumer: Sendable>(_ id: UInt64) -> [SubscriptionTable<Consumer>.Key] {
        let isSolo = options.replay != .none || options.group != nil
        let interval = options.minimumInterval.map { interval in
            (try? Milliseconds.of(interval, "minimumInterval", atLeast: 1)) ?? PostTerms.maximumMilliseconds
        }
        return patterns.map { pattern in
            SubscriptionTable<Consumer>.Key(
                pattern: pattern, type: options.type, subject: options.subject, fromUID: options.fromUID,
                echo: options.echo, replay: options.replay, buffer: options.buffer,
                minimumInterval: interval, group: options.group, tellsEveryLive: tellsEveryLive,
                solo: isSolo ? id : 0)
        }
    }
}

/// What a post says, before it has an id.
struct PostDraft: Sendable {
    var channel: NotifyCenter.Channel
    var type: String?
    var subject: NotifyCenter.Subject?
    var payload: [UInt8]
    /// Nil: nothing more to say.
    var terms: ClientPostTerms.Box?

    /// What makes two posts one for the daemon.
    var key: String? {
        get { terms?.terms.dedup }
        set {
            var changed = terms?.terms ?? ClientPostTerms()
            changed.dedup = newValue
            terms = ClientPostTerms.Box(changed)
        }
    }
}

/// What can be asked of the daemon.
enum Question: Sendable {
    case get(NotifyCenter.Channel)
    case clear(NotifyCenter.Channel)
    /// - Parameter after: where a list goes on that was longer than one answer.
    case channels(NotifyCenter.Pattern?, after: String?)
    case clients(after: String?)
    case subscriptions(NotifyCenter.Pattern?, after: String?)
    case statistics
    case ping
    case cancel(UInt64)
    /// The channel is not always one: a trace has a pattern behind its name.
    case explain(NotifyCenter.AccessRight, String, NotifyCenter.AccessSubject?)
}
