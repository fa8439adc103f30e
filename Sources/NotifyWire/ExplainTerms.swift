// What `explain` asks: whether somebody like this may do something. Only what is in the request's `present` was said.

package struct ExplainTerms {
    package var right = Right.post
    package var uid: UInt32 = 0
    /// The array of numbers, byte for byte.
    package var groups = ByteSlice.empty
    package var unit = ByteSlice.empty

    package init() {}

    /// At most so many groups, as the kernel allows (NGROUPS_MAX).
    package static let maximumGroups = 65536

    /// The groups as numbers; nil: that is no array of them.
    package static func numbers(in value: ByteSlice) -> [UInt32]? {
        guard value.count >= 2, value[0] == UInt8(ascii: "["), value[value.count - 1] == UInt8(ascii: "]") else {
            return nil
        }
        let inside = ByteSlice(value.base + 1, value.count - 2).buffer
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        if inside.allSatisfy(isSpace) { return [] }
        var numbers: [UInt32] = []
        for part in inside.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let rest = part.drop(while: isSpace)
            let digits = rest[..<(rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.startIndex)]
            guard let text = UnsafeBufferPointer(rebasing: digits).baseAddress,
                let number = RequestParser.integer(ByteSlice(text, digits.count), in: 0...UInt64(UInt32.max)),
                numbers.count < maximumGroups
            else { return nil }
            numbers.append(UInt32(number))
        }
        return numbers
    }
}
