// The fields whose values are more than text or a flag: numbers, `id`, `replay`, `buffer`. Off the hot path; the value
// has been scanned and is valid JSON.

extension RequestParser {
    mutating func read(_ field: Field, _ value: ByteSlice, _ scanner: JSONScanner) -> Refusal? {
        switch field {
        case .id:
            return readID(value)
        case .version:
            guard let number = Self.integer(value, in: 0...UInt64(Int64.max)) else {
                return .invalidField(field, "expected an integer")
            }
            request.version = number
        case .sub:
            guard let number = Self.integer(value, in: 1...UInt64(UInt32.max)) else {
                return .invalidField(field, "expected an integer from 1 to 4294967295")
            }
            request.sub = UInt32(number)
        case .fromUID:
            guard let number = Self.integer(value, in: 0...UInt64(UInt32.max)) else {
                return .invalidField(field, "expected a uid, 0 to 4294967295")
            }
            request.fromUID = UInt32(number)
        case .replay:
            return readReplay(value)
        case .buffer:
            return readBuffer(value, scanner)
        default:
            break  // Fields of later versions: `check` refuses them whatever they hold.
        }
        return nil
    }

    private mutating func readID(_ value: ByteSlice) -> Refusal? {
        let isString = value[0] == UInt8(ascii: "\"")
        if isString ? value.count <= 66 : Self.integer(value, in: 0...(1 << 53 - 1)) != nil {
            request.id = value
            return nil
        }
        return .invalidField(.id, "expected an integer from 0 to 9007199254740991 or a string of at most 64 bytes")
    }

    private mutating func readReplay(_ value: ByteSlice) -> Refusal? {
        if value.equals("\"none\"") { return nil }
        if value.equals("\"retained\"") {
            request.replaysRetained = true
            return nil
        }
        if value[0] == UInt8(ascii: "{") {
            return .invalidField(.replay, "\"last\", \"after\" and \"since\": not yet; this version has no history")
        }
        return .invalidField(.replay, "expected \"none\" or \"retained\"")
    }

    private mutating func readBuffer(_ value: ByteSlice, _ outer: JSONScanner) -> Refusal? {
        guard value[0] == UInt8(ascii: "{") else { return .invalidField(.buffer, "expected an object") }
        var scanner = outer
        scanner.at = value.base + 1
        var seen = Set<String>()
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "}")) { return nil }
        repeat {
            scanner.skipWhitespace()
            guard scanner.scanKey() else { return .invalidField(.buffer, "expected an object") }
            let key = scanner.string.excerpt
            guard seen.insert(key).inserted else {
                return Refusal(.invalidRequest, "field 'buffer': '\(key)' stands twice")
            }
            let start = scanner.at
            guard scanner.scanValue(outer: 2) else { return .invalidField(.buffer, "expected an object") }
            if let refusal = readBufferMember(key, ByteSlice(from: start, to: scanner.at)) { return refusal }
            scanner.skipWhitespace()
        } while scanner.take(UInt8(ascii: ","))
        return nil
    }

    private mutating func readBufferMember(_ key: String, _ value: ByteSlice) -> Refusal? {
        switch key {
        case "policy":
            if value.equals("\"newest\"") { return nil }
            for later in ["oldest", "latest", "fail", "block"] where value.text == "\"\(later)\"" {
                return .invalidField(.buffer, "policy '\(later)': not yet; this version of notifyd has \"newest\"")
            }
            return .invalidField(.buffer, "policy: expected \"newest\"")
        case "messages", "bytes":
            guard let number = Self.integer(value, in: 1...UInt64(Int32.max)) else {
                return .invalidField(.buffer, "\(key): expected an integer from 1 to 2147483647")
            }
            if key == "messages" { request.bufferMessages = Int(number) } else { request.bufferBytes = Int(number) }
            return nil
        default:
            return Refusal(.unknownField, "field 'buffer': '\(key)' is not a member of it")
        }
    }

    /// The value of a JSON number that is written as a plain integer and lies in `range`.
    static func integer(_ value: ByteSlice, in range: ClosedRange<UInt64>) -> UInt64? {
        guard 1...20 ~= value.count else { return nil }
        var number: UInt64 = 0
        for byte in value.buffer {
            guard byte &- 48 < 10 else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(byte &- 48))
            if overflow || carry { return nil }
            number = sum
        }
        return range ~= number ? number : nil
    }
}
