// Every line a client writes. Names are valid already, the payload is one JSON value without line breaks.

package enum ClientLine {
    package static func hello(id: UInt64, name: String?) -> [UInt8] {
        line(.hello, id: id) { log in
            log.append(",\"version\":1")
            if let name { member("name", name, to: &log) }
        }
    }

    package static func post(
        id: UInt64?, channel: String, type: String?, subject: String?, terms: ClientPostTerms.Box? = nil,
        payload: [UInt8]
    ) -> [UInt8] {
        message(.post, id: id, channel, type, subject, terms, payload)
    }

    package static func will(
        id: UInt64, channel: String, type: String?, subject: String?, terms: ClientPostTerms.Box?, payload: [UInt8]
    ) -> [UInt8] {
        message(.will, id: id, channel, type, subject, terms, payload)
    }

    private static func message(
        _ op: Op, id: UInt64?, _ channel: String, _ type: String?, _ subject: String?, _ terms: ClientPostTerms.Box?,
        _ payload: [UInt8]
    ) -> [UInt8] {
        line(op, id: id, payload.count + 256) { log in
            log.append(",\"channel\":\"")
            log.append(text: channel)
            log.append("\"")
            if let type { member("type", type, to: &log) }
            if let subject { member("subject", subject, to: &log) }
            if let terms { terms.terms.append(to: &log) }
            log.append(",\"payload\":")
            payload.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { log.append(ByteSlice(start, bytes.count)) }
            }
        }
    }

    package static func subscribe(
        id: UInt64, sub: UInt64, pattern: String, type: String?, subject: String?, fromUID: UInt32?, echo: Bool,
        terms: ClientSubscribeTerms
    ) -> [UInt8] {
        line(.subscribe, id: id) { log in
            member("sub", sub, to: &log)
            member("channel", pattern, to: &log)
            if let type { member("type", type, to: &log) }
            if let subject { member("subject", subject, to: &log) }
            if let fromUID { member("from_uid", UInt64(fromUID), to: &log) }
            if !echo { log.append(",\"echo\":false") }
            terms.append(to: &log)
        }
    }

    package static func unsubscribe(id: UInt64, sub: UInt64) -> [UInt8] {
        line(.unsubscribe, id: id) { log in member("sub", sub, to: &log) }
    }

    package static func cancel(id: UInt64, schedule: UInt64) -> [UInt8] {
        line(.cancel, id: id) { log in member("schedule", schedule, to: &log) }
    }

    /// What is nil is that of the connection.
    package static func explain(
        id: UInt64, right: String, channel: String, uid: UInt32?, groups: [UInt32]?, unit: String?
    ) -> [UInt8] {
        line(.explain, id: id) { log in
            member("right", right, to: &log)
            member("channel", channel, to: &log)
            if let uid { member("uid", UInt64(uid), to: &log) }
            if let groups { log.append(text: ",\"groups\":[\(groups.map(String.init).joined(separator: ","))]") }
            if let unit { member("unit", unit, to: &log) }
        }
    }

    /// `get` and `clear`.
    package static func ask(_ op: Op, id: UInt64, channel: String) -> [UInt8] {
        line(op, id: id) { log in member("channel", channel, to: &log) }
    }

    /// `channels`, `clients` and `subscriptions`, all or those that match.
    ///
    /// - Parameter after: `next` of the answer that this list goes on from.
    package static func list(_ op: Op, id: UInt64, match: String?, after: String?) -> [UInt8] {
        line(op, id: id) { log in
            if let match { member("match", match, to: &log) }
            if let after { member("after", after, to: &log) }
        }
    }

    /// `stats`, `ping`, `bye`, and `will` alone, which forgets the will.
    package static func ask(_ op: Op, id: UInt64) -> [UInt8] {
        line(op, id: id) { _ in }
    }

    private static func line(
        _ op: Op, id: UInt64?, _ capacity: Int = 256, _ body: (inout ByteLog) -> Void
    ) -> [UInt8] {
        // A short line on the stack.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { room in
            var log = ByteLog(within: room)
            log.append("{\"op\":\"")
            log.append(op.name)
            log.append("\"")
            if let id { member("id", id, to: &log) }
            body(&log)
            log.append("}\n")
            return [UInt8](log.slice)
        }
    }

    private static func member(_ name: StaticString, _ text: String, to log: inout ByteLog) {
        ControlLine.appendMember(to: &log, name, text: text)
    }

    private static func member(_ name: StaticString, _ number: UInt64, to log: inout ByteLog) {
        ControlLine.appendMember(to: &log, name, number)
    }
}
