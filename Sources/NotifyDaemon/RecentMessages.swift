// What is not to be written to the log again before which second. Of many different messages at a time some are left
// out: whoever can cause them at will must not make the log, or the looking, expensive.

struct RecentMessages {
    /// Different messages that are remembered; while there are so many, no other one counts as new.
    static let limit = 64

    private var until: [String: UInt64] = [:]
    private var cleaned: UInt64 = 0

    /// Whether the message may be written now; then it is not new for so many seconds.
    mutating func isNew(_ message: String, at now: UInt64, for seconds: UInt64) -> Bool {
        if let until = until[message], now < until { return false }
        // At most once in a second: a flood of messages must not look through all of them each time.
        if until.count >= Self.limit, cleaned != now {
            cleaned = now
            until = until.filter { now < $0.value }
        }
        guard until.count < Self.limit else { return false }
        until[message] = now + seconds
        return true
    }
}
