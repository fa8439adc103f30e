// A rate with bursts: so many tokens come in a second, and as many as fit are kept for those who come together. Who asks
// for more than there can ever be gets them when the bucket is full, and the bucket owes them: the average holds.
//
// Counted in millionths of a token and whole microseconds; what is left of a microsecond is not lost: no drift, and no
// overflow for rates up to `maximumRate` and bursts of up to an hour.

struct TokenBucket {
    /// Tokens in a second; 0: there is no bound.
    private(set) var rate = 0
    private var capacity: Int64 = 0
    /// Below 0: so much is owed.
    private var level: Int64 = 0
    /// Monotonic nanoseconds up to which tokens have come.
    private var filled: UInt64 = 0

    static let maximumRate = 1 << 31
    private static let unit: Int64 = 1_000_000

    init() {}

    /// A full one.
    init(rate: Int, burst: Int, at now: UInt64) {
        change(rate: rate, burst: burst, at: now)
        level = capacity
    }

    /// Another rate counts from now on; what there was stays, as far as it fits.
    mutating func change(rate: Int, burst: Int, at now: UInt64) {
        let wasUnbounded = self.rate == 0
        fill(at: now)
        (self.rate, capacity, filled) = (min(rate, Self.maximumRate), Int64(max(1, burst)) * Self.unit, now)
        level = wasUnbounded ? capacity : min(level, capacity)
    }

    private mutating func fill(at now: UInt64) {
        guard now > filled else { return }
        let microseconds = (now - filled) / 1000
        filled += microseconds * 1000
        let (come, overflow) = Int64(rate).multipliedReportingOverflow(by: Int64(clamping: microseconds))
        let (sum, overflows) = level.addingReportingOverflow(come)
        level = overflow || overflows ? capacity : min(sum, capacity)
    }

    /// Nanoseconds until so many tokens can be had; 0: now.
    mutating func wait(for tokens: Int, at now: UInt64) -> UInt64 {
        if rate == 0 { return 0 }
        fill(at: now)
        let missing = min(Int64(tokens) * Self.unit, capacity) - level
        return missing <= 0 ? 0 : UInt64((missing + Int64(rate) - 1) / Int64(rate)) * 1000
    }

    /// Takes them, after `wait` has said 0.
    mutating func take(_ tokens: Int) {
        if rate > 0 { level -= Int64(tokens) * Self.unit }
    }

    /// Nothing would be lost if it were made anew.
    mutating func isFull(at now: UInt64) -> Bool {
        fill(at: now)
        return rate == 0 || level >= capacity
    }
}
