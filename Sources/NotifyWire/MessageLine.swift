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

    /// What a message says, as slices. `type` and `subject` are the insides of JSON strings. Behind all slices but the
    /// payload 16 bytes must be readable.
    package struct Content {
        package var channel: ByteSlice
        package var sequence: UInt64
        package var position: UInt64
        package var time: ByteSlice
        package var type: ByteSlice
        package var subject: ByteSlice
        package var sender: ByteSlice
        package var priority: Priority
        package var isRetained: Bool
        package var payload: ByteSlice

        package init(
            channel: ByteSlice, sequence: UInt64, position: UInt64, time: ByteSlice, type: ByteSlice,
            subject: ByteSlice, sender: ByteSlice, priority: Priority = .normal, isRetained: Bool, payload: ByteSlice
        ) {
            self.channel = channel
            self.sequence = sequence
            self.position = position
            self.time = time
            self.type = type
            self.subject = subject
            self.sender = sender
            self.priority = priority
            self.isRetained = isRetained
            self.payload = payload
        }
    }

    /// Offsets in a line.
    struct Places {
        /// Behind the last digits of `seq` and `pos`.
        var sequenceEnd = 0
        var positionEnd = 0
        var timeStart = 0
    }

    /// The line up to its payload. The body begins `headCount(sub:)` bytes behind its start.
    static func appendBeginning(to log: inout ByteLog, sub: UInt32, _ content: Content) -> Places {
        var places = Places()
        appendHead(to: &log, sub: sub)
        let start = log.count
        log.append(atMost: limit(content)) { places = putBeginning(&$0, content) }
        places.sequenceEnd += start
        places.positionEnd += start
        places.timeStart += start
        return places
    }

    /// `"channel":…,"payload":…}` without a newline.
    package static func appendBody(to log: inout ByteLog, _ content: Content) {
        log.append(atMost: limit(content)) { line in
            _ = putBeginning(&line, content)
            line.put(content.payload)
            line.put("}")
        }
    }

    @inline(__always)
    private static func putBeginning(_ line: inout ByteLog.Cursor, _ content: Content) -> Places {
        let start = line.at
        var places = Places()
        line.put("\"channel\":\"")
        line.put(short: content.channel)
        line.put("\",\"seq\":")
        line.put(content.sequence)
        places.sequenceEnd = line.at - start
        line.put(",\"pos\":")
        line.put(content.position)
        places.positionEnd = line.at - start
        line.put(",\"time\":\"")
        places.timeStart = line.at - start
        line.put(short: content.time)
        if !content.type.isEmpty {
            line.put("\",\"type\":\"")
            line.put(short: content.type)
        }
        if !content.subject.isEmpty {
            line.put("\",\"subject\":\"")
            line.put(short: content.subject)
        }
        line.put("\",\"from\":")
        line.put(short: content.sender)
        if content.priority != .normal {
            line.put(",\"priority\":\"")
            line.put(content.priority.name)
            line.put("\"")
        }
        if content.isRetained { line.put(",\"retain\":true") }
        line.put(",\"payload\":")
        return places
    }

    @inline(__always)
    private static func limit(_ content: Content) -> Int {
        fixedBytes + content.channel.count + content.time.count + content.type.count + content.subject.count
            + content.sender.count + content.payload.count
    }

    /// No less than the names, quotes and numbers of a line.
    private static var fixedBytes: Int { 248 }

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

    /// What can be read in a body before its payload.
    package struct Labels {
        /// Decoded; empty where there is none.
        package var type = ByteSlice.empty
        package var subject = ByteSlice.empty
        package var position: UInt64 = 0
        /// The number of the client that it is from.
        package var client: UInt64 = 0
    }

    /// Escapes are decoded to `log`, which must be empty.
    package static func labels(of body: ByteSlice, decodingTo log: inout ByteLog) -> Labels {
        log.reserve(body.count)
        var labels = Labels()
        var scanner = JSONScanner(start: body.base, end: body.end)
        // Of the daemon's own making: all of them stand before `from`, or are its first member.
        while scanner.scanKey(), !scanner.string.equals("from") {
            let key = scanner.string
            if key.equals("pos") {
                labels.position = number(&scanner)
                guard scanner.take(UInt8(ascii: ",")) else { break }
                continue
            }
            let isText = scanner.at.pointee == UInt8(ascii: "\"")
            guard isText ? scanner.scanString() : scanner.scanValue(outer: 1) else { break }
            if key.equals("type") || key.equals("subject") {
                let text = scanner.stringHasEscapes ? log.append(unescaped: scanner.string) : scanner.string
                if key.equals("type") { labels.type = text } else { labels.subject = text }
            }
            guard scanner.take(UInt8(ascii: ",")) else { break }
        }
        if scanner.take(UInt8(ascii: "{")), scanner.scanKey() { labels.client = number(&scanner) }
        return labels
    }

    private static func number(_ scanner: inout JSONScanner) -> UInt64 {
        var number: UInt64 = 0
        while case let digit = scanner.at.pointee &- 48, digit < 10 {
            number = number &* 10 &+ UInt64(digit)
            scanner.at += 1
        }
        return number
    }
}
