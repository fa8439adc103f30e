// JSON as the library writes and reads it: dates as RFC 3339 text, no escaped slashes, no NaN.

package import FoundationEssentials
import Glibc
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
            // As bytes: an array made of Data as a sequence takes one after the other.
            return try (sortingKeys ? sortingEncoder : encoder).encode(value).withUnsafeBytes { Array($0) }
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
        let copy = payload.withContiguousStorageIfAvailable { padded($0) }
        var bytes = copy ?? Array(payload).withUnsafeBufferPointer { padded($0) }
        let count = bytes.count - padding
        if hasLineBreaks(bytes, count) { try joinLines(&bytes, count) }
        let failure = bytes.withUnsafeBufferPointer { buffer -> (offset: Int, expected: StaticString)? in
            guard let start = buffer.baseAddress else { return nil }
            var scanner = JSONScanner(start: start, end: start + count)
            scanner.skipWhitespace()
            return scanner.scanValue(outer: 1) && scanner.finish() ? nil : scanner.failure
        }
        if let failure { throw invalid(failure.offset, "\(failure.expected)") }
        bytes.removeLast(padding)
        return bytes
    }

    /// The scanner wants a newline and 16 bytes behind the text.
    private static let padding = 17

    /// A copy with newlines behind it.
    private static func padded(_ payload: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let count = payload.count + padding
        return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            if let from = payload.baseAddress { memcpy(start, from, payload.count) }
            memset(start + payload.count, 10, padding)
            initialized = count
        }
    }

    private static func hasLineBreaks(_ bytes: [UInt8], _ count: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 10, count) != nil || memchr(start, 13, count) != nil
        }
    }

    private static func joinLines(_ bytes: inout [UInt8], _ count: Int) throws(NotifyError) {
        var isInString = false
        var isEscaped = false
        for index in 0..<count {
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
