// Every other line the daemon writes: replies, gaps, live, bye.

package enum ControlLine {
    /// `{"op":"ok","id":7` — the caller appends what belongs to it and then `endReply`.
    package static func beginReply(to log: inout ByteLog, id: ByteSlice) {
        log.append("{\"op\":\"ok\",\"id\":")
        log.append(id)
    }

    /// The `id` of a reply that was begun with `beginReply` or is a receipt; empty when there is no reply.
    package static func id(of reply: ByteSlice) -> ByteSlice {
        let start = "{\"op\":\"ok\",\"id\":".utf8.count
        guard reply.count > start else { return .empty }
        var end = start
        var isInside = false
        // An escaped quote cannot end it, and what follows it is a comma or a brace.
        while end < reply.count, isInside || reply[end] != UInt8(ascii: ",") && reply[end] != UInt8(ascii: "}") {
            if reply[end] == UInt8(ascii: "\\") {
                end += 1
            } else if reply[end] == UInt8(ascii: "\"") {
                isInside.toggle()
            }
            end += 1
        }
        return ByteSlice(reply.base + start, min(end, reply.count) - start)
    }

    package static func endReply(to log: inout ByteLog) {
        log.append("}\n")
    }

    package static func appendMember(to log: inout ByteLog, _ name: StaticString, _ value: UInt64) {
        log.append(",\"")
        log.append(name)
        log.append("\":")
        log.append(value)
    }

    package static func appendMember(to log: inout ByteLog, _ name: StaticString, text: ByteSlice) {
        log.append(",\"")
        log.append(name)
        log.append("\":\"")
        log.append(escaped: text)
        log.append("\"")
    }

    package static func appendMember(to log: inout ByteLog, _ name: StaticString, text: String) {
        log.append(",\"")
        log.append(name)
        log.append("\":\"")
        log.append(escaped: text)
        log.append("\"")
    }

    package static func appendReceipt(
        to log: inout ByteLog, id: ByteSlice, sequence: UInt64, position: UInt64, matched: Int, dropped: Int
    ) {
        log.append(atMost: 128 + id.count) { line in
            line.put("{\"op\":\"ok\",\"id\":")
            line.put(id)
            line.put(",")
            putReceiptBody(&line, sequence, position, matched, dropped)
            line.put("}\n")
        }
    }

    package static func appendReceiptBody(
        to log: inout ByteLog, sequence: UInt64, position: UInt64, matched: Int, dropped: Int
    ) {
        log.append(atMost: 128) { putReceiptBody(&$0, sequence, position, matched, dropped) }
    }

    @inline(__always)
    private static func putReceiptBody(
        _ line: inout ByteLog.Cursor, _ sequence: UInt64, _ position: UInt64, _ matched: Int, _ dropped: Int
    ) {
        line.put("\"seq\":")
        line.put(sequence)
        line.put(",\"pos\":")
        line.put(position)
        line.put(",\"matched\":")
        line.put(UInt64(matched))
        line.put(",\"dropped\":")
        line.put(UInt64(dropped))
    }

    package static func appendError(to log: inout ByteLog, id: ByteSlice, _ refusal: Refusal) {
        log.append("{\"op\":\"error\"")
        if !id.isEmpty {
            log.append(",\"id\":")
            log.append(id)
        }
        appendMember(to: &log, "code", text: refusal.code.rawValue)
        appendMember(to: &log, "message", text: refusal.message)
        if let offset = refusal.offset { appendMember(to: &log, "offset", UInt64(offset)) }
        if let sub = refusal.sub { appendMember(to: &log, "sub", UInt64(sub)) }
        if let supported = refusal.supported {
            log.append(",\"supported\":[")
            log.append(text: supported.map(String.init).joined(separator: ","))
            log.append("]")
        }
        if let sequence = refusal.sequence { appendMember(to: &log, "seq", sequence) }
        // Rounded up: who comes back then is not too early.
        if let retry = refusal.retry { appendMember(to: &log, "retry_ms", (retry + 999_999) / 1_000_000) }
        log.append("}\n")
    }

    /// What nobody knows is nil: `channel` when the losses spread over more channels than are told one by one, `from`
    /// and `count` when history has forgotten how many there were.
    package static func appendGap(
        to log: inout ByteLog, sub: UInt32, channel: ByteSlice?, from: UInt64?, to last: UInt64?, count: UInt64?,
        reason: StaticString
    ) {
        log.append("{\"op\":\"gap\",\"sub\":")
        log.append(UInt64(sub))
        if let channel { appendMember(to: &log, "channel", text: channel) }
        if let from { appendMember(to: &log, "from", from) }
        if let last { appendMember(to: &log, "to", last) }
        if let count { appendMember(to: &log, "count", count) } else { log.append(",\"count\":null") }
        log.append(",\"reason\":\"")
        log.append(reason)
        log.append("\"}\n")
    }

    package static func appendLive(to log: inout ByteLog, sub: UInt32, position: UInt64) {
        log.append("{\"op\":\"live\",\"sub\":")
        log.append(UInt64(sub))
        appendMember(to: &log, "pos", position)
        log.append("}\n")
    }

    package static func appendBye(to log: inout ByteLog, reason: String) {
        log.append("{\"op\":\"bye\"")
        appendMember(to: &log, "reason", text: reason)
        log.append("}\n")
    }
}
