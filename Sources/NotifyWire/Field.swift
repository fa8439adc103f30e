// The names that may stand in a request, and which belong to which op.

package enum Field: UInt8, CaseIterable, Sendable {
    case op, id, version, name
    case channel, payload, type, subject, retain, posts
    case sub, fromUID, echo, replay, buffer, match
    // Of posts on terms, subscriptions with wishes, and ops that few use.
    case ttl, delay, at, priority, coalesce, dedup, ifSequence, requireSubscribers, minimumInterval, group
    case schedule, right, uid, after, groups, unit

    package var name: StaticString {
        switch self {
        case .op: "op"
        case .id: "id"
        case .version: "version"
        case .name: "name"
        case .channel: "channel"
        case .payload: "payload"
        case .type: "type"
        case .subject: "subject"
        case .retain: "retain"
        case .posts: "posts"
        case .sub: "sub"
        case .fromUID: "from_uid"
        case .echo: "echo"
        case .replay: "replay"
        case .buffer: "buffer"
        case .match: "match"
        case .ttl: "ttl_ms"
        case .delay: "delay_ms"
        case .at: "at"
        case .priority: "priority"
        case .coalesce: "coalesce_ms"
        case .dedup: "dedup"
        case .ifSequence: "if_seq"
        case .requireSubscribers: "require_subscribers"
        case .minimumInterval: "min_interval_ms"
        case .group: "group"
        case .schedule: "schedule"
        case .right: "right"
        case .uid: "uid"
        case .after: "after"
        case .groups: "groups"
        case .unit: "unit"
        }
    }

    /// The field with this name. Length and first byte single out one candidate; comparing confirms it.
    @inline(__always)
    static func named(_ name: ByteSlice) -> Field? {
        guard let field = candidate(name), name.equals(field.name) else { return nil }
        return field
    }

    @inline(__always)
    private static func candidate(_ name: ByteSlice) -> Field? {
        guard !name.isEmpty else { return nil }
        switch (name.count, name[0]) {
        case (2, UInt8(ascii: "o")): return .op
        case (7, UInt8(ascii: "c")): return .channel
        case (7, UInt8(ascii: "p")): return .payload
        case (4, UInt8(ascii: "t")): return .type
        case (2, UInt8(ascii: "i")): return .id
        case (7, UInt8(ascii: "s")): return .subject
        case (6, UInt8(ascii: "r")): return name[2] == UInt8(ascii: "t") ? .retain : .replay
        case (7, UInt8(ascii: "v")): return .version
        case (4, UInt8(ascii: "n")): return .name
        case (5, UInt8(ascii: "p")): return .posts
        case (3, UInt8(ascii: "s")): return .sub
        case (8, UInt8(ascii: "f")): return .fromUID
        case (4, UInt8(ascii: "e")): return .echo
        case (6, UInt8(ascii: "b")): return .buffer
        case (5, UInt8(ascii: "m")): return .match
        case (6, UInt8(ascii: "t")): return .ttl
        case (8, UInt8(ascii: "d")): return .delay
        case (2, UInt8(ascii: "a")): return .at
        case (8, UInt8(ascii: "p")): return .priority
        case (11, UInt8(ascii: "c")): return .coalesce
        case (5, UInt8(ascii: "d")): return .dedup
        case (6, UInt8(ascii: "i")): return .ifSequence
        case (19, UInt8(ascii: "r")): return .requireSubscribers
        case (15, UInt8(ascii: "m")): return .minimumInterval
        case (5, UInt8(ascii: "g")): return .group
        case (8, UInt8(ascii: "s")): return .schedule
        case (5, UInt8(ascii: "r")): return .right
        case (3, UInt8(ascii: "u")): return .uid
        case (5, UInt8(ascii: "a")): return .after
        case (6, UInt8(ascii: "g")): return .groups
        case (4, UInt8(ascii: "u")): return .unit
        default: return nil
        }
    }
}

/// A set of fields, one bit each.
package struct FieldSet: OptionSet, Sendable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    @inlinable
    package init(_ field: Field) { self.rawValue = 1 << UInt64(field.rawValue) }

    @inlinable
    package func contains(_ field: Field) -> Bool { rawValue & 1 << UInt64(field.rawValue) != 0 }

    @inlinable
    package mutating func insert(_ field: Field) { self = FieldSet(rawValue: rawValue | 1 << UInt64(field.rawValue)) }

    static let op = FieldSet(.op)
    static let id = FieldSet(.id)
    static let version = FieldSet(.version)
    static let name = FieldSet(.name)
    static let channel = FieldSet(.channel)
    static let payload = FieldSet(.payload)
    static let type = FieldSet(.type)
    static let subject = FieldSet(.subject)
    static let retain = FieldSet(.retain)
    static let posts = FieldSet(.posts)
    static let sub = FieldSet(.sub)
    static let fromUID = FieldSet(.fromUID)
    static let echo = FieldSet(.echo)
    static let replay = FieldSet(.replay)
    static let buffer = FieldSet(.buffer)
    static let match = FieldSet(.match)
    static let ttl = FieldSet(.ttl)
    static let delay = FieldSet(.delay)
    static let at = FieldSet(.at)
    static let priority = FieldSet(.priority)
    static let coalesce = FieldSet(.coalesce)
    static let dedup = FieldSet(.dedup)
    static let ifSequence = FieldSet(.ifSequence)
    static let requireSubscribers = FieldSet(.requireSubscribers)
    static let minimumInterval = FieldSet(.minimumInterval)
    static let group = FieldSet(.group)
    static let schedule = FieldSet(.schedule)
    static let after = FieldSet(.after)
    static let right = FieldSet(.right)
    static let uid = FieldSet(.uid)
    static let groups = FieldSet(.groups)
    static let unit = FieldSet(.unit)

    /// The first field in the set, in declaration order.
    package var first: Field? { rawValue == 0 ? nil : Field(rawValue: UInt8(rawValue.trailingZeroBitCount)) }
}
