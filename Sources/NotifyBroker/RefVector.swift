// A growing array of pointers without reference counting; 16 bytes when empty. The owner calls `deallocate`.

struct RefVector<Pointee> {
    typealias Ref = UnsafeMutablePointer<Pointee>

    private var base: UnsafeMutablePointer<Ref>?
    private(set) var count32: UInt32 = 0
    private var capacity: UInt32 = 0

    var count: Int { Int(count32) }
    var isEmpty: Bool { count32 == 0 }

    @inline(__always)
    subscript(index: Int) -> Ref {
        get { base.unsafelyUnwrapped[index] }
        set { base.unsafelyUnwrapped[index] = newValue }
    }

    /// Appends and returns the index.
    @discardableResult
    mutating func append(_ ref: Ref) -> Int {
        if count32 == capacity {
            let larger = max(1, capacity * 2)
            let moved = UnsafeMutablePointer<Ref>.allocate(capacity: Int(larger))
            if let base {
                moved.update(from: base, count: count)
                base.deallocate()
            }
            base = moved
            capacity = larger
        }
        base.unsafelyUnwrapped[count] = ref
        count32 += 1
        return count - 1
    }

    /// Removes the element at `index` by moving the last one there; returns the moved one, nil if it was the last.
    mutating func swapRemove(at index: Int) -> Ref? {
        precondition(index < count, "only what is in the vector can be removed")
        count32 -= 1
        guard index < count else {
            if count32 == 0 { deallocate() }
            return nil
        }
        let moved = base.unsafelyUnwrapped[count]
        base.unsafelyUnwrapped[index] = moved
        return moved
    }

    mutating func removeAll() {
        count32 = 0
    }

    mutating func deallocate() {
        base?.deallocate()
        base = nil
        count32 = 0
        capacity = 0
    }
}
