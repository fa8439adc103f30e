// When a message of `post` is posted, how urgently, and under which conditions: its options for that.

import Notify

/// Reads the terms of a post.
enum PostTerms {
    static let table: [Option] = [
        .ttl, .delay, .at, .priority, .coalesce, .dedup, .ifSequence, .requireSubscribers,
    ]

    static func options(_ arguments: Arguments) throws(Failure) -> NotifyCenter.PostOptions {
        try arguments.exclude([.delay, .at, .coalesce])
        for option in [Option.dedup, .ifSequence] where arguments.has(option) && arguments.has(.lines) {
            throw .usage("--\(option.long) is for one message, not for --lines")
        }
        var options = NotifyCenter.PostOptions(retain: arguments.has(.retain))
        options.timeToLive = try arguments.duration(.ttl)
        options.delay = try arguments.duration(.delay)
        options.coalesceWithin = try arguments.duration(.coalesce)
        if let text = try arguments.text(.at) {
            guard let date = Timestamps.date(text) else {
                let refusal = zoneless(text) ?? "'\(Printable.text(text))' is no time: write 2026-11-29T12:00:00Z"
                throw .usage("--at: \(refusal)")
            }
            options.at = date
        }
        if let name = try arguments.choice(.priority), let known = priorities.first(where: { $0.name == name }) {
            options.priority = known.priority
        }
        if let text = try arguments.text(.dedup) {
            guard 1...128 ~= text.utf8.count else { throw .usage("--dedup: KEY has 1 to 128 bytes") }
            options.deduplicationKey = text
        }
        options.ifSequence = try arguments.number(.ifSequence, in: 0...Int.max).map { UInt64($0) }
        options.requireSubscribers = arguments.has(.requireSubscribers)
        for option in [Option.ifSequence, .requireSubscribers] {
            for later in [Option.delay, .at, .coalesce] { try arguments.exclude([option, later]) }
        }
        return options
    }

    /// The refusal of a time that lacks nothing but its zone. None is guessed: ours need not be the one that was meant.
    static func zoneless(_ text: String) -> String? {
        let zoned = text.replacing(" ", with: "T") + "Z"
        guard Timestamps.date(zoned) != nil else { return nil }
        return "'\(Printable.text(text))' has no zone: write \(zoned), or +01:00 instead of Z"
    }

    /// What `--priority` takes.
    static let priorities: [(name: String, priority: NotifyCenter.Priority)] = [
        ("low", .low), ("normal", .normal), ("high", .high),
    ]
}

extension Option {
    static let ttl = Option("ttl", .required("DUR"), help: "after this time it is delivered and kept no more")
    static let delay = Option(
        "delay", .required("DUR"), help: "post it after this time; -v or --json prints its number for cancel")
    static let at = Option(
        "at", .required("TIME"),
        help: "post it at this time, such as 2026-11-29T12:00:00Z; its number as with --delay")
    static let priority = Option(
        "priority", .required("P"), .words(PostTerms.priorities.map(\.name)),
        help: "low, normal or high: overtakes what waits and is lower")
    static let coalesce = Option(
        "coalesce", .required("DUR"), help: "hold it back so long: a newer one of its channel and subject replaces it")
    static let dedup = Option(
        "dedup", .required("KEY"), help: "a second one with this key within two minutes is not delivered again")
    static let ifSequence = Option(
        "if-seq", .required("N"),
        help: "only if the channel's last seq is N (0: none yet), else end with 1 and (conflict)")
    static let requireSubscribers = Option("require-subscribers", help: "end with 79 instead of posting to nobody")
}
