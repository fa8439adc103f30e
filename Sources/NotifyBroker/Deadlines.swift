// Everything that will happen by itself, the next one first: a binary heap whose entries can be moved and taken back,
// O(log n) each. What is due at the same time happens in the order in which it was added. It knows no clock: times are
// numbers, of whichever clock its owner goes by.

struct Deadlines<What: BitwiseCopyable>: ~Copyable {
    /// Names an entry until it was taken or cancelled; four bytes, because many things have one.
    struct Key: Equatable {
        fileprivate(set) var place: UInt32

        static var none: Key { Key(place: 0) }
        var isNone: Bool { place == 0 }
    }

    private struct Entry {
        var time: UInt64
        var order: UInt64
        var place: UInt32
    }

    private struct Slot {
        var what: What
        /// Its entry's index in the heap; -1: the place is free.
        var index: Int32
    }

    private var heap: [Entry] = []
    /// By `Key.place`, less one.
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var added: UInt64 = 0

    var count: Int { heap.count }
    var isEmpty: Bool { heap.isEmpty }

    /// When the next entry is due; nil when there is none.
    var next: UInt64? { heap.first?.time }

    mutating func add(_ what: What, at time: UInt64) -> Key {
        let slot = Slot(what: what, index: Int32(heap.count))
        let place: UInt32
        if let reused = free.popLast() {
            place = reused
            slots[Int(place) - 1] = slot
        } else {
            slots.append(slot)
            place = UInt32(slots.count)
        }
        added += 1
        heap.append(Entry(time: time, order: added, place: place))
        rise(heap.count - 1)
        return Key(place: place)
    }

    /// Takes the entry back, if there is one, and the key names nothing any more.
    mutating func cancel(_ key: inout Key) {
        guard !key.isNone else { return }
        let index = index(of: key)
        key = .none
        remove(at: index)
    }

    /// The entry is due at another time, after those that are due then already.
    mutating func move(_ key: Key, to time: UInt64) {
        let index = index(of: key)
        added += 1
        heap[index].time = time
        heap[index].order = added
        rise(index)
        sink(self.index(of: key))
    }

    func time(of key: Key) -> UInt64 { heap[index(of: key)].time }

    /// Takes out the first entry if it is due at `now`. Its key names nothing any more: whoever keeps it forgets it.
    mutating func takeDue(at now: UInt64) -> What? {
        guard let first = heap.first, first.time <= now else { return nil }
        let what = slots[Int(first.place) - 1].what
        remove(at: 0)
        return what
    }

    // MARK: The heap

    private func index(of key: Key) -> Int {
        let index = slots[Int(key.place) - 1].index
        precondition(index >= 0, "a key names an entry that is there")
        return Int(index)
    }

    private mutating func remove(at index: Int) {
        let place = heap[index].place
        slots[Int(place) - 1].index = -1
        let last = heap.removeLast()
        if index < heap.count {
            put(last, at: index)
            rise(index)
            sink(Int(slots[Int(last.place) - 1].index))
        }
        if heap.isEmpty {
            // All keys are gone: so is the memory that a crowd of them took.
            (heap, slots, free) = ([], [], [])
        } else {
            free.append(place)
        }
    }

    private mutating func put(_ entry: Entry, at index: Int) {
        heap[index] = entry
        slots[Int(entry.place) - 1].index = Int32(index)
    }

    private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
        one.time != other.time ? one.time < other.time : one.order < other.order
    }

    private mutating func rise(_ start: Int) {
        let entry = heap[start]
        var index = start
        while index > 0, Self.precedes(entry, heap[(index - 1) / 2]) {
            put(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        put(entry, at: index)
    }

    private mutating func sink(_ start: Int) {
        let entry = heap[start]
        var index = start
        while 2 * index + 1 < heap.count {
            var child = 2 * index + 1
            if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
            guard Self.precedes(heap[child], entry) else { break }
            put(heap[child], at: index)
            index = child
        }
        put(entry, at: index)
    }
}
