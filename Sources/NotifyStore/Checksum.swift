// Whether a message is what was written: SQLite checks the structure of its file, not the bytes of the values in it.

import NotifyBroker

extension StoredMessage {
    /// FNV-1a over everything that is kept of the message and its channel.
    func checksum(channel: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for number in [sequence, position, UInt64(bitPattern: time), UInt64(uid), UInt64(bitPattern: expires ?? 0)] {
            for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        for text in [channel, body] {
            for byte in text { mix(byte) }
            mix(0xFF)
        }
        return Int64(bitPattern: hash)
    }
}
