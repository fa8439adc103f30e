// A named channel: its numbering, and who subscribed to exactly it.

import NotifyWire

typealias ChannelRef = UnsafeMutablePointer<Channel>

struct Channel {
    private let nameBase: UnsafePointer<UInt8>
    /// The `seq` of the last message.
    var sequence: UInt64
    /// Subscriptions whose pattern is this name.
    var exact = RefVector<Subscription>()
    /// nil until something is posted or kept.
    private(set) var traffic: UnsafeMutablePointer<Traffic>?
    /// When anything but a post kept the channel in use last, by the monotonic clock.
    var lastUsed: UInt64
    /// The `seq` before the first post since the channel is known.
    let base: UInt64
    /// Waiting messages and gaps that name this channel.
    var pins: UInt32 = 0
    /// More match than are kept here: they stand in the pattern index.
    var isWide = false
    /// What is posted on it goes to the store.
    var isPersistent = false
    /// It is in the list of channels of which the store has to be told what they have lost.
    var isTouched = false
    /// Which of the configuration's rules counts for it.
    var rule: UInt8 = 0
    /// At most `ChannelName.maximumBytes`.
    private let nameCount: UInt8

    init(name: ByteSlice, sequence: UInt64, lastUsed: UInt64) {
        nameBase = name.base
        nameCount = UInt8(name.count)
        (self.sequence, base, self.lastUsed) = (sequence, sequence, lastUsed)
    }

    var name: ByteSlice { ByteSlice(nameBase, Int(nameCount)) }

    /// Nothing would be lost but the numbering, and that goes on above it.
    var isForgettable: Bool {
        exact.isEmpty && retained == nil && pins == 0 && !isTouched && !(isPersistent && pastCount > 0)
    }

    /// What there is of posts; made if there is nothing yet.
    @inline(__always)
    mutating func useTraffic() -> UnsafeMutablePointer<Traffic> {
        if let traffic { return traffic }
        let fresh = Traffic.make()
        traffic = fresh
        return fresh
    }

    /// The name stands right behind the channel, in the same piece of memory.
    static func make(_ name: ByteSlice, sequence: UInt64, now: UInt64) -> ChannelRef {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Channel>.size + name.count, alignment: MemoryLayout<Channel>.alignment)
        let copy = (raw + MemoryLayout<Channel>.size).assumingMemoryBound(to: UInt8.self)
        copy.update(from: name.base, count: name.count)
        let channel = raw.bindMemory(to: Channel.self, capacity: 1)
        channel.initialize(
            to: Channel(name: ByteSlice(copy, name.count), sequence: sequence, lastUsed: now))
        return channel
    }

    static func destroy(_ channel: ChannelRef) {
        channel.pointee.exact.deallocate()
        if let traffic = channel.pointee.traffic { Traffic.destroy(traffic) }
        channel.deinitialize(count: 1)
        UnsafeMutableRawPointer(channel).deallocate()
    }
}
