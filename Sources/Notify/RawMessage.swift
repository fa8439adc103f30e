// A message as bytes. It shares the storage of the read it came with; text and numbers are made when asked for.

public import FoundationEssentials
import NotifyWire

extension NotifyCenter {
    /// A message as it came, with its payload as bytes.
    public struct RawMessage: Sendable {
        let batch: MessageBatch
        let index: Int

        var fields: MessageFields { batch.messages[index] }

        /// The channel it was posted to.
        public var channel: Channel { Channel(trusted: batch.text(fields.channel)) }

        /// Names the payload's shape, if the poster said so.
        public var type: String? { fields.type.isAbsent ? nil : batch.text(fields.type) }

        /// Whom or what it is about.
        public var subject: Subject? { fields.subject.isAbsent ? nil : Subject(trusted: batch.text(fields.subject)) }

        /// The payload, byte for byte as it was posted.
        public var payload: Data { batch.data(fields.payload) }

        /// Lends the payload's bytes, without a copy, to `body`. They must not be used after it.
        public func withPayload<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try batch.withBytes(fields.payload, body)
        }

        /// The message line exactly as it came, without the newline.
        public var line: Data { batch.data(fields.line) }

        /// What the daemon says about it.
        public var info: MessageInfo { MessageInfo(batch: batch, fields: fields) }

        /// Reads the payload as a value.
        ///
        /// - Throws: `decodingFailed` with the `DecodingError` as cause.
        public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(NotifyError) -> Value {
            try PayloadCoder.decode(type, from: payload) { channel.rawValue }
        }
    }
}

extension NotifyCenter.RawMessage: CustomStringConvertible, CustomDebugStringConvertible {
    /// Channel, type and subject as far as they are there, and the payload.
    public var description: String {
        [channel.rawValue, type, subject?.rawValue, String(decoding: payload, as: UTF8.self)]
            .compactMap(\.self).joined(separator: "  ")
    }

    /// The message line as it came.
    public var debugDescription: String { String(decoding: line, as: UTF8.self) }
}
