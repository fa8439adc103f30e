// What each user has had of one wake-up. A turn bounds what is done for one session; who has many sessions would have as
// many turns in a row, and whatever is not counted as work costs time, too. So the time itself is shared: who has had a
// share is not read again in this wake-up, and epoll(7) tells of what is still there in the next one.

struct WakeUpShares {
    /// Nanoseconds. Whoever else has asked for something waits for so much at the most, and for one turn.
    static let share: UInt64 = 50_000_000

    /// By uid.
    private var spent: [UInt32: UInt64] = [:]
    private var current: UInt32?
    private var since: UInt64 = 0

    mutating func begin(at now: UInt64) {
        current = nil
        since = now
        if !spent.isEmpty { spent.removeAll(keepingCapacity: true) }
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
            return true
        }
        let time = now()
        spent[last, default: 0] += time - since
        since = time
        current = uid
        return spent[uid, default: 0] < Self.share
    }
}
