// Counts durations in buckets that grow with them: 32 to each doubling, so that a value is known to about 3 %, whatever
// its size, and many millions of values take no more room than a few.

/// A histogram of nanoseconds.
struct Histogram: Codable, Sendable, Equatable {
    private static let bits = 5
    private static let perDoubling = 1 << bits

    private(set) var counts: [Int] = []
    private(set) var longest: UInt64 = 0

    var count: Int { counts.reduce(0, +) }

    mutating func add(_ nanoseconds: UInt64) {
        let bucket = Self.bucket(of: nanoseconds)
        if bucket >= counts.count { counts += repeatElement(0, count: bucket + 1 - counts.count) }
        counts[bucket] += 1
        longest = max(longest, nanoseconds)
    }

    mutating func add(_ other: Histogram) {
        if other.counts.count > counts.count {
            counts += repeatElement(0, count: other.counts.count - counts.count)
        }
        for (bucket, count) in other.counts.enumerated() { counts[bucket] += count }
        longest = max(longest, other.longest)
    }

    /// The value that `share` (0 to 1) of all values do not exceed; 0 without values.
    func quantile(_ share: Double) -> UInt64 {
        let wanted = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if seen >= wanted { return min(longest, Self.upperBound(of: bucket)) }
        }
        return longest
    }

    /// How many values lie in each doubling, from the first that has any to the last.
    var doublings: [(from: UInt64, count: Int)] {
        var sums: [UInt64: Int] = [:]
        for (bucket, count) in counts.enumerated() where count > 0 {
            let low = Self.lowerBound(of: bucket)
            sums[low == 0 ? 0 : 1 << UInt64(63 - low.leadingZeroBitCount), default: 0] += count
        }
        guard let first = sums.keys.min(), let last = sums.keys.max() else { return [] }
        var list: [(from: UInt64, count: Int)] = []
        var from = first
        while from <= last {
            list.append((from, sums[from] ?? 0))
            from = max(1, from << 1)
        }
        return list
    }

    static func bucket(of value: UInt64) -> Int {
        guard value >= UInt64(perDoubling) else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount - bits
        return exponent << bits + Int(value >> UInt64(exponent))
    }

    static func lowerBound(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * perDoubling else { return UInt64(bucket) }
        let exponent = bucket >> bits - 1
        return UInt64(bucket - exponent << bits) << UInt64(exponent)
    }

    static func upperBound(of bucket: Int) -> UInt64 { lowerBound(of: bucket + 1) - 1 }
}
