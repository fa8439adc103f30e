// The terms of posts and subscriptions. Off the hot path; the value has been scanned and is valid JSON.

extension RequestParser {
    mutating func readTerm(_ field: Field, _ value: ByteSlice, _ scanner: JSONScanner) -> Refusal? {
        switch field {
        case .ttl:
            guard let time = Self.milliseconds(value, from: 1) else { return Self.noTime(field, from: 1) }
            request.terms.timeToLive = time
        case .delay:
            guard let time = Self.milliseconds(value, from: 0) else { return Self.noTime(field, from: 0) }
            request.terms.delay = time
        case .at:
            guard let text = Self.plainText(value), let time = Timestamp.nanoseconds(text) else {
                return .invalidField(field, Self.expectedTime)
            }
            request.terms.at = time
        case .priority:
            guard let text = Self.plainText(value),
                let priority = Priority.allCases.first(where: { text.equals($0.name) })
            else { return .invalidField(field, "expected \"low\", \"normal\" or \"high\"") }
            request.terms.priority = priority
        case .coalesce:
            guard let time = Self.milliseconds(value, from: 0) else { return Self.noTime(field, from: 0) }
            request.terms.coalesce = time
        case .ifSequence:
            guard let number = Self.integer(value, in: 0...UInt64(Int64.max)) else {
                return .invalidField(field, "expected the channel's seq, an integer from 0")
            }
            request.terms.ifSequence = number
        case .requireSubscribers:
            guard value.equals("true") || value.equals("false") else {
                return .invalidField(field, "expected true or false")
            }
            request.terms.requireSubscribers = value.equals("true")
        case .minimumInterval:
            guard let time = Self.milliseconds(value, from: 1) else { return Self.noTime(field, from: 1) }
            request.wishes.minimumInterval = time
        case .schedule:
            guard let number = Self.integer(value, in: 1...UInt64(Int64.max)) else {
                return .invalidField(field, "expected the number that the post's reply named")
            }
            request.schedule = number
        case .replay:
            return readReplay(value, scanner)
        case .buffer:
            return readMembers(field, value, scanner) { $0.readBufferMember($1, $2) }
        default:
            break  // Of ops that are not built yet: refused whatever they hold.
        }
        return nil
    }

    // MARK: replay

    private mutating func readReplay(_ value: ByteSlice, _ scanner: JSONScanner) -> Refusal? {
        if value.equals("\"none\"") { return nil }
        if value.equals("\"retained\"") {
            request.wishes.replay = .retained
            return nil
        }
        let expected: Refusal = .invalidField(
            .replay, "expected \"none\", \"retained\", {\"last\":N}, {\"after\":POS} or {\"since\":TIME}")
        guard value[0] == UInt8(ascii: "{") else { return expected }
        var epoch: String?
        let refusal = readMembers(.replay, value, scanner) { parser, key, value in
            if key != "epoch", parser.request.wishes.replay != .none {
                return .invalidField(.replay, "one of 'last', 'after' and 'since' at a time")
            }
            switch key {
            case "last":
                guard let count = Self.integer(value, in: 1...UInt64(Int32.max)) else {
                    return .invalidField(.replay, "last: expected an integer from 1 to 2147483647")
                }
                parser.request.wishes.replay = .last(Int(count))
            case "after":
                guard let position = Self.integer(value, in: 0...UInt64(Int64.max)) else {
                    return .invalidField(.replay, "after: expected a pos, an integer from 0")
                }
                parser.request.wishes.replay = .after(position: position, epoch: nil)
            case "since":
                guard let text = Self.plainText(value), let time = Timestamp.nanoseconds(text) else {
                    return .invalidField(.replay, "since: \(Self.expectedTime)")
                }
                parser.request.wishes.replay = .since(time)
            case "epoch":
                guard let text = Self.plainText(value), 1...64 ~= text.count else {
                    return .invalidField(.replay, "epoch: expected the string that the reply to hello has")
                }
                epoch = text.text
            default:
                return Refusal(.unknownField, "field 'replay': '\(key)' is not a member of it")
            }
            return nil
        }
        if let refusal { return refusal }
        switch request.wishes.replay {
        case .after(let position, _): request.wishes.replay = .after(position: position, epoch: epoch)
        case .none: return expected
        default: if epoch != nil { return .invalidField(.replay, "'epoch' belongs to 'after'") }
        }
        return nil
    }

    // MARK: buffer

    private mutating func readBufferMember(_ key: String, _ value: ByteSlice) -> Refusal? {
        switch key {
        case "policy":
            guard let text = Self.plainText(value),
                let policy = BufferPolicy.allCases.first(where: { text.equals($0.name) })
            else {
                let names = BufferPolicy.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
                return .invalidField(.buffer, "policy: expected one of \(names)")
            }
            request.wishes.policy = policy
        case "messages", "bytes":
            guard let number = Self.integer(value, in: 1...UInt64(Int32.max)) else {
                return .invalidField(.buffer, "\(key): expected an integer from 1 to 2147483647")
            }
            if key == "messages" {
                request.wishes.bufferMessages = Int(number)
            } else {
                request.wishes.bufferBytes = Int(number)
            }
        default:
            return Refusal(.unknownField, "field 'buffer': '\(key)' is not a member of it")
        }
        return nil
    }

    // MARK: Shapes of values

    /// The members of an object, each once.
    private mutating func readMembers(
        _ field: Field, _ value: ByteSlice, _ outer: JSONScanner,
        _ read: (inout RequestParser, String, ByteSlice) -> Refusal?
    ) -> Refusal? {
        let expected: Refusal = .invalidField(field, "expected an object")
        guard value[0] == UInt8(ascii: "{") else { return expected }
        var scanner = outer
        scanner.at = value.base + 1
        var seen = Set<String>()
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "}")) { return nil }
        repeat {
            scanner.skipWhitespace()
            guard scanner.scanKey() else { return expected }
            let key = scanner.string.excerpt
            guard seen.insert(key).inserted else {
                return Refusal(.invalidRequest, "field '\(field.name)': '\(key)' stands twice")
            }
            let start = scanner.at
            guard scanner.scanValue(outer: 2) else { return expected }
            if let refusal = read(&self, key, ByteSlice(from: start, to: scanner.at)) { return refusal }
            scanner.skipWhitespace()
        } while scanner.take(UInt8(ascii: ","))
        return nil
    }

    /// The inside of a string without escapes; nil for anything else.
    private static func plainText(_ value: ByteSlice) -> ByteSlice? {
        guard value[0] == UInt8(ascii: "\""), !value.buffer.contains(UInt8(ascii: "\\")) else { return nil }
        return ByteSlice(value.base + 1, value.count - 2)
    }

    private static func milliseconds(_ value: ByteSlice, from least: UInt64) -> UInt64? {
        integer(value, in: least...PostTerms.maximumMilliseconds).map { $0 * 1_000_000 }
    }

    /// The years that 64 bits of nanoseconds reach.
    private static let expectedTime =
        "expected a time of RFC 3339, such as \"2026-11-29T12:00:00Z\", of the years 1678 to 2261"

    private static func noTime(_ field: Field, from least: UInt64) -> Refusal {
        .invalidField(field, "expected milliseconds, an integer from \(least) to \(PostTerms.maximumMilliseconds)")
    }
}
