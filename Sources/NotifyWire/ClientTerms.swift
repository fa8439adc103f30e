// What a client may write into a post or a subscription beyond the names: the terms of PostTerms and SubscribeTerms, owned
// instead of borrowed from a line.

package struct ClientPostTerms: Sendable, Hashable {
    package var isRetained = false
    /// Milliseconds.
    package var timeToLive: UInt64?
    /// Milliseconds.
    package var delay: UInt64?
    /// Nanoseconds since 1970.
    package var at: Int64?
    package var priority = Priority.normal
    /// Milliseconds.
    package var coalesce: UInt64?
    package var dedup: String?
    package var ifSequence: UInt64?
    package var requireSubscribers = false

    package init() {}

    /// Terms on their way: most posts have none, and they are many bytes to hand around.
    package final class Box: Sendable {
        package let terms: ClientPostTerms

        package init(_ terms: ClientPostTerms) { self.terms = terms }
    }

    func append(to log: inout ByteLog) {
        if isRetained { log.append(",\"retain\":true") }
        if let timeToLive { ControlLine.appendMember(to: &log, "ttl_ms", timeToLive) }
        if let delay { ControlLine.appendMember(to: &log, "delay_ms", delay) }
        if let at {
            var formatter = TimestampFormatter()
            ControlLine.appendMember(to: &log, "at", text: formatter.format(at))
        }
        if priority != .normal {
            log.append(",\"priority\":\"")
            log.append(priority.name)
            log.append("\"")
        }
        if let coalesce { ControlLine.appendMember(to: &log, "coalesce_ms", coalesce) }
        if let dedup { ControlLine.appendMember(to: &log, "dedup", text: dedup) }
        if let ifSequence { ControlLine.appendMember(to: &log, "if_seq", ifSequence) }
        if requireSubscribers { log.append(",\"require_subscribers\":true") }
    }
}

package struct ClientSubscribeTerms: Sendable {
    package var replay = Replay.none
    package var policy = BufferPolicy.newest
    package var messages: Int?
    /// Milliseconds.
    package var minimumInterval: UInt64?
    package var group: String?

    package init() {}

    func append(to log: inout ByteLog) {
        appendReplay(to: &log)
        if let minimumInterval { ControlLine.appendMember(to: &log, "min_interval_ms", minimumInterval) }
        if let group { ControlLine.appendMember(to: &log, "group", text: group) }
        guard policy != .newest || messages != nil else { return }
        log.append(",\"buffer\":{\"policy\":\"")
        log.append(policy.name)
        log.append("\"")
        if let messages { ControlLine.appendMember(to: &log, "messages", UInt64(messages)) }
        log.append("}")
    }

    private func appendReplay(to log: inout ByteLog) {
        switch replay {
        case .none: break
        case .retained: log.append(",\"replay\":\"retained\"")
        case .last(let count):
            log.append(",\"replay\":{\"last\":")
            log.append(UInt64(count))
            log.append("}")
        case .after(let position, let epoch):
            log.append(",\"replay\":{\"after\":")
            log.append(position)
            if let epoch { ControlLine.appendMember(to: &log, "epoch", text: epoch) }
            log.append("}")
        case .since(let time):
            var formatter = TimestampFormatter()
            log.append(",\"replay\":{\"since\":\"")
            log.append(formatter.format(time))
            log.append("\"}")
        }
    }
}
