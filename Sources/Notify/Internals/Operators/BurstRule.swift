// What an operator does with elements that come in bursts: a value that is told what came and when, and says when it has
// something to give. Pure: it knows no clock and no tasks; BurstExchange has them.

/// When an operator has something to give.
enum Due<Instant: InstantProtocol>: Sendable, Equatable {
    case now
    case at(Instant)
    /// Not before something more comes.
    case never

    func isBefore(_ other: Due) -> Bool {
        switch (self, other) {
        case (.now, .now), (.never, _): false
        case (.now, _), (.at, .never): true
        case (.at, .now): false
        case (.at(let left), .at(let right)): left < right
        }
    }
}

protocol BurstRule<Input, Output, Instant>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Instant: InstantProtocol

    /// Whether more may be put in before something was taken.
    var hasRoom: Bool { get }
    /// Something came.
    mutating func put(_ input: Input, at now: Instant)
    /// When there is something to take; at the end of the input everything is due.
    func due(isOver: Bool) -> Due<Instant>
    /// Takes what is due.
    mutating func take(at now: Instant) -> Output?
}

/// The last element, once nothing has come for a while.
struct DebounceRule<Element: Sendable, Instant: InstantProtocol>: BurstRule {
    let interval: Instant.Duration
    private var latest: (element: Element, due: Instant)?

    init(interval: Instant.Duration) { self.interval = interval }

    var hasRoom: Bool { true }

    mutating func put(_ input: Element, at now: Instant) { latest = (input, now.advanced(by: interval)) }

    func due(isOver: Bool) -> Due<Instant> {
        guard let latest else { return .never }
        return isOver ? .now : .at(latest.due)
    }

    mutating func take(at now: Instant) -> Element? {
        defer { latest = nil }
        return latest?.element
    }
}

/// The first element at once, then the last one of each interval.
struct ThrottleRule<Element: Sendable, Instant: InstantProtocol>: BurstRule {
    let interval: Instant.Duration
    private var latest: Element?
    private var opensAt: Instant?

    init(interval: Instant.Duration) { self.interval = interval }

    var hasRoom: Bool { true }

    mutating func put(_ input: Element, at now: Instant) { latest = input }

    func due(isOver: Bool) -> Due<Instant> {
        if latest == nil { return .never }
        guard let opensAt, !isOver else { return .now }
        return .at(opensAt)
    }

    mutating func take(at now: Instant) -> Element? {
        opensAt = now.advanced(by: interval)
        defer { latest = nil }
        return latest
    }
}

/// Elements together: so many, or those that came within a time of the first.
struct BatchRule<Element: Sendable, Instant: InstantProtocol>: BurstRule {
    let count: Int
    let interval: Instant.Duration
    private var elements: [Element] = []
    private var endsAt: Instant?

    init(count: Int, interval: Instant.Duration) { (self.count, self.interval) = (count, interval) }

    var hasRoom: Bool { elements.count < count }

    mutating func put(_ input: Element, at now: Instant) {
        if elements.isEmpty { endsAt = now.advanced(by: interval) }
        elements.append(input)
    }

    func due(isOver: Bool) -> Due<Instant> {
        guard let endsAt else { return .never }
        return isOver || elements.count >= count ? .now : .at(endsAt)
    }

    mutating func take(at now: Instant) -> [Element]? {
        guard endsAt != nil else { return nil }
        defer { (elements, endsAt) = ([], nil) }
        return elements
    }
}

/// Each element at once.
struct MergeRule<Element: Sendable, Instant: InstantProtocol>: BurstRule {
    private var elements = Fifo<Element>()

    /// One of each of two sources.
    var hasRoom: Bool { elements.count < 2 }

    mutating func put(_ input: Element, at now: Instant) { elements.append(input) }

    func due(isOver: Bool) -> Due<Instant> { elements.isEmpty ? .never : .now }

    mutating func take(at now: Instant) -> Element? { elements.popFirst() }
}
