// The message lines of one read, kept once for all who hold one of them. Text, data and decoded values are made from
// it when somebody asks, in that somebody's task.

import FoundationEssentials
import NotifyWire

final class MessageBatch: Sendable {
    let bytes: [UInt8]
    let messages: [MessageFields]

    init(bytes: [UInt8], messages: [MessageFields]) {
        self.bytes = bytes
        self.messages = messages
    }

    func data(_ range: ByteRange) -> Data {
        Data(bytes[range.indices])
    }

    /// The text of a JSON string, its escapes resolved.
    func text(_ range: ByteRange) -> String {
        String(decoding: bytes[range.indices], as: UTF8.self)
    }
}
