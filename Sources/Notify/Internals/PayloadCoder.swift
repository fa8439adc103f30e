// JSON as the library writes and reads it: dates by ISO 8601, no escaped slashes, no NaN.

import FoundationEssentials

enum PayloadCoder {
    static func encode(_ message: some Encodable) throws(NotifyError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            return Array(try encoder.encode(message))
        } catch {
            throw NotifyError(
                .encodingFailed, "\(type(of: message)) cannot be written as JSON: \(error)", cause: error)
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from payload: Data, on channel: NotifyCenter.Channel
    ) throws(NotifyError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: payload)
        } catch {
            throw NotifyError(
                .decodingFailed, "the payload on '\(channel)' is no \(type): \(error)", cause: error)
        }
    }

    /// Checks that bytes are one strict JSON value and makes them fit on one line.
    static func check(_ payload: some Sequence<UInt8>) throws(NotifyError) -> [UInt8] {
        payload.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    }
}
