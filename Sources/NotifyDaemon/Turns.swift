// Whose requests go on when. A session that has had much done for it in one wake-up waits until others have had their turn.
// If it had so much done that the wake-up was mostly its own (a post that very many subscriptions get), it rests as long
// as that took: then others, who ask again as soon as they are answered, have at least half of the time. It does not rest
// while nobody else asks for anything.

struct Turns {
    private struct Waiting {
        var slot: Int
        /// Monotonic nanoseconds; 0: it goes on in the next wake-up.
        var until: UInt64
    }

    private var waiting: [Waiting] = []
    /// Whose requests were all done last, and the last other one before it.
    private var latest = (slot: -1, time: UInt64(0))
    private var other = (slot: -1, time: UInt64(0))

    /// If nobody else has asked for anything for so long, nobody needs to rest. Longer than it takes a client to read an
    /// answer and ask again, on a busy machine.
    static let quiet: UInt64 = 20_000_000

    var isEmpty: Bool { waiting.isEmpty }

    @inline(__always)
    mutating func wasServed(_ slot: Int, at now: UInt64) {
        if slot != latest.slot {
            other = latest
            latest.slot = slot
        }
        latest.time = now
    }

    mutating func wait(_ slot: Int, until: UInt64) {
        waiting.append(Waiting(slot: slot, until: until))
    }

    /// Its client has gone: there is nothing to rest for.
    mutating func stopResting(_ slot: Int) {
        for index in waiting.indices where waiting[index].slot == slot { waiting[index].until = 0 }
    }

    /// Those whose turn it is now, in the order in which they came.
    mutating func take(at now: UInt64) -> [Int] {
        let all = waiting
        waiting = all.filter { time(of: $0) > now }
        return all.filter { time(of: $0) <= now }.map(\.slot)
    }

    mutating func takeAll() -> [Int] {
        defer { waiting = [] }
        return waiting.map(\.slot)
    }

    /// When somebody goes on; nil: nobody waits.
    @inline(__always)
    var next: UInt64? { waiting.isEmpty ? nil : first }

    // Apart, as every wake-up asks for it, and nearly always nobody waits.
    @inline(never)
    private var first: UInt64? { waiting.map { time(of: $0) }.min() }

    private func time(of one: Waiting) -> UInt64 {
        let lastOther = latest.slot == one.slot ? other : latest
        return min(one.until, lastOther.slot < 0 ? 0 : lastOther.time + Self.quiet)
    }
}
