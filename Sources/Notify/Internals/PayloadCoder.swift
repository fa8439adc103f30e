// JSON as the library writes and reads it: dates as RFC 3339 text, no escaped slashes, no NaN.

package import FoundationEssentials
import NotifyWire

package enum PayloadCoder {
    // All are safe to share: they are configured here, once.
    private static let encoder = makeEncoder([.withoutEscapingSlashes])
    private static let sortingEncoder = makeEncoder([.withoutEscapingSlashes, .sortedKeys])

    private static func makeEncoder(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let text = Timestamps.text(date) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "the date is not in years 0 to 9999"))
            }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
        return encoder
    }

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = Timestamps.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date of RFC 3339")
            }
            return date
        }
        return decoder
    }()

    package static func encode<Value: Encodable>(
        _ value: Value, sortingKeys: Bool = false
    ) throws(NotifyError) -> [UInt8] {
        do {
            return Array(try (sortingKeys ? sortingEncoder : encoder).encode(value))
        } catch {
            throw NotifyError(.encodingFailed, "\(Value.self) cannot be written as JSON: \(error)", cause: error)
        }
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, from payload: Data, on channel: () -> String
    ) throws(NotifyError) -> Value {
        do {
            return try decoder.decode(type, from: payload)
        } catch {
            throw NotifyError(
                .decodingFailed, "the payload on '\(channel())' is no \(type): \(error)", cause: error)
        }
    }

    /// Checks that bytes are one strict JSON value and makes them fit on one line: line breaks between its tokens become
    /// spaces.
    static func check(_ payload: some Sequence<UInt8>) throws(NotifyError) -> [UInt8] {
        var bytes = Array(payload)
        try joinLines(&bytes)
        let count = bytes.count
        // The scanner wants a newline and 16 bytes behind it.
        bytes.append(contentsOf: repeatElement(10, count: 17))
        let failure = bytes.withUnsafeBufferPointer { buffer -> (offset: Int, expected: StaticString)? in
            guard let start = buffer.baseAddress else { return nil }
            var scanner = JSONScanner(start: start, end: start + count)
            scanner.skipWhitespace()
            return scanner.scanValue(outer: 1) && scanner.finish() ? nil : scanner.failure
        }
        if let failure { throw invalid(failure.offset, "\(failure.expected)") }
        bytes.removeLast(17)
        return bytes
    }

    private static func joinLines(_ bytes: inout [UInt8]) throws(NotifyError) {
        var isInString = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isInString {
                if byte == 10 { throw invalid(index, "no unescaped control character in a string") }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == 10 || byte == 13 {
                bytes[index] = 0x20
            }
        }
    }

    private static func invalid(_ offset: Int, _ expected: String) -> NotifyError {
        NotifyError(
            .invalidJSON, "the payload is not valid JSON at byte \(offset): expected \(expected)", offset: offset)
    }
}
