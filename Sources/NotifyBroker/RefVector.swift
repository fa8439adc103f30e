// A growing array of pointers without reference counting, 16 bytes with up to one element: most channels have one
// subscription. The owner calls `deallocate`.

struct RefVector<Pointee> {
    typealias Ref = UnsafeMutablePointer<Pointee>

    /// The only element while `capacity` is 0, else the elements' memory.
    private var storage: UnsafeMutableRawPointer?
    private var count32: UInt32 = 0
    private var capacity: UInt32 = 0

    init() {}

    /// One element: nothing is allocated.
    init(_ ref: Ref) {
        storage = UnsafeMutableRawPointer(ref)
        count32 = 1
    }

    var count: Int { Int(count32) }
    var isEmpty: Bool { count32 == 0 }

    private var elements: UnsafeMutablePointer<Ref> {
        storage.unsafelyUnwrapped.assumingMemoryBound(to: Ref.self)
    }

    @inline(__always)
    subscript(index: Int) -> Ref {
        capacity == 0 ? storage.unsafelyUnwrapped.assumingMemoryBound(to: Pointee.self) : elements[index]
    }

    /// Appends and returns the index.
    @discardableResult
    mutating func append(_ ref: Ref) -> Int {
        if capacity == 0, count32 == 0 {
            self = RefVector(ref)
            return 0
        }
        if count32 >= capacity { grow() }
        elements[count] = ref
        count32 += 1
        return count - 1
    }

    private mutating func grow() {
        let larger = max(4, capacity * 2)
        let moved = UnsafeMutablePointer<Ref>.allocate(capacity: Int(larger))
        for index in 0..<count { moved[index] = self[index] }
        if capacity > 0 { elements.deallocate() }
        storage = UnsafeMutableRawPointer(moved)
        capacity = larger
    }

    /// Removes the element at `index` by moving the last one there; returns the moved one, nil if it was the last.
    mutating func swapRemove(at index: Int) -> Ref? {
        precondition(index < count, "only what is in the vector can be removed")
        let last = self[count - 1]
        count32 -= 1
        if count32 == 0 {
            deallocate()
            return nil
        }
        guard index < count else { return nil }
        elements[index] = last
        return last
    }

    /// Forgets the elements and keeps their memory.
    mutating func removeAll() {
        count32 = 0
    }

    mutating func deallocate() {
        if capacity > 0 { elements.deallocate() }
        storage = nil
        count32 = 0
        capacity = 0
    }
}
