// The line that subscribers get. It is written once per distinct `sub`: `{"op":"message","sub":N,` differs, the body
// behind it is the same bytes for everybody, and it is what a retained message is kept as.

package enum MessageLine {
    /// `{"op":"message","sub":7,`
    @inline(__always)
    package static func appendHead(to log: inout ByteLog, sub: UInt32, isReplay: Bool = false) {
        log.append("{\"op\":\"message\",\"sub\":")
        if sub < 10 { log.append(UInt8(truncatingIfNeeded: 48 + sub)) } else { log.append(UInt64(sub)) }
        log.append(",")
        if isReplay { log.append("\"replay\":true,") }
    }

    /// `"channel":…,"payload":…}` without the newline.
    package static func appendBody(
        to log: inout ByteLog, channel: ByteSlice, sequence: UInt64, position: UInt64, time: ByteSlice,
        type: ByteSlice, subject: ByteSlice, sender: ByteSlice, isRetained: Bool, payload: ByteSlice
    ) {
        // One reservation for everything of known size.
        log.reserve(160 + channel.count + time.count + sender.count + payload.count + 6 * (type.count + subject.count))
        log.append("\"channel\":\"")
        log.append(channel)
        log.append("\",\"seq\":")
        log.append(sequence)
        log.append(",\"pos\":")
        log.append(position)
        log.append(",\"time\":\"")
        log.append(time)
        log.append("\"")
        if !type.isEmpty {
            log.append(",\"type\":\"")
            log.append(escaped: type)
            log.append("\"")
        }
        if !subject.isEmpty {
            log.append(",\"subject\":\"")
            log.append(escaped: subject)
            log.append("\"")
        }
        log.append(",\"from\":")
        log.append(sender)
        if isRetained { log.append(",\"retain\":true") }
        log.append(",\"payload\":")
        log.append(payload)
        log.append("}")
    }

    /// `{"client":3,"pid":812,"uid":1000}`
    package static func appendSender(to log: inout ByteLog, client: UInt64, pid: Int32, uid: UInt32) {
        log.append("{\"client\":")
        log.append(client)
        log.append(",\"pid\":")
        log.append(UInt64(max(0, pid)))
        log.append(",\"uid\":")
        log.append(UInt64(uid))
        log.append("}")
    }
}
