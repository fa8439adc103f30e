// A line in, a request or a refusal out. The whole line is checked strictly before anything in it counts; the `id` is
// found wherever it stands, so that a refusal can carry it.

package struct RequestParser: ~Copyable {
    package enum Verdict {
        /// Nothing but white space.
        case blank
        case request
        case refused
    }

    /// The request read last; its slices are valid until the next call, and as long as the line's buffer stands.
    package var request: Request {
        _read { yield place.pointee }
        nonmutating _modify { yield &place.pointee }
    }

    /// Where `request` stands: a request is large, and handed on without being copied.
    package let requestRef: RequestRef
    private let place: UnsafeMutablePointer<Request>

    /// Why the last line was refused.
    package private(set) var refusal = Refusal(.invalidJSON, "")

    /// Strings with escapes, decoded. Never longer than the line.
    private var decoded = ByteLog(capacity: 256)
    private var unknownField = ByteSlice.empty
    private var duplicateField: Field?
    private var fieldRefusal: Refusal?
    private var opName = ByteSlice.empty
    private var opIsKnown = false
    private var envelope = Envelope()
    var shape = PayloadShape()
    private(set) var lineStart = ByteSlice.empty.base
    private(set) var lineEnd = ByteSlice.empty.base

    package init() {
        place = .allocate(capacity: 1)
        place.initialize(to: Request())
        requestRef = RequestRef(place)
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// Reads the line whose newline is at `end`; 16 bytes after it must be readable.
    package mutating func parse(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Verdict {
        request.reset()
        if parseCanonicalPost(start, end) { return .request }
        return parseAnything(start, end)
    }

    // MARK: The envelope of the last post

    mutating func keep(_ envelope: ByteSlice) {
        // Read before the envelope is changed: the thread sanitizer's build takes the two for overlapping.
        let place = place
        self.envelope.keep(envelope, of: &place.pointee)
    }

    var envelopeCount: Int { envelope.count }

    @inline(__always)
    func isKept(at place: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> Bool {
        envelope.stamp != 0 && end - place >= envelope.count && envelope.stands(at: place)
    }

    /// The same post as last time, but for `id` and payload.
    @inline(__always)
    mutating func repeatEnvelope(_ id: ByteSlice, _ payload: ByteSlice) {
        if request.envelope != envelope.stamp {
            request.reset()
            envelope.fill(&place.pointee)
        }
        request.id = id
        if !id.isEmpty { request.present.insert(.id) }
        request.payload = payload
    }

    // MARK: Any line

    /// The general scanner: any request, and everything that is none.
    package mutating func parseAnything(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Verdict {
        var scanner = JSONScanner(start: start, end: end)
        scanner.skipWhitespace()
        if scanner.isAtEnd { return .blank }
        reset()
        lineStart = start
        lineEnd = end
        guard scanEnvelope(&scanner, depth: 1), scanner.finish() else {
            let (offset, expected) = scanner.failure
            return refuse(
                Refusal(.invalidJSON, "not valid JSON at byte \(offset): expected \(expected)", offset: offset))
        }
        if _slowPath(hasFault) { return refuse(fault) }
        guard request.present.contains(.op) else {
            return refuse(Refusal(.invalidRequest, "no 'op': every request names what it asks for"))
        }
        if let refusal = check(request.op) { return refuse(refusal) }
        return .request
    }

    /// Reads one object of a batch's `posts`: the fields of a post without `op` and `id`. The slices of earlier posts
    /// of the same batch stay valid until the next call of `parse`.
    mutating func parsePost(_ scanner: inout JSONScanner, number: Int) -> Refusal? {
        reset(keepingDecoded: true)
        let start = scanner.at
        guard start.pointee == UInt8(ascii: "{") else {
            return Refusal(.invalidField, "field 'posts': element \(number) is not an object")
        }
        // Cannot fail: the batch's line has been scanned before.
        guard scanEnvelope(&scanner, depth: 3) else { return Refusal(.invalidJSON, "not valid JSON in 'posts'") }
        request.op = .post
        var refusal = hasFault ? fault : nil
        if refusal == nil, request.present.contains(.op) || request.present.contains(.id) {
            refusal = Refusal(.unknownField, "a post in a batch has no 'op' and no 'id'")
        }
        refusal = refusal ?? check(.post) ?? refusalInBatch
        guard var refusal else { return nil }
        refusal.message = "posts[\(number)]: \(refusal.message)"
        return refusal
    }

    private mutating func reset(keepingDecoded: Bool = false) {
        request.reset()
        if !keepingDecoded { decoded.clear(keeping: 64 << 10) }
        unknownField = .empty
        duplicateField = nil
        fieldRefusal = nil
        opIsKnown = true
    }

    private mutating func refuse(_ refusal: Refusal) -> Verdict {
        self.refusal = refusal
        return .refused
    }

    // MARK: The envelope

    private mutating func scanEnvelope(_ scanner: inout JSONScanner, depth: Int) -> Bool {
        guard scanner.take(UInt8(ascii: "{")) else { return scanner.fail("'{'", at: scanner.at) }
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "}")) { return true }
        while true {
            guard scanner.scanKey() else { return false }
            let key = scanner.stringHasEscapes ? decode(scanner.string, &scanner) : scanner.string
            if let field = Field.named(key) {
                if request.present.contains(field) { duplicateField = duplicateField ?? field }
                request.present.insert(field)
                guard scan(field, &scanner, depth) else { return false }
            } else {
                if unknownField.isEmpty { unknownField = key.isEmpty ? ByteSlice(Self.emptyName.utf8Start, 2) : key }
                guard scanner.scanValue(outer: depth) else { return false }
            }
            scanner.skipWhitespace()
            if scanner.take(UInt8(ascii: ",")) {
                scanner.skipWhitespace()
                continue
            }
            return scanner.take(UInt8(ascii: "}")) || scanner.fail("',' or '}'", at: scanner.at)
        }
    }

    private static let emptyName: StaticString = "\"\""

    private mutating func decode(_ raw: ByteSlice, _ scanner: inout JSONScanner) -> ByteSlice {
        // Room for all that the line can decode to, at once: growing later would move what was decoded before.
        if decoded.count == 0 { decoded.reserve(scanner.end - scanner.start + 16) }
        return decoded.append(unescaped: raw)
    }

    private mutating func scan(_ field: Field, _ scanner: inout JSONScanner, _ depth: Int) -> Bool {
        let start = scanner.at
        switch field {
        case .payload:
            guard scanner.scanValue(outer: depth) else { return false }
            request.payload = ByteSlice(from: start, to: scanner.at)
            return true
        case .op, .channel, .type, .subject, .name, .match, .after, .dedup, .group, .right, .unit:
            guard start.pointee == UInt8(ascii: "\"") else { return skip(field, "a string", &scanner, depth) }
            guard scanner.scanString() else { return false }
            let token = scanner.string
            set(field, scanner.stringHasEscapes ? decode(token, &scanner) : token, token)
            return true
        case .retain, .echo:
            let isTrue = start.pointee == UInt8(ascii: "t")
            guard isTrue || start.pointee == UInt8(ascii: "f") else {
                return skip(field, "true or false", &scanner, depth)
            }
            guard isTrue ? scanner.scanLiteral("true") : scanner.scanLiteral("false") else { return false }
            if field == .retain { request.retain = isTrue } else { request.echo = isTrue }
            return true
        case .posts:
            guard scanner.scanValue(outer: depth) else { return false }
            request.posts = ByteSlice(from: start, to: scanner.at)
            if start.pointee != UInt8(ascii: "[") { note(.invalidField(.posts, "expected an array of posts")) }
            return true
        default:
            guard scanner.scanValue(outer: depth) else { return false }
            if let refusal = read(field, ByteSlice(from: start, to: scanner.at), scanner) { note(refusal) }
            return true
        }
    }

    /// Passes over a value of the wrong kind: it must still be JSON.
    private mutating func skip(
        _ field: Field, _ expected: String, _ scanner: inout JSONScanner, _ depth: Int
    ) -> Bool {
        note(.invalidField(field, "expected \(expected)"))
        return scanner.scanValue(outer: depth)
    }

    private mutating func note(_ refusal: Refusal) {
        if fieldRefusal == nil { fieldRefusal = refusal }
    }

    private mutating func set(_ field: Field, _ text: ByteSlice, _ token: ByteSlice) {
        switch field {
        case .op:
            opName = text
            if let op = Op.named(text) { request.op = op } else { opIsKnown = false }
        case .channel: request.channel = text
        case .match: request.match = text
        case .after: request.after = text
        case .type:
            request.type = text
            request.typeToken = token
        case .subject:
            request.subject = text
            request.subjectToken = token
        case .dedup:
            request.terms.dedup = text
            if !(1...PostTerms.maximumDedupBytes ~= text.count) {
                note(.invalidField(.dedup, "expected a string of 1 to \(PostTerms.maximumDedupBytes) bytes"))
            }
        case .group: request.wishes.group = text
        case .unit: request.wonder.unit = text
        case .right:
            if let right = Right(text.text) {
                request.wonder.right = right
            } else {
                let known = Right.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
                note(.invalidField(.right, "expected one of \(known)"))
            }
        default: request.name = text
        }
        guard [.type, .subject, .name, .group, .unit].contains(field), !LabelText.isValid(text) else { return }
        note(.invalidField(field, "expected 1 to 255 bytes of text without control characters"))
    }

    // MARK: What is wrong with it

    private var hasFault: Bool {
        duplicateField != nil || fieldRefusal != nil || !unknownField.isEmpty || !opIsKnown
    }

    private var fault: Refusal {
        if let duplicateField { return Refusal(.invalidRequest, "field '\(duplicateField.name)' stands twice") }
        if !opIsKnown { return Refusal(.unknownOp, "op '\(opName.excerpt)': not an op of this protocol") }
        if !unknownField.isEmpty {
            return Refusal(.unknownField, "field '\(unknownField.excerpt)': not a field of this protocol")
        }
        return fieldRefusal ?? Refusal(.invalidRequest, "the request is not understood")
    }

    private func check(_ op: Op) -> Refusal? {
        let own = request.present.subtracting([.op, .id])
        if let foreign = own.subtracting(op.fields).first {
            return Refusal(.unknownField, "field '\(foreign.name)': op '\(op.name)' does not have it")
        }
        if op == .post, let refusal = refusalOfCombination { return refusal }
        if op == .will, !own.isEmpty, !own.contains(.channel) {
            return Refusal(.missingField, "field 'channel': a will is a post; without any field it is forgotten")
        }
        if let missing = op.required.subtracting(own).first {
            return Refusal(.missingField, "field '\(missing.name)': op '\(op.name)' needs it")
        }
        return nil
    }
}
