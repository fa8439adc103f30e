// What a post may ask for besides being delivered now, to everybody, once.

package enum Priority: UInt8, Sendable, Comparable, CaseIterable {
    case low, normal, high

    package var name: StaticString {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        }
    }

    package static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
}

package struct PostTerms {
    /// Longest time that may be asked for, in milliseconds: a hundred years.
    package static let maximumMilliseconds: UInt64 = 3_155_760_000_000
    /// Longest `dedup` string, in bytes.
    package static let maximumDedupBytes = 128

    /// Nanoseconds after acceptance; 0: it does not expire.
    package var timeToLive: UInt64 = 0
    /// Nanoseconds from now; nil: at once.
    package var delay: UInt64?
    /// Nanoseconds since 1970 by the wall clock.
    package var at: Int64?
    package var priority = Priority.normal
    /// Nanoseconds that it may be held back for a newer one.
    package var coalesce: UInt64?
    /// Empty: none.
    package var dedup = ByteSlice.empty
    /// The channel's `seq` that it is accepted upon.
    package var ifSequence: UInt64?
    package var requireSubscribers = false

    package init() {}
}

extension FieldSet {
    /// What makes a post more than one that is delivered now, to everybody, once. (A constant the optimiser can see.)
    @inlinable
    package static var terms: FieldSet {
        [FieldSet(.ttl), FieldSet(.delay), FieldSet(.at), FieldSet(.coalesce), FieldSet(.priority), conditions]
    }

    /// The post may be refused, or not be made again.
    @inlinable
    package static var conditions: FieldSet {
        [FieldSet(.dedup), FieldSet(.ifSequence), FieldSet(.requireSubscribers)]
    }

    /// The post is made later.
    package static var scheduling: FieldSet { [FieldSet(.delay), FieldSet(.at)] }
}
