// What must hold for any line: the fast path and the general path say the same, a batch says of a post what a line of
// its own says, what was accepted comes out at a subscriber as it went in, and nobody looks past the end.

enum LineCheck {
    /// Whether the line is a JSON object, or blank.
    static func run(_ line: [UInt8]) -> Bool {
        // In a piece of memory of exactly the size that the parsers may look at: the address sanitizer watches its ends.
        let padded = Padded(line)
        var fast = RequestParser()
        var general = RequestParser()
        let verdict = fast.parse(padded.start, padded.end)
        let other = general.parseAnything(padded.start, padded.end)
        guard verdict == other else { fatalError("fast path: \(verdict), general path: \(other)") }
        var isJSON = true
        var isTooDeep = false
        switch verdict {
        case .blank: break
        case .refused:
            guard fast.refusal == general.refusal else { fatalError("\(fast.refusal), \(general.refusal)") }
            isJSON = fast.refusal.code != .invalidJSON
            isTooDeep = fast.refusal.message.hasSuffix("levels of nesting")
            guard isJSON || 0...line.count ~= fast.refusal.offset ?? -1 else { fatalError("\(fast.refusal)") }
        case .request:
            let facts = Facts(fast.request)
            guard facts == Facts(general.request) else { fatalError("\(facts), \(Facts(general.request))") }
            if fast.request.op == .batch { check(batch: &fast) }
            if fast.request.op == .post {
                check(delivered: fast.request)
                check(inBatch: line, facts)
                let payload = [UInt8](fast.request.payload)
                if !payload.isEmpty { ShapeCheck.run(payload) }
            }
        }
        // The answer to `get` may nest one level deeper.
        if !isTooDeep { check(atClient: padded, isJSON) }
        return isJSON
    }

    private static func check(batch parser: inout RequestParser) {
        guard case .success(let posts) = parser.parseBatch() else { return }
        for post in posts { check(delivered: post) }
    }

    /// `{"op":"post",` and the rest: the rest as the only post of a batch must say the same.
    private static func check(inBatch line: [UInt8], _ facts: Facts) {
        let head = Array(#"{"op":"post","#.utf8)
        guard line.starts(with: head), !facts.present.contains(.id) else { return }
        let batch = Padded(Array(#"{"op":"batch","posts":[{"#.utf8) + line.dropFirst(head.count) + Array("]}".utf8))
        var parser = RequestParser()
        guard parser.parse(batch.start, batch.end) == .request else {
            // A batch takes two of the levels for itself.
            guard parser.refusal.message.hasSuffix("levels of nesting") else {
                fatalError("as a batch: \(parser.refusal)")
            }
            return
        }
        switch parser.parseBatch() {
        case .failure(let refusal): fatalError("as a batch: \(refusal)")
        case .success(let posts):
            let inside = posts.map { Facts($0) }
            var expected = facts
            expected.present = expected.present.subtracting([.op])
            guard inside == [expected] else { fatalError("as a batch: \(inside), alone: \(expected)") }
        }
    }

    /// The message that a subscriber gets, read by the client's parser.
    private static func check(delivered request: Request) {
        guard ChannelName.fault(in: request.channel) == nil else { return }
        var sender = ByteLog(capacity: 96)
        MessageLine.appendSender(to: &sender, client: 3, pid: 4, uid: 5)
        sender.reserve(16)
        let content = MessageLine.Content(
            channel: request.channel, sequence: 1, position: 2, time: sender.slice(from: 0, to: 0),
            type: request.typeToken, subject: request.subjectToken, sender: sender.slice,
            isRetained: request.retain, payload: request.payload)
        var template = LineTemplate()
        var log = ByteLog(capacity: 64)
        template.append(to: &log, sub: 7, content, wall: 0)
        check(line: [UInt8](log.slice), of: request)
        log.clear()
        let isNext = template.appendNext(
            to: &log, sequence: 2, position: 3, wall: 1, payload: content.payload, time: { _ in content.time })
        guard isNext else { fatalError("2 comes after 1") }
        check(line: [UInt8](log.slice), of: request)
        check(retained: request, content)
    }

    private static func check(line bytes: [UInt8], of request: Request) {
        guard bytes.last == 10, bytes.dropLast().allSatisfy({ $0 != 10 }) else { fatalError("not one line") }
        let line = Padded(Array(bytes.dropLast()))
        guard case .message(let fields) = DaemonLineParser.parse(line.start, from: 0, to: line.count) else {
            fatalError("a message that is none: \(String(decoding: bytes, as: UTF8.self))")
        }
        let said = [fields.channel, fields.type, fields.subject, fields.payload].map { line.bytes($0) }
        let meant = [request.channel, request.typeToken, request.subjectToken, request.payload].map { [UInt8]($0) }
        guard said == meant, fields.isRetained == request.retain else { fatalError("\(meant) became \(said)") }
    }

    /// The same message as the answer to `get`.
    private static func check(retained request: Request, _ content: MessageLine.Content) {
        var log = ByteLog(capacity: 64)
        log.append(#"{"op":"ok","id":1,"message":{"#)
        MessageLine.appendBody(to: &log, content)
        log.append("}")
        let line = Padded([UInt8](log.slice))
        guard case .ok(let reply) = DaemonLineParser.parse(line.start, from: 0, to: line.count),
            let fields = DaemonLineParser.parseMessage(line.start, reply.body)
        else { fatalError("an answer that is none: \(log.slice.text)") }
        guard line.bytes(fields.payload) == [UInt8](request.payload) else { fatalError("\(fields)") }
    }

    /// The client's parser gets the same line, as if a daemon had sent it.
    private static func check(atClient line: Padded, _ isJSON: Bool) {
        switch DaemonLineParser.parse(line.start, from: 0, to: line.count) {
        case .malformed(let offset, let expected):
            guard 0...line.count ~= offset else { fatalError("byte \(offset) of \(line.count): \(expected)") }
            // What is JSON can only lack something, which is told at its end.
            guard !isJSON || offset == line.count else { fatalError("to the client no JSON: \(expected) at \(offset)") }
        case .message(let fields):
            guard isJSON else { fatalError("a message, but no JSON") }
            for range in [fields.line, fields.channel, fields.type, fields.subject, fields.time, fields.payload] {
                _ = line.bytes(range)
            }
        case .ok(let fields):
            guard isJSON else { fatalError("an answer, but no JSON") }
            _ = line.bytes(fields.line)
            if line.bytes(fields.body).first == UInt8(ascii: "{") {
                _ = DaemonLineParser.parseMessage(line.start, fields.body)
            }
        case .error(let fields):
            guard isJSON else { fatalError("an error, but no JSON") }
            _ = line.bytes(fields.code) + line.bytes(fields.message)
        case .gap, .live, .bye, .unknown, .blank:
            guard isJSON else { fatalError("a line, but no JSON") }
        }
    }
}
