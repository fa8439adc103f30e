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

    /// How many bytes `appendHead` writes for a message that is no replay: the body begins behind them.
    package static func headCount(sub: UInt32) -> Int {
        var digits = 1
        var rest = sub
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        return 23 + digits
    }

    /// `"channel":…,"payload":…}` without the newline. `type` and `subject` are the insides of JSON strings.
    package static func appendBody(
        to log: inout ByteLog, channel: ByteSlice, sequence: UInt64, position: UInt64, time: ByteSlice,
        type: ByteSlice, subject: ByteSlice, sender: ByteSlice, isRetained: Bool, payload: ByteSlice
    ) {
        let variable = channel.count + time.count + type.count + subject.count + sender.count + payload.count
        log.append(atMost: fixedBytes + variable) { line in
            line.put("\"channel\":\"")
            line.put(channel)
            line.put("\",\"seq\":")
            line.put(sequence)
            line.put(",\"pos\":")
            line.put(position)
            line.put(",\"time\":\"")
            line.put(time)
            if !type.isEmpty {
                line.put("\",\"type\":\"")
                line.put(type)
            }
            if !subject.isEmpty {
                line.put("\",\"subject\":\"")
                line.put(subject)
            }
            line.put("\",\"from\":")
            line.put(sender)
            if isRetained { line.put(",\"retain\":true") }
            line.put(",\"payload\":")
            line.put(payload)
            line.put("}")
        }
    }

    /// No less than the names, quotes and numbers of a body.
    private static let fixedBytes = 192

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
