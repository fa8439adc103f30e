// All channels by name: open addressing with linear probing, a keyed hash, and one remembered channel, because whoever
// posts tends to post to the same channel again.

import NotifyWire

struct ChannelTable: ~Copyable {
    private var slots: UnsafeMutablePointer<ChannelRef?>
    private(set) var capacity: Int
    private(set) var count = 0
    private var last: ChannelRef?
    private let key: UInt64
    private var cursor = 0

    init(key: UInt64) {
        self.key = key
        self.capacity = 64
        self.slots = .allocate(capacity: 64)
        slots.initialize(repeating: nil, count: 64)
    }

    deinit {
        for index in 0..<capacity {
            if let channel = slots[index] { Channel.destroy(channel) }
        }
        slots.deallocate()
    }

    /// The channel with this name, nil when there is none.
    @inline(__always)
    mutating func find(_ name: ByteSlice) -> ChannelRef? {
        if let last, last.pointee.name.equals(name) { return last }
        return lookUp(name)
    }

    private mutating func lookUp(_ name: ByteSlice) -> ChannelRef? {
        var index = home(of: name)
        while let channel = slots[index] {
            if channel.pointee.name.equals(name) {
                last = channel
                return channel
            }
            index = (index + 1) & (capacity - 1)
        }
        return nil
    }

    /// Adds a channel whose name is not in the table.
    mutating func insert(_ name: ByteSlice, sequence: UInt64, now: UInt64) -> ChannelRef {
        if (count + 1) * 4 > capacity * 3 { resize(to: capacity * 2) }
        let channel = Channel.make(name, sequence: sequence, now: now)
        place(channel)
        count += 1
        last = channel
        return channel
    }

    private func place(_ channel: ChannelRef) {
        var index = home(of: channel.pointee.name)
        while slots[index] != nil { index = (index + 1) & (capacity - 1) }
        slots[index] = channel
    }

    private mutating func resize(to larger: Int) {
        let (old, oldCapacity) = (slots, capacity)
        slots = .allocate(capacity: larger)
        slots.initialize(repeating: nil, count: larger)
        capacity = larger
        for index in 0..<oldCapacity {
            if let channel = old[index] { place(channel) }
        }
        old.deallocate()
        cursor = 0
    }

    /// Takes the channel out of the table and frees it.
    mutating func remove(_ channel: ChannelRef) {
        var hole = home(of: channel.pointee.name)
        while slots[hole] != channel { hole = (hole + 1) & (capacity - 1) }
        // Move back whoever probed past the hole, so that no look-up stops short.
        var index = hole
        while true {
            index = (index + 1) & (capacity - 1)
            guard let other = slots[index] else { break }
            let home = self.home(of: other.pointee.name)
            if (index - home) & (capacity - 1) >= (index - hole) & (capacity - 1) {
                slots[hole] = other
                hole = index
            }
        }
        slots[hole] = nil
        count -= 1
        if last == channel { last = nil }
        Channel.destroy(channel)
    }

    /// Looks at up to `limit` places of the table, going on where the last call stopped, and removes the channels that
    /// `isSuperfluous`; returns the highest `seq` among them.
    mutating func sweep(places limit: Int, where isSuperfluous: (ChannelRef) -> Bool) -> UInt64 {
        var highest: UInt64 = 0
        var looked = 0
        while looked < min(limit, capacity) {
            cursor &= capacity - 1
            if let channel = slots[cursor], isSuperfluous(channel) {
                highest = max(highest, channel.pointee.sequence)
                remove(channel)  // another one may have moved to this place: look again
            } else {
                cursor += 1
                looked += 1
            }
        }
        if capacity > 1024, count * 8 < capacity { resize(to: capacity / 4) }
        return highest
    }

    func forEach(_ body: (ChannelRef) -> Bool) {
        for index in 0..<capacity {
            if let channel = slots[index], !body(channel) { return }
        }
    }

    /// The place where the search for a name begins. Computed again when it is needed: kept with each channel it would
    /// take more memory than it is worth.
    @inline(__always)
    private func home(of name: ByteSlice) -> Int {
        Int(truncatingIfNeeded: Self.hash(name, key)) & (capacity - 1)
    }

    /// The same hash for other text that clients choose.
    func hash(_ text: ByteSlice) -> UInt64 { Self.hash(text, key) }

    /// A keyed multiply-and-fold hash: a client that does not know the key cannot choose names that collide.
    static func hash(_ name: ByteSlice, _ key: UInt64) -> UInt64 {
        var state = key ^ UInt64(truncatingIfNeeded: name.count) &* 0x9E37_79B9_7F4A_7C15
        var place = UnsafeRawPointer(name.base)
        var left = name.count
        while left >= 8 {
            state = fold(state ^ place.loadUnaligned(as: UInt64.self), 0xA076_1D64_78BD_642F ^ key)
            place += 8
            left -= 8
        }
        var tail: UInt64 = 0
        for index in 0..<left { tail |= UInt64(place.load(fromByteOffset: index, as: UInt8.self)) << (8 * index) }
        return fold(state ^ tail, 0xE703_7ED1_A0B4_28DB ^ key)
    }

    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
