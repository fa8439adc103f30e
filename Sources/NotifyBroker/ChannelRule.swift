// What is kept of a channel, by its name: the configuration's rules in their order, the first that matches counts, and
// the default behind them.

import NotifyWire

/// How far a channel's history reaches back: as far as all three allow.
package struct HistoryBound: Equatable, Sendable {
    /// 0: no history.
    package var messages = 64
    package var bytes = 64 << 10
    /// Nanoseconds since the message was accepted.
    package var age: UInt64 = 60_000_000_000

    package init() {}
}

package struct ChannelRule: Equatable, Sendable {
    /// A channel or pattern.
    package var pattern: String
    package var history = HistoryBound()
    /// It is kept on disk, and outlives the daemon.
    package var persist = false

    package init(pattern: String) {
        self.pattern = pattern
    }
}

/// The rules, to be looked up by number: a channel finds its own once.
struct ChannelRules: ~Copyable {
    /// A number fits in a byte, the default's included.
    static let limit = 255

    private var rules: UnsafeMutablePointer<ChannelRule>
    private let count: Int

    init(_ rules: [ChannelRule]) {
        precondition(rules.count <= Self.limit, "the configuration allows no more")
        count = rules.count + 1
        self.rules = .allocate(capacity: count)
        for (index, rule) in rules.enumerated() { (self.rules + index).initialize(to: rule) }
        (self.rules + rules.count).initialize(to: ChannelRule(pattern: ">"))
    }

    deinit {
        rules.deinitialize(count: count)
        rules.deallocate()
    }

    /// The number of the rule for this channel.
    func find(_ name: ByteSlice) -> UInt8 {
        for index in 0..<(count - 1) {
            var pattern = rules[index].pattern
            let matches = pattern.withUTF8 { bytes in
                bytes.baseAddress.map { start in
                    let slice = ByteSlice(start, bytes.count)
                    return slice.equals(name) || PatternName.matches(slice, name)
                } ?? false
            }
            if matches { return UInt8(index) }
        }
        return UInt8(count - 1)
    }

    /// Whether all channels that match the pattern are persistent. (In doubt they are not.)
    func persistAll(_ pattern: ByteSlice) -> Bool {
        for index in 0..<(count - 1) {
            var rule = rules[index].pattern
            let covers = rule.withUTF8 { bytes in
                bytes.baseAddress.map { Self.covers(ByteSlice($0, bytes.count), pattern) } ?? false
            }
            if !rules[index].persist { return false }
            if covers { return true }
        }
        return false
    }

    /// Whether whatever matches `other` matches `pattern`. A wildcard is matched like a token; but one token is not many.
    private static func covers(_ pattern: ByteSlice, _ other: ByteSlice) -> Bool {
        let many = UInt8(ascii: ">")
        if other.count > 0, other[other.count - 1] == many, pattern[pattern.count - 1] != many { return false }
        return pattern.equals(other) || PatternName.matches(pattern, other)
    }

    func persists(_ rule: UInt8) -> Bool { rules[Int(rule)].persist }

    /// Which channels are persistent: other bytes if there may be others.
    var persistence: [UInt8] {
        let last = (0..<(count - 1)).last { rules[$0].persist } ?? -1
        return (0..<(last + 1)).flatMap { [UInt8](((rules[$0].persist ? "+" : "-") + rules[$0].pattern + "\n").utf8) }
    }

    @inline(__always)
    func keepsHistory(_ rule: UInt8) -> Bool { rules[Int(rule)].history.messages > 0 }

    @inline(__always)
    func history(_ rule: UInt8) -> HistoryBound { rules[Int(rule)].history }
}
