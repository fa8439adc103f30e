// Whether a message or a post is what was written: SQLite checks the structure of its file, not the bytes of the values in
// it.

import NotifyBroker

/// FNV-1a.
private struct Checksum {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ numbers: [UInt64], _ texts: [UInt8]...) {
        for number in numbers {
            for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        for text in texts {
            for byte in text { mix(byte) }
            mix(0xFF)
        }
    }

    private mutating func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

    var value: Int64 { Int64(bitPattern: hash) }
}

extension StoredMessage {
    /// Over everything that is kept of the message and its channel.
    func checksum(channel: [UInt8]) -> Int64 {
        let numbers = [sequence, position, UInt64(bitPattern: time), UInt64(uid), UInt64(bitPattern: expires ?? 0)]
        return Checksum(numbers, channel, body).value
    }
}

extension StoredPost {
    var checksum: Int64 {
        let numbers = [
            number, UInt64(bitPattern: kind.rawValue), UInt64(bitPattern: due), client, UInt64(bitPattern: Int64(pid)),
            UInt64(uid),
        ]
        return Checksum(numbers, line).value
    }
}
