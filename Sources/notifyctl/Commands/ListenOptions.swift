// The command line of `listen`.

import Notify

/// What `listen` was asked to do.
struct ListenOptions: Sendable {
    var patterns: [NotifyCenter.Pattern]
    var subscription = NotifyCenter.SubscriptionOptions()
    var records: RecordOptions
    var count: Int?
    var timeout: Duration?
    var idle: Duration?
    var endsWhenLive: Bool
    var command: [Word]?
    var jobs: Int
    var failsOnGap: Bool
    var reconnects: Bool

    static let table: [Option] =
        [
            .count, .timeout, .idle, .onlyType, .onlySubject, .fromUID, .replay, .untilLive, .buffer, .minimumInterval,
            .group,
        ] + RecordOptions.table + [.exec, .jobs, .failOnGap, .noReconnect]

    init(_ arguments: Arguments) throws(Failure) {
        patterns = try arguments.operands(1...Int.max, "PATTERN").map { word throws(Failure) in try Names.pattern(word)
        }
        try arguments.exclude([.exec, .output])
        try arguments.exclude([.exec, .format])
        try arguments.exclude([.exec, .json])
        try arguments.exclude([.exec, .nul])
        records = try RecordOptions(arguments)
        count = try arguments.number(.count, in: 1...Int.max)
        timeout = try arguments.duration(.timeout)
        idle = try arguments.duration(.idle)
        command = arguments.rest(.exec)
        if arguments.has(.jobs), command == nil { throw .usage("--jobs is for --exec") }
        jobs = try arguments.number(.jobs, in: 1...1024) ?? 1
        failsOnGap = arguments.has(.failOnGap)
        reconnects = !arguments.has(.noReconnect)
        subscription.type = try Names.type(arguments)
        subscription.subject = try Names.subject(arguments)
        subscription.fromUID = try arguments.user(.fromUID)
        if let text = try arguments.text(.replay) { subscription.replay = try ReplayArgument.replay(text) }
        endsWhenLive = arguments.has(.untilLive)
        if endsWhenLive, !arguments.has(.replay) { throw .usage("--until-live needs --replay") }
        subscription.minimumInterval = try arguments.duration(.minimumInterval)
        if let text = try arguments.text(.group) {
            // It follows the rules of a subject.
            guard NotifyCenter.Subject(rawValue: text) != nil else {
                throw .usage("--group: NAME has 1 to 255 bytes without control characters")
            }
            subscription.group = text
        }
        if let text = try arguments.text(.buffer) { subscription.buffer = try BufferArgument.policy(text) }
    }
}

extension Option {
    static let count = Option("count", short: "n", .required("N"), help: "end with 0 after N messages")
    static let timeout = Option("timeout", .required("DUR"), help: "end with 124 after this time")
    static let idle = Option(
        "idle", .required("DUR"), help: "end when no message came for this time: with 0, or 124 short of --count")
    /// The same options as those of `post`, with the other meaning.
    static let onlyType = Option("type", short: "t", .required("TYPE"), help: "only messages of this type")
    static let onlySubject = Option("subject", short: "s", .required("SUBJECT"), help: "only messages about this")
    static let fromUID = Option(
        "from-uid", .required("UID"), .user, help: "only what this user posted, a number or a name")
    static let replay = Option(
        "replay", .required("PAST"), .words(["retained"]),
        help: "first the past: retained, the last N, since a time or DUR ago, after pos:POS[/EPOCH]")
    static let untilLive = Option("until-live", help: "end after what --replay asked for")
    static let buffer = Option(
        "buffer", .required("POLICY"), .words(BufferArgument.policies.map(\.name)),
        help: "while we are slow: newest[:N], oldest[:N], latest (per subject), fail[:N], block[:N]")
    static let minimumInterval = Option(
        "min-interval", .required("DUR"), help: "at most one message of a channel and subject in this time, the latest")
    static let group = Option(
        "group", .required("NAME"), help: "of all listeners to this pattern with this name one gets each message")
    static let exec = Option(
        "exec", .rest("COMMAND [WORD]…"), .program,
        help: "run this for each message, payload on its stdin; takes the rest of the line")
    static let jobs = Option("jobs", .required("N"), help: "run up to N commands at a time (default 1)")
    static let failOnGap = Option("fail-on-gap", help: "end with 76 when messages were lost")
    static let noReconnect = Option("no-reconnect", help: "end with 69 when the daemon goes away")
}
