// What waits for one consumer: messages, bounded in number and bytes, and between them the marks that tell what
// happened. Pure, and generic over its cargo: it never looks into a message beyond what FeedCargo asks.
//
// Marks do not count against the bound, so they are bounded themselves: so many before any one message, then they are
// summed up. When the oldest message is dropped, a loss takes its place.

/// What a buffer must know of a message.
protocol FeedCargo: Sendable {
    var byteCount: Int { get }
    var channel: NotifyCenter.Channel { get }
    var sequence: UInt64 { get }
    func isOnSameChannel(as other: Self) -> Bool
}

struct FeedBuffer<Cargo: FeedCargo>: Sendable {
    /// Something that happened between two messages.
    enum Mark: Sendable {
        case loss(Loss)
        case gap(NotifyCenter.Gap)
        case live
        case disconnected(NotifyError)
        case reconnected
    }

    /// Messages that this buffer dropped, one after the other, on one channel.
    struct Loss: Sendable {
        var first: Cargo
        var last: Cargo
        var count: UInt64

        var gap: NotifyCenter.Gap {
            NotifyCenter.Gap(
                channel: first.channel, from: first.sequence, to: last.sequence, count: count, reason: .overflow)
        }
    }

    enum Item: Sendable {
        case message(Cargo)
        case mark(Mark)
    }

    /// Marks that are told one by one before one message.
    static var markLimit: Int { 64 }

    let limit: Int
    let byteLimit: Int

    private var messages = Fifo<Cargo>()
    private var bytes = 0
    /// How many messages have left the buffer: the number of the oldest one in it.
    private var head: UInt64 = 0
    private var marks = Fifo<(before: UInt64, run: [Mark])>()

    init(limit: Int, byteLimit: Int) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { messages.isEmpty && marks.isEmpty }
    var messageCount: Int { messages.count }

    /// Adds a message; answers how many had to go for it.
    mutating func append(_ cargo: Cargo) -> Int {
        messages.append(cargo)
        bytes += cargo.byteCount
        var dropped = 0
        while messages.count > limit || (bytes > byteLimit && messages.count > 1) {
            dropOldest()
            dropped += 1
        }
        return dropped
    }

    mutating func append(_ mark: Mark) {
        let before = head + UInt64(messages.count)
        if !marks.isEmpty, marks[marks.count - 1].before == before {
            marks[marks.count - 1].run.append(mark)
            Self.bound(&marks[marks.count - 1].run)
        } else {
            marks.append((before, [mark]))
        }
    }

    /// Takes the oldest thing.
    mutating func popFirst() -> Item? {
        if let run = marks.first, run.before == head {
            var (before, rest) = run
            let mark = rest.removeFirst()
            _ = marks.popFirst()
            if !rest.isEmpty {
                before = head
                marks.prepend((before, rest))
            }
            return .mark(mark)
        }
        guard let cargo = messages.popFirst() else { return nil }
        bytes -= cargo.byteCount
        head += 1
        return .message(cargo)
    }

    private mutating func dropOldest() {
        guard let cargo = messages.popFirst() else { return }
        bytes -= cargo.byteCount
        var run: [Mark] = []
        if marks.first?.before == head, let first = marks.popFirst() { run = first.run }
        Self.record(cargo, in: &run)
        head += 1
        if marks.first?.before == head, let next = marks.popFirst() { run += next.run }
        Self.bound(&run)
        marks.prepend((head, run))
    }

    /// Adds a dropped message to the loss of its channel, as long as nothing but losses stands behind that.
    private static func record(_ cargo: Cargo, in run: inout [Mark]) {
        for index in run.indices.reversed() {
            guard case .loss(var loss) = run[index] else { break }
            if loss.last.isOnSameChannel(as: cargo) {
                loss.last = cargo
                loss.count += 1
                run[index] = .loss(loss)
                return
            }
        }
        run.append(.loss(Loss(first: cargo, last: cargo, count: 1)))
    }

    /// Sums up a run that has grown too long: one gap for all that is missing, the last news of the connection, and
    /// whether the replay is through.
    private static func bound(_ run: inout [Mark]) {
        guard run.count > markLimit else { return }
        var missing: UInt64? = 0
        var reason = NotifyCenter.Gap.Reason.overflow
        var lost: NotifyError?
        var isBack = false
        var isLive = false
        for mark in run {
            switch mark {
            case .loss(let loss): missing = missing.map { $0 + loss.count }
            case .gap(let gap):
                missing = missing.flatMap { sum in gap.count.map { sum &+ $0 } }
                if gap.count == nil { reason = gap.reason }
            case .live: isLive = true
            case .disconnected(let error): (lost, isBack) = (error, false)
            case .reconnected: isBack = true
            }
        }
        run = []
        if let lost { run.append(.disconnected(lost)) }
        if isBack { run.append(.reconnected) }
        run.append(.gap(NotifyCenter.Gap(count: missing, reason: reason)))
        if isLive { run.append(.live) }
    }
}
