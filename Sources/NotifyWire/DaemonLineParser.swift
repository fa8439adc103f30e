// A line of the daemon in, its meaning out: one pass, no copies. Whatever the bytes are, the answer is a value.

package struct DaemonLineParser {
    private let base: UnsafePointer<UInt8>
    private var scanner: JSONScanner

    private var message = MessageFields()
    private var reply = ReplyFields()
    private var error = ErrorFields()
    private var reason = ByteRange.absent
    private var op = ByteSlice.empty
    private var from: UInt64?
    private var to: UInt64?
    private var count: UInt64?
    private var present: Present = []

    /// The numbers a client relies on.
    private struct Present: OptionSet {
        var rawValue: UInt8
        static let sub = Present(rawValue: 1)
        static let seq = Present(rawValue: 2)
        static let pos = Present(rawValue: 4)
    }

    /// Reads the line from `start` to the newline at `end`, both counted from `base`; 16 bytes after the newline must
    /// be readable.
    ///
    /// - Parameter shape: of the payloads that came before.
    package static func parse(
        _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, _ shape: inout PayloadShape
    ) -> DaemonLine {
        if let message = parseCanonicalMessage(base, base + start, base + end, &shape) { return .message(message) }
        var parser = DaemonLineParser(base, JSONScanner(start: base + start, end: base + end))
        return parser.parse()
    }

    /// Reads a line that comes alone.
    package static func parse(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> DaemonLine {
        var shape = PayloadShape()
        return parse(base, from: start, to: end, &shape)
    }

    /// Reads the message object at `range`, as it stands in the reply to `get`. It lies within a line that was parsed.
    package static func parseMessage(_ base: UnsafePointer<UInt8>, _ range: ByteRange) -> MessageFields? {
        let start = base + Int(range.start)
        var parser = DaemonLineParser(base, JSONScanner(start: start, end: base + Int(range.end)))
        guard parser.scanMembers(), parser.missing(for: .message, needsSub: false) == nil else { return nil }
        parser.message.line = range
        return parser.message
    }

    private init(_ base: UnsafePointer<UInt8>, _ scanner: JSONScanner) {
        self.base = base
        self.scanner = scanner
    }

    private mutating func parse() -> DaemonLine {
        scanner.skipWhitespace()
        if scanner.isAtEnd { return .blank }
        guard scanMembers(), scanner.finish() else {
            return .malformed(offset: scanner.failure.offset, expected: "\(scanner.failure.expected)")
        }
        guard let kind = Kind(op) else { return op.isEmpty ? malformed("a member 'op'") : .unknown }
        if let missing = missing(for: kind, needsSub: true) { return malformed(missing) }
        switch kind {
        case .message:
            message.line = wholeLine
            return .message(message)
        case .ok:
            reply.line = wholeLine
            reply.seq = message.seq
            reply.pos = message.pos
            return .ok(reply)
        case .error:
            error.id = reply.id
            error.sub = present.contains(.sub) ? message.sub : nil
            error.seq = present.contains(.seq) ? message.seq : nil
            return .error(error)
        case .gap:
            var gap = GapFields()
            gap.sub = message.sub
            gap.channel = message.channel
            gap.from = from
            gap.to = to
            gap.count = count
            gap.reason = reason
            return .gap(gap)
        case .live: return .live(sub: message.sub, pos: message.pos)
        case .bye: return .bye(reason: reason)
        }
    }

    private enum Kind {
        case message, ok, error, gap, live, bye

        init?(_ op: ByteSlice) {
            if op.equals("message") {
                self = .message
            } else if op.equals("ok") {
                self = .ok
            } else if op.equals("error") {
                self = .error
            } else if op.equals("gap") {
                self = .gap
            } else if op.equals("live") {
                self = .live
            } else if op.equals("bye") {
                self = .bye
            } else {
                return nil
            }
        }
    }

    private func missing(for kind: Kind, needsSub: Bool) -> String? {
        switch kind {
        case .message:
            if needsSub, !present.contains(.sub) { return "a number 'sub'" }
            if !present.contains(.seq) { return "a number 'seq'" }
            if !present.contains(.pos) { return "a number 'pos'" }
            if message.channel.isAbsent { return "a string 'channel'" }
            if message.payload.isAbsent { return "a member 'payload'" }
        case .gap, .live:
            if !present.contains(.sub) { return "a number 'sub'" }
        case .error:
            if error.code.isAbsent { return "a string 'code'" }
        case .ok, .bye: break
        }
        return nil
    }

    private func malformed(_ expected: String) -> DaemonLine {
        .malformed(offset: scanner.end - scanner.start, expected: expected)
    }

    private var wholeLine: ByteRange {
        var end = scanner.end
        if end > scanner.start, end[-1] == 13 { end -= 1 }
        return ByteRange(scanner.start - base, end - base)
    }

    // MARK: Members

    private mutating func scanMembers() -> Bool {
        scanMembers { parser, key in parser.scanMember(key) }
    }

    @inline(__always)
    private mutating func scanMembers(_ member: (inout DaemonLineParser, ByteSlice) -> Bool) -> Bool {
        guard scanner.take(UInt8(ascii: "{")) else { return scanner.fail("'{'", at: scanner.at) }
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "}")) { return true }
        while true {
            guard scanner.scanKey(), member(&self, scanner.string) else { return false }
            scanner.skipWhitespace()
            if scanner.take(UInt8(ascii: ",")) {
                scanner.skipWhitespace()
                continue
            }
            return scanner.take(UInt8(ascii: "}")) || scanner.fail("',' or '}'", at: scanner.at)
        }
    }

    /// Length and spelling of a key single out its field; everything else is passed over.
    private mutating func scanMember(_ key: ByteSlice) -> Bool {
        switch key.count {
        case 2:
            if key.equals("op") { return string { $0.op = $0.scanner.string } }
            if key.equals("id") { return number { $0.reply.id = $1 } }
            if key.equals("to") { return number { $0.to = $1 } }
        case 3:
            if key.equals("seq") { return number { $0.note(.seq, $1) { $0.seq = $1 } } }
            if key.equals("pos") { return number { $0.note(.pos, $1) { $0.pos = $1 } } }
            if key.equals("sub") { return number { $0.note(.sub, $1) { $0.sub = $1 } } }
        case 4:
            if key.equals("time") { return range { $0.message.time = $1 } }
            if key.equals("type") { return range { $0.message.type = $1 } }
            if key.equals("from") { return scanFrom() }
            if key.equals("held") { return flag { $0.reply.isHeld = $1 } }
            if key.equals("code") { return range { $0.error.code = $1 } }
            if key.equals("next") { return range { $0.reply.next = $1 } }
        case 5:
            if key.equals("count") { return number { $0.count = $1 } }
            if key.equals("stats") { return value { $0.reply.body = $1 } }
        case 6:
            if key.equals("retain") { return flag { $0.message.isRetained = $1 } }
            if key.equals("replay") { return flag { $0.message.isReplay = $1 } }
            if key.equals("reason") { return range { $0.reason = $1 } }
            if key.equals("offset") { return number { $0.error.offset = $1 } }
        case 7:
            if key.equals("channel") { return range { $0.message.channel = $1 } }
            if key.equals("subject") { return range { $0.message.subject = $1 } }
            if key.equals("explain") { return value { $0.reply.body = $1 } }
            if key.equals("payload") { return value { $0.message.payload = $1 } }
            if key.equals("matched") { return number { $0.reply.matched = $1 ?? 0 } }
            if key.equals("dropped") { return number { $0.reply.dropped = $1 ?? 0 } }
            if key.equals("message") { return scanMessageMember() }
            if key.equals("clients") { return value { $0.reply.body = $1 } }
        case 8:
            if key.equals("schedule") { return number { $0.reply.schedule = $1 } }
            if key.equals("retry_ms") { return number { $0.error.retryMilliseconds = $1 } }
            if key.equals("replaced") { return flag { $0.reply.hasReplaced = $1 } }
            if key.equals("priority") { return scanPriority() }
            if key.equals("channels") { return value { $0.reply.body = $1 } }
        case 9:
            if key.equals("duplicate") { return flag { $0.reply.isDuplicate = $1 } }
            if key.equals("truncated") { return flag { $0.reply.isTruncated = $1 } }
        case 13:
            if key.equals("subscriptions") { return value { $0.reply.body = $1 } }
        default: break
        }
        return scanner.scanValue(outer: 1)
    }

    /// An error's sentence, or the message that `get` asked for. That was a line of its own: it may nest as deep as one.
    private mutating func scanMessageMember() -> Bool {
        scanner.at.pointee == UInt8(ascii: "\"")
            ? range { $0.error.message = $1 } : value(outer: 0) { $0.reply.body = $1 }
    }

    private mutating func scanPriority() -> Bool {
        let start = scanner.at
        guard scanner.scanValue(outer: 1) else { return false }
        let value = ByteSlice(from: start, to: scanner.at)
        if value.equals("\"high\"") { message.priority = .high }
        if value.equals("\"low\"") { message.priority = .low }
        return true
    }

    /// A message's sender, or the first sequence of a gap.
    private mutating func scanFrom() -> Bool {
        guard scanner.at.pointee == UInt8(ascii: "{") else { return number { $0.from = $1 } }
        return scanMembers { parser, key in
            if key.equals("client") { return parser.number(outer: 2) { $0.message.client = $1 ?? 0 } }
            if key.equals("pid") {
                return parser.number(outer: 2) { $0.message.pid = Int32(truncatingIfNeeded: $1 ?? 0) }
            }
            if key.equals("uid") {
                return parser.number(outer: 2) { $0.message.uid = UInt32(truncatingIfNeeded: $1 ?? 0) }
            }
            return parser.scanner.scanValue(outer: 2)
        }
    }

    @inline(__always)
    private mutating func note(_ field: Present, _ number: UInt64?, _ set: (inout MessageFields, UInt64) -> Void) {
        guard let number else { return }
        present.insert(field)
        set(&message, number)
    }

    // MARK: Values

    @inline(__always)
    private mutating func string(_ set: (inout DaemonLineParser) -> Void) -> Bool {
        guard scanner.at.pointee == UInt8(ascii: "\"") else { return scanner.scanValue(outer: 1) }
        guard scanner.scanString() else { return false }
        set(&self)
        return true
    }

    @inline(__always)
    private mutating func range(_ set: (inout DaemonLineParser, ByteRange) -> Void) -> Bool {
        string { parser in
            let start = parser.scanner.string.base - parser.base
            set(&parser, ByteRange(start, start + parser.scanner.string.count))
        }
    }

    @inline(__always)
    private mutating func value(outer: Int = 1, _ set: (inout DaemonLineParser, ByteRange) -> Void) -> Bool {
        let start = scanner.at
        guard scanner.scanValue(outer: outer) else { return false }
        set(&self, ByteRange(start - base, scanner.at - base))
        return true
    }

    /// A plain integer; nil when it is none or does not fit.
    @inline(__always)
    private mutating func number(outer: Int = 1, _ set: (inout DaemonLineParser, UInt64?) -> Void) -> Bool {
        let start = scanner.at
        guard scanner.scanValue(outer: outer) else { return false }
        set(&self, RequestParser.integer(ByteSlice(from: start, to: scanner.at), in: 0...UInt64.max))
        return true
    }

    @inline(__always)
    private mutating func flag(_ set: (inout DaemonLineParser, Bool) -> Void) -> Bool {
        set(&self, scanner.at.pointee == UInt8(ascii: "t"))
        return scanner.scanValue(outer: 1)
    }
}
