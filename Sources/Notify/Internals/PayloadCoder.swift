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
        var bytes: [UInt8] = []
        var fault: Fault?
        // No result is handed through: this is not specialized for callers, and would look up its type each time.
        let isChecked: Void? = payload.withContiguousStorageIfAvailable { fault = check($0, &bytes) }
        if isChecked == nil { fault = Array(payload).withUnsafeBufferPointer { check($0, &bytes) } }
        guard let fault else { return bytes }
        throw NotifyError(
            .invalidJSON, "the payload is not valid JSON at byte \(fault.offset): expected \(fault.expected)",
            offset: fault.offset)
    }

    private typealias Fault = (offset: Int, expected: StaticString)

    /// The scanner wants a newline and 16 bytes behind the text.
    private static let padding = 17

    private static func check(_ payload: UnsafeBufferPointer<UInt8>, _ bytes: inout [UInt8]) -> Fault? {
        let count = payload.count
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + padding) { buffer in
            guard let text = buffer.baseAddress else { return nil }
            if let from = payload.baseAddress { memcpy(text, from, count) }
            memset(text + count, 10, padding)
            if memchr(text, 10, count) != nil || memchr(text, 13, count) != nil,
                let fault = joinLines(text, count)
            {
                return fault
            }
            var scanner = JSONScanner(start: text, end: text + count)
            scanner.skipWhitespace()
            guard scanner.scanValue(outer: 1), scanner.finish() else { return scanner.failure }
            bytes = [UInt8](UnsafeBufferPointer(start: text, count: count))
            return nil
        }
    }

    private static func joinLines(_ text: UnsafeMutablePointer<UInt8>, _ count: Int) -> Fault? {
        var isInString = false
        var isEscaped = false
        for index in 0..<count {
            let byte = text[index]
            if isInString {
                if byte == 10 { return (index, "no unescaped control character in a string") }
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
                text[index] = 0x20
            }
        }
        return nil
    }
}
