// What each user has had of one wake-up. A turn bounds what is done for one session; who has many sessions would have as
// many turns in a row, and whatever is not counted as work costs time, too. So the time itself is shared: who has had a
// share is not read again in this wake-up, and epoll(7) tells of what is still there in the next one.
//
// Of very many sessions epoll tells in several wake-ups, one after the other. Shares hold for all of these together: else
// who has very many would have as many shares before another one is heard.

import NotifyTransport

struct WakeUpShares {
    /// Nanoseconds. Whoever else has asked for something waits for so much at the most, and for one turn.
    static let share: UInt64 = 50_000_000

    /// By uid.
    private var spent: [UInt32: UInt64] = [:]
    private var current: UInt32?
    private var since: UInt64 = 0
    /// Events told of in this wake-up, and since shares began anew.
    private var events = 0
    private var eventsSince = 0

    /// - Parameter sessions: of so many at the most there are events.
    /// - Returns: whether everybody begins anew: all that were ready have been told of.
    mutating func begin(at now: UInt64, sessions: Int) -> Bool {
        current = nil
        since = now
        // Two events may have been the loop's own.
        let isRest = events >= EventLoop.eventsPerWait - 2 && eventsSince < sessions
        events = 0
        if _slowPath(isRest) { return false }
        eventsSince = 0
        if !spent.isEmpty { spent.removeAll(keepingCapacity: true) }
        return true
    }

    /// Something is told of a session.
    @inline(__always)
    mutating func note() {
        events &+= 1
        eventsSince &+= 1
    }

    /// What has passed is nobody's: it is bounded otherwise.
    mutating func forgive(until now: UInt64) { since = now }

    /// Whether something may be done for the user now. What passes until the next question is theirs.
    ///
    /// - Parameter now: asked for the monotonic clock, but not for the first of a wake-up, who is alone as a rule.
    @inline(__always)
    mutating func admits(_ uid: UInt32, now: () -> UInt64) -> Bool {
        guard let last = current else {
            current = uid
            return spent.isEmpty || spent[uid, default: 0] < Self.share
        }
        let time = now()
        spent[last, default: 0] += time - since
        since = time
        current = uid
        return spent[uid, default: 0] < Self.share
    }
}
