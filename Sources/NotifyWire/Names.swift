// The grammar of channels and patterns, and of the plain strings `type` and `subject`. Tokens are compared as bytes.

package struct NameFault: Equatable {
    /// 0-based byte at which the name goes wrong.
    package var offset: Int
    package var reason: StaticString

    package static func == (one: NameFault, other: NameFault) -> Bool {
        one.offset == other.offset && one.reason.description == other.reason.description
    }

    package init(_ reason: StaticString, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

/// Tokens joined by `.`; a token is one or more of `A–Z a–z 0–9 _ - : @ / + =`; a first `$` marks the daemon's own.
package enum ChannelName {
    package static let maximumBytes = 255
    package static let maximumTokens = 32

    package static func fault(in name: ByteSlice) -> NameFault? {
        check(name, wildcards: false)
    }

    /// Channels that start with `$` are the daemon's own: nobody posts there.
    package static func isReserved(_ name: ByteSlice) -> Bool {
        !name.isEmpty && name[0] == UInt8(ascii: "$")
    }

    fileprivate static func check(_ name: ByteSlice, wildcards: Bool) -> NameFault? {
        if name.isEmpty { return NameFault("empty name", at: 0) }
        if name.count > maximumBytes { return NameFault("longer than 255 bytes", at: maximumBytes) }
        var tokens = 1
        var tokenStart = 0
        for index in 0..<name.count {
            let byte = name[index]
            switch byte {
            case UInt8(ascii: "."):
                if index == tokenStart { return NameFault("empty token", at: index) }
                tokens += 1
                tokenStart = index + 1
                if tokens > maximumTokens { return NameFault("more than 32 tokens", at: index) }
            case UInt8(ascii: "$"):
                if index != 0 { return NameFault("'$' may only be the first byte", at: index) }
            case UInt8(ascii: "*") where wildcards, UInt8(ascii: ">") where wildcards:
                let standsAlone =
                    index == tokenStart && (index + 1 == name.count || name[index + 1] == UInt8(ascii: "."))
                if !standsAlone { return NameFault("a wildcard must be a whole token", at: index) }
                if byte == UInt8(ascii: ">"), index + 1 != name.count {
                    return NameFault("'>' must be the last token", at: index)
                }
            case UInt8(ascii: "*"), UInt8(ascii: ">"):
                return NameFault("a wildcard cannot stand in a channel", at: index)
            default:
                if !isTokenByte(byte) { return NameFault("character not allowed", at: index) }
            }
        }
        if tokenStart == name.count { return NameFault("empty token", at: name.count) }
        if name.count == 1, name[0] == UInt8(ascii: "$") { return NameFault("'$' needs a name after it", at: 1) }
        if name[0] == UInt8(ascii: "$"), name[1] == UInt8(ascii: ".") {
            return NameFault("'$' needs a name after it", at: 1)
        }
        return nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"),
            UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "="):
            return true
        default:
            return false
        }
    }
}

/// A channel in which `*` stands for exactly one token and a final `>` for one or more.
package enum PatternName {
    package static func fault(in name: ByteSlice) -> NameFault? {
        ChannelName.check(name, wildcards: true)
    }

    package static func hasWildcards(_ name: ByteSlice) -> Bool {
        name.buffer.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }
    }

    /// Whether `channel` is one of those that the (valid) pattern stands for. `*` and `>` as first token never match
    /// a channel that starts with `$`.
    package static func matches(_ pattern: ByteSlice, _ channel: ByteSlice) -> Bool {
        if ChannelName.isReserved(channel), !ChannelName.isReserved(pattern) { return false }
        var left = pattern.base
        var right = channel.base
        while left < pattern.end {
            if left.pointee == UInt8(ascii: ">") { return right < channel.end }
            if right >= channel.end { return false }
            if left.pointee == UInt8(ascii: "*") {
                left += 1
                while right < channel.end, right.pointee != UInt8(ascii: ".") { right += 1 }
            } else {
                while left < pattern.end, left.pointee != UInt8(ascii: "."), right < channel.end,
                    left.pointee == right.pointee
                {
                    left += 1
                    right += 1
                }
            }
            // Both must end their token here, and both must go on or both be over.
            let leftEnds = left == pattern.end
            let rightEnds = right == channel.end
            if leftEnds || rightEnds { return leftEnds && rightEnds }
            guard left.pointee == UInt8(ascii: "."), right.pointee == UInt8(ascii: ".") else { return false }
            left += 1
            right += 1
        }
        return false
    }
}

/// `type`, `subject` and a client's name: 1…255 bytes of text without control characters (C0, DEL, C1).
package enum LabelText {
    package static let maximumBytes = 255

    package static func isValid(_ text: ByteSlice) -> Bool {
        guard 1...maximumBytes ~= text.count else { return false }
        for index in 0..<text.count {
            let byte = text[index]
            if byte < 0x20 || byte == 0x7F { return false }
            // C1 controls are U+0080…U+009F: 0xC2 followed by 0x80…0x9F. The text is valid UTF-8 already.
            if byte == 0xC2, index + 1 < text.count, text[index + 1] < 0xA0 { return false }
        }
        return true
    }
}
