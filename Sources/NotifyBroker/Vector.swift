// A growing array of plain values without uniqueness checks or bounds tests in the way: for what is appended with every
// message and forgotten with every wake-up.

struct Vector<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 64) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    var isEmpty: Bool { count == 0 }
    var last: Element? { count == 0 ? nil : base[count - 1] }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating _modify { yield &base[index] }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if _slowPath(count == capacity) { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    private mutating func grow() {
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity *= 2
    }

    /// Forgets the elements; memory for more than `limit` of them is given back.
    mutating func removeAll(keeping limit: Int = 65536) {
        count = 0
        guard capacity > limit else { return }
        base.deallocate()
        base = .allocate(capacity: limit)
        capacity = limit
    }
}
