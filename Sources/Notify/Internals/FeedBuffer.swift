// What waits for one consumer: messages, bounded in number and bytes, and between them the marks that tell what
// happened. Pure, and generic over its cargo: it never looks into a message beyond what FeedMessage asks.
//
// Messages come and go in runs, as they were read: what is done once for each run is not done for each message.
//
// Marks do not count against the bound, so they are bounded themselves: so many before any one message, then they are
// summed up. When the oldest message is dropped, a loss takes its place. What else may happen for want of room is in
// FeedBuffer+Policies.swift.

import NotifyWire

/// What a buffer must know of a message that it drops.
protocol FeedMessage: Sendable {
    var channel: NotifyCenter.Channel { get }
    var sequence: UInt64 { get }
    /// Channel and subject: of those with the same topic the last one counts.
    var topic: FeedTopic { get }
    func isOnSameChannel(as other: Self) -> Bool
}

/// What a message is about, as the policy `latest` sees it.
struct FeedTopic: Hashable, Sendable {
    var channel: NotifyCenter.Channel
    var subject: NotifyCenter.Subject?
}

/// Messages in a row.
protocol FeedRun: Sendable {
    associatedtype Message: FeedMessage
    var count: Int { get }
    var byteCount: Int { get }
    /// The first message; there is one.
    var first: Message { get }
    /// Takes this many messages from the front, which are fewer than there are.
    mutating func split(_ count: Int) -> Self
}

struct FeedBuffer<Run: FeedRun>: Sendable {
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
        var first: Run.Message
        var last: Run.Message
        var count: UInt64
        var reason: NotifyCenter.Gap.Reason

        var gap: NotifyCenter.Gap {
            NotifyCenter.Gap(
                channel: first.channel, from: first.sequence, to: last.sequence, count: count, reason: reason)
        }
    }

    enum Item: Sendable {
        case messages(Run)
        case mark(Mark)
    }

    /// Marks that are told one by one before one message.
    static var markLimit: Int { 64 }

    let policy: BufferPolicy
    let limit: Int
    let byteLimit: Int

    /// With the policy `fail`: a message came that there was no room for.
    var hasFailed = false
    /// With the policy `latest`: the message of each topic that waits, by its number, counted from the first ever; and the
    /// numbers of all that wait.
    var latest: [FeedTopic: UInt64] = [:]
    var numbers = Fifo<UInt64>()
    var lastNumber: UInt64 = 0

    var runs = Fifo<Run>()
    var messageCount = 0
    var bytes = 0
    /// How many messages have left the buffer: the number of the oldest one in it.
    var head: UInt64 = 0
    var marks = Fifo<(before: UInt64, run: [Mark])>()

    init(policy: BufferPolicy = .newest, limit: Int, byteLimit: Int) {
        self.policy = policy
        self.limit = limit
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { runs.isEmpty && marks.isEmpty }

    /// Adds messages, at least one; answers how many were lost for want of room.
    mutating func append(_ run: Run) -> Int {
        switch policy {
        case .newest, .block: addAndDropOldest(run)
        case .oldest, .fail: addWhatFits(run)
        case .latest: replace(run)
        }
    }

    mutating func append(_ mark: Mark) {
        let before = head + UInt64(messageCount)
        if !marks.isEmpty, marks[marks.count - 1].before == before {
            marks[marks.count - 1].run.append(mark)
            Self.bound(&marks[marks.count - 1].run)
        } else {
            marks.append((before, [mark]))
        }
    }

    /// Takes the oldest thing: a mark, or up to `most` messages.
    mutating func popFirst(_ most: Int) -> Item? {
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
        let toMark = marks.first.map { Int($0.before - head) } ?? .max
        return takeMessages(min(most, toMark)).map { .messages($0) }
    }

    /// Takes messages from the oldest run.
    private mutating func takeMessages(_ most: Int) -> Run? {
        guard var run = runs.first else { return nil }
        let whole = run.byteCount
        if run.count <= most {
            _ = runs.popFirst()
            bytes -= whole
        } else {
            let part = run.split(most)
            runs[0] = run
            // Not the part's own bytes: what separates the two belongs to neither.
            bytes += run.byteCount - whole
            run = part
        }
        messageCount -= run.count
        head += UInt64(run.count)
        if policy == .latest {
            _ = numbers.popFirst()
            latest[run.first.topic] = nil
        }
        return run
    }

    mutating func dropOldest() {
        let place = head
        guard let message = takeMessages(1)?.first else { return }
        var run: [Mark] = []
        if marks.first?.before == place, let first = marks.popFirst() { run = first.run }
        Self.record(message, .overflow, in: &run)
        if marks.first?.before == head, let next = marks.popFirst() { run += next.run }
        Self.bound(&run)
        marks.prepend((head, run))
    }

    /// Adds a dropped message to the loss of its channel, as long as nothing but losses stands behind that.
    static func record(_ message: Run.Message, _ reason: NotifyCenter.Gap.Reason, in run: inout [Mark]) {
        for index in run.indices.reversed() {
            guard case .loss(var loss) = run[index] else { break }
            if loss.reason == reason, loss.last.isOnSameChannel(as: message) {
                // Replaced messages go in the order in which others replace them.
                if message.sequence < loss.first.sequence { loss.first = message }
                if message.sequence > loss.last.sequence { loss.last = message }
                loss.count += 1
                run[index] = .loss(loss)
                return
            }
        }
        run.append(.loss(Loss(first: message, last: message, count: 1, reason: reason)))
    }

    /// Sums up a run that has grown too long: one gap for all that is missing, the last news of the connection, and
    /// whether the replay is through.
    static func bound(_ run: inout [Mark]) {
        guard run.count > markLimit else { return }
        var missing: UInt64? = 0
        // One that was asked for does not hide one that was not, and none hides that the numbers count anew.
        var reason = NotifyCenter.Gap.Reason.coalesced
        var lost: NotifyError?
        var isBack = false
        var isLive = false
        for mark in run {
            switch mark {
            case .loss(let loss):
                missing = missing.map { $0 &+ loss.count }
                if loss.reason != .coalesced, reason == .coalesced { reason = loss.reason }
            case .gap(let gap):
                missing = missing.flatMap { sum in gap.count.map { sum &+ $0 } }
                if reason != .epoch, gap.count == nil || reason == .coalesced { reason = gap.reason }
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
