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

    /// How many values lie in each part of a doubling, from the first that has any to the last.
    ///
    /// - Parameter parts: into how many a doubling is taken apart: 1, 2, 4 …, 32.
    func rows(perDoubling parts: Int) -> [(from: UInt64, count: Int)] {
        let size = Self.perDoubling / parts
        let filled = counts.indices.filter { counts[$0] > 0 }.map { $0 / size }
        guard let first = filled.first, let last = filled.last else { return [] }
        return (first...last).map { row in
            let buckets = row * size..<min((row + 1) * size, counts.count)
            return (Self.lowerBound(of: row * size), counts[buckets].reduce(0, +))
        }
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
