// First in, first out, in one array: taking from the front leaves a hole that is closed when holes are the majority.

struct Fifo<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : slots[head] }

    subscript(index: Int) -> Element {
        get {
            guard let element = slots[head + index] else { preconditionFailure("a slot behind the head is filled") }
            return element
        }
        set { slots[head + index] = newValue }
    }

    mutating func append(_ element: Element) {
        slots.append(element)
    }

    /// Puts an element before all others.
    mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            slots[head] = element
        } else {
            slots.insert(element, at: 0)
        }
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head]
        slots[head] = nil
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.count <= Self.keptCapacity)
            head = 0
        } else if head > 32, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func remove(at index: Int) -> Element {
        guard let element = slots.remove(at: head + index) else {
            preconditionFailure("a slot behind the head is filled")
        }
        return element
    }

    mutating func removeAll() -> [Element] {
        defer {
            slots = []
            head = 0
        }
        return slots[head...].compactMap { $0 }
    }

    /// An array that grew larger than this gives its memory back when it runs empty.
    private static var keptCapacity: Int { 1024 }
}
