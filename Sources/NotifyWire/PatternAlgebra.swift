// Patterns against patterns: what two have in common, and whether one has all of another. Both are valid, and a channel
// is a pattern, too.

extension PatternName {
    /// Whether every channel that matches `other` matches `pattern`. A wildcard is matched like a token; but one token is
    /// not many.
    package static func covers(_ pattern: ByteSlice, _ other: ByteSlice) -> Bool {
        let many = UInt8(ascii: ">")
        if other.count > 0, other[other.count - 1] == many, pattern[pattern.count - 1] != many { return false }
        return pattern.equals(other) || matches(pattern, other)
    }

    /// Whether there is a channel that matches both.
    package static func overlaps(_ one: ByteSlice, _ other: ByteSlice) -> Bool {
        // Wildcards at the beginning do not stand for the daemon's own channels.
        if ChannelName.isReserved(one) != ChannelName.isReserved(other) { return false }
        let (point, many, single) = (UInt8(ascii: "."), UInt8(ascii: ">"), UInt8(ascii: "*"))
        var (left, right) = (0, 0)
        while left < one.count, right < other.count {
            if one[left] == many || other[right] == many { return true }
            let isOpen = one[left] == single || other[right] == single
            let (leftStart, rightStart) = (left, right)
            while left < one.count, one[left] != point { left += 1 }
            while right < other.count, other[right] != point { right += 1 }
            if !isOpen {
                let token = ByteSlice(one.base + leftStart, left - leftStart)
                if !token.equals(ByteSlice(other.base + rightStart, right - rightStart)) { return false }
            }
            left += 1
            right += 1
        }
        // Both are over, or one of them goes on alone.
        return left >= one.count && right >= other.count
    }

    /// The pattern of the channels that match both; nil: there are none.
    package static func intersection(_ one: [UInt8], _ other: [UInt8]) -> [UInt8]? {
        // Wildcards at the beginning do not stand for the daemon's own channels.
        if (one.first == UInt8(ascii: "$")) != (other.first == UInt8(ascii: "$")) { return nil }
        let (left, right) = (tokens(of: one), tokens(of: other))
        var common: [ArraySlice<UInt8>] = []
        for index in 0..<max(left.count, right.count) {
            // Whichever goes on for as long as it takes leaves the rest to the other.
            if index == left.count - 1, left[index].elementsEqual(many), index < right.count {
                return joined(common + right[index...])
            }
            if index == right.count - 1, right[index].elementsEqual(many), index < left.count {
                return joined(common + left[index...])
            }
            guard index < left.count, index < right.count else { return nil }
            if left[index].elementsEqual(single) {
                common.append(right[index])
            } else if right[index].elementsEqual(single) || left[index] == right[index] {
                common.append(left[index])
            } else {
                return nil
            }
        }
        return joined(common)
    }

    private static let many = [UInt8(ascii: ">")]
    private static let single = [UInt8(ascii: "*")]

    private static func tokens(of name: [UInt8]) -> [ArraySlice<UInt8>] {
        name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private static func joined(_ tokens: [ArraySlice<UInt8>]) -> [UInt8] {
        Array(tokens.joined(separator: [UInt8(ascii: ".")]))
    }
}
