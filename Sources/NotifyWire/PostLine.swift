// A post as the line that asks for it: how one that is made later is kept on disk.

package enum PostLine {
    /// All that the message will say; not when the post is made, nor upon which conditions.
    package static func append(to log: inout ByteLog, _ request: RequestRef) {
        log.append("{\"op\":\"post\",\"channel\":\"")
        log.append(request.pointee.channel)
        log.append("\"")
        appendToken(to: &log, "type", request.pointee.typeToken)
        appendToken(to: &log, "subject", request.pointee.subjectToken)
        if request.pointee.retain { log.append(",\"retain\":true") }
        if request.pointee.terms.timeToLive > 0 {
            ControlLine.appendMember(to: &log, "ttl_ms", request.pointee.terms.timeToLive / 1_000_000)
        }
        if request.pointee.terms.priority != .normal {
            log.append(",\"priority\":\"")
            log.append(request.pointee.terms.priority.name)
            log.append("\"")
        }
        log.append(",\"payload\":")
        log.append(request.pointee.payload)
        log.append("}")
    }

    /// A string as it stood between its quotes; it may be empty: there was none.
    private static func appendToken(to log: inout ByteLog, _ name: StaticString, _ token: ByteSlice) {
        guard !token.isEmpty else { return }
        log.append(",\"")
        log.append(name)
        log.append("\":\"")
        log.append(token)
        log.append("\"")
    }
}
