// Requests on their way: those that wait for a connection and those that wait for their answer. Pure, and generic
// over who waits.
//
// The daemon answers in order, so the answer almost always belongs to the oldest request.

/// Whether a request may be asked again when nobody knows whether it arrived.
enum Repetition: Sendable {
    /// It does no harm.
    case always
    /// The daemon knows a second one by the key it carries, as long as it remembers the first one.
    case keyed
    case never
}

struct RequestTable<Waiter: Sendable>: Sendable {
    struct Request: Sendable {
        let id: UInt64
        /// Who waits for the answer; nil when nobody does any more.
        var waiter: Waiter?
        let line: [UInt8]
        let repetition: Repetition
        /// What it does with the will.
        var will: WillChange?
        /// It has no answer of its own.
        var isSilent = false
        /// When the answer is overdue.
        var answerBy: UInt64?
        /// Until when a keyed one may be sent again; nil while it was not sent.
        var repeatBy: UInt64?
        /// Whether it may have reached the daemon by an earlier connection.
        var isInDoubt = false
        /// When it has waited long enough for a connection.
        var connectBy: UInt64 = 0
        /// Where its line begins in everything sent on this connection.
        var offset: UInt64 = 0
    }

    private var waiting = Fifo<Request>()
    private var sent = Fifo<Request>()

    /// How many of those sent have a time by which they want an answer: without any, nobody has to look for one.
    private var timedCount = 0

    /// Bytes of all requests that are not answered yet.
    private(set) var pendingBytes = 0

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty }
    var hasWaiting: Bool { !waiting.isEmpty }
    var sentCount: Int { sent.count }

    /// Adds a request that waits for a connection.
    mutating func wait(_ request: Request) {
        pendingBytes += request.line.count
        waiting.append(request)
    }

    /// Adds a request that was sent.
    mutating func send(_ request: Request) {
        pendingBytes += request.line.count
        if request.answerBy != nil { timedCount += 1 }
        sent.append(request)
    }

    /// Takes the next request that waits for a connection.
    mutating func popWaiting() -> Request? {
        guard let request = waiting.popFirst() else { return nil }
        pendingBytes -= request.line.count
        return request
    }

    /// Takes the request that an answer belongs to.
    mutating func answer(_ id: UInt64) -> Request? {
        var index = 0
        while index < sent.count {
            if sent[index].id == id {
                let request = index == 0 ? sent.popFirst() : sent.remove(at: index)
                pendingBytes -= request?.line.count ?? 0
                if request?.answerBy != nil { timedCount -= 1 }
                return request
            }
            index += 1
        }
        return nil
    }

    /// Forgets a request that is not on its way; answers whether there was one that the daemon has never seen.
    mutating func withdraw(_ id: UInt64) -> Bool {
        for index in 0..<waiting.count where waiting[index].id == id {
            let request = waiting.remove(at: index)
            pendingBytes -= request.line.count
            return !request.isInDoubt
        }
        return false
    }

    /// Takes the requests that wait to be sent again by their keys: the daemon knows the keys no longer.
    mutating func removeInDoubt() -> [Request] {
        let list = waiting.removeAll()
        for request in list where !request.isInDoubt { waiting.append(request) }
        let removed = list.filter(\.isInDoubt)
        for request in removed { pendingBytes -= request.line.count }
        return removed
    }

    /// The connection is gone, and `flushed` bytes had been taken by the kernel. What did not go out at all and what may
    /// be repeated waits again, before everything else; the rest is returned: nobody knows whether it arrived. `silent`
    /// are the requests without an answer of their own that were sent. If the daemon has completed its answers by a
    /// goodbye, it has done nothing that it did not answer.
    mutating func disconnect(
        flushed: UInt64, _ now: UInt64, connectBy: UInt64, silent: [Request], isComplete: Bool = false
    ) -> [Request] {
        var uncertain: [Request] = []
        var again: [Request] = []
        timedCount = 0
        pendingBytes += silent.reduce(0) { $0 + $1.line.count }
        for var request in (sent.removeAll() + silent).sorted(by: { $0.offset < $1.offset }) {
            let isUndone = request.offset >= flushed || isComplete && !request.isSilent
            if !isUndone, request.repetition == .keyed { request.isInDoubt = true }
            let isKnown = !request.isInDoubt || now < request.repeatBy ?? 0
            if isKnown, request.repetition != .never || isUndone {
                request.connectBy = connectBy
                again.append(request)
            } else {
                pendingBytes -= request.line.count
                uncertain.append(request)
            }
        }
        for request in again.reversed() { waiting.prepend(request) }
        return uncertain
    }

    /// Takes all that wait for a connection.
    mutating func removeWaiting() -> [Request] {
        let list = waiting.removeAll()
        for request in list { pendingBytes -= request.line.count }
        return list
    }

    // MARK: Time

    /// When the next request is overdue.
    var nextDeadline: UInt64? {
        if waiting.isEmpty, timedCount == 0 { return nil }
        var next: UInt64?
        func note(_ time: UInt64?) {
            if let time { next = min(next ?? time, time) }
        }
        note(waiting.first?.connectBy)
        note(waiting.first?.answerBy)
        for index in 0..<(timedCount > 0 ? sent.count : 0) {
            if let time = sent[index].answerBy {
                note(time)
                break
            }
        }
        return next
    }

    /// Takes the requests that have waited too long for a connection.
    mutating func overdueForConnection(_ now: UInt64) -> [Request] {
        var list: [Request] = []
        while let first = waiting.first, first.connectBy <= now, let request = popWaiting() { list.append(request) }
        return list
    }

    /// The requests whose answers are overdue. One that was sent keeps its place, without its waiter: its answer may
    /// still come.
    mutating func overdueForAnswer(_ now: UInt64) -> [Request] {
        var list: [Request] = []
        for index in 0..<(timedCount > 0 ? sent.count : 0) {
            guard let time = sent[index].answerBy else { continue }
            if time > now { break }
            sent[index].answerBy = nil
            timedCount -= 1
            if sent[index].waiter != nil { list.append(sent[index]) }
            sent[index].waiter = nil
        }
        while let first = waiting.first, let time = first.answerBy, time <= now, let request = popWaiting() {
            if request.waiter != nil { list.append(request) }
        }
        return list
    }
}
