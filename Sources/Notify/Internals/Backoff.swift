// How long to wait before the next try. Full jitter: anything between nothing and a ceiling that doubles, so that a
// thousand clients do not come back in the same instant.

enum Backoff {
    static let first: UInt64 = 100_000_000
    static let ceiling: UInt64 = 2_000_000_000

    /// Between tries while the daemon's backlog is full: it is there, it is only busy.
    static let busy: UInt64 = 20_000_000

    /// After a daemon said bye: about a second, so that one that is being stopped is not started at once by socket
    /// activation.
    static let afterBye: ClosedRange<UInt64> = 500_000_000...1_500_000_000

    /// Between tries of what the daemon has no room for: at first a tenth of a second to two, then up to ten.
    static func delayOfRefused(failures: Int, random: Double) -> UInt64 {
        let doublings = min(max(failures - 1, 0), 16)
        return first + UInt64((0.5 + random / 2) * Double(min(10_000_000_000, first << UInt64(doublings))))
    }

    /// - Parameters:
    ///   - failures: tries in a row that failed, from 1.
    ///   - random: at least 0, less than 1.
    static func delay(failures: Int, random: Double) -> UInt64 {
        let doublings = min(max(failures - 1, 0), 16)
        return UInt64(random * Double(min(ceiling, first << UInt64(doublings))))
    }

    static func delayAfterBye(random: Double) -> UInt64 {
        afterBye.lowerBound + UInt64(random * Double(afterBye.upperBound - afterBye.lowerBound))
    }
}
