// What a client may write into a post or a subscription beyond the names: the terms of PostTerms and SubscribeTerms, owned
// instead of borrowed from a line.

package struct ClientPostTerms: Sendable, Hashable {
    package var isRetained = false

    package init() {}

    func append(to log: inout ByteLog) {
        if isRetained { log.append(",\"retain\":true") }
    }
}

package struct ClientSubscribeTerms: Sendable {
    package var replay = Replay.none

    package init() {}

    func append(to log: inout ByteLog) {
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
            log.append(",\"replay\":{\"since\":")
            Self.append(time: time, to: &log)
            log.append("}")
        }
    }

    private static func append(time: Int64, to log: inout ByteLog) {
        var formatter = TimestampFormatter()
        log.append("\"")
        log.append(formatter.format(time))
        log.append("\"")
    }
}
