// One line that waits for its peer to read: in the order of the peer, and, for messages, in the order of the
// subscription, so that the oldest of one subscription can be dropped from the middle.

import NotifyWire

typealias WaitingRef = UnsafeMutablePointer<Waiting>

struct Waiting {
    var next: WaitingRef?
    var previous: WaitingRef?
    /// nil: a reply, or a line that has begun to be sent; it is never dropped.
    var subscription: SubscriptionRef?
    var nextOfSubscription: WaitingRef?
    var channel: ChannelRef?
    var sequence: UInt64 = 0
    var count = 0

    /// The bytes stand right behind the header.
    static func bytes(_ line: WaitingRef) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(line + 1).assumingMemoryBound(to: UInt8.self)
    }

    static func make(_ bytes: ByteSlice, _ rest: ByteSlice = .empty) -> WaitingRef {
        let count = bytes.count + rest.count
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Waiting>.size + count, alignment: MemoryLayout<Waiting>.alignment)
        let line = raw.bindMemory(to: Waiting.self, capacity: 1)
        line.initialize(to: Waiting(count: count))
        self.bytes(line).update(from: bytes.base, count: bytes.count)
        (self.bytes(line) + bytes.count).update(from: rest.base, count: rest.count)
        return line
    }

    static func destroy(_ line: WaitingRef) {
        if let channel = line.pointee.channel { channel.pointee.pins -= 1 }
        UnsafeMutableRawPointer(line).deallocate()
    }
}
