// The fields whose values are more than text or a flag: numbers and `id`. Off the hot path; the value has been scanned
// and is valid JSON.

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
        case .uid:
            guard let number = Self.integer(value, in: 0...UInt64(UInt32.max)) else {
                return .invalidField(field, "expected a uid, 0 to 4294967295")
            }
            request.wonder.uid = UInt32(number)
        case .groups:
            guard ExplainTerms.numbers(in: value) != nil else {
                return .invalidField(field, "expected an array of gids, 0 to 4294967295")
            }
            request.wonder.groups = value
        default:
            return readTerm(field, value, scanner)
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
