// Turns the characters of a scanned JSON string into what they mean. Only for strings that hold escapes: all others
// mean what they are.

extension ByteLog {
    /// Appends the meaning of `raw`, the inside of a string that `JSONScanner` has accepted, and returns it. The slice
    /// stays valid for as long as the log is not grown: reserve the line's length first.
    package mutating func append(unescaped raw: ByteSlice) -> ByteSlice {
        reserve(raw.count)
        let start = count
        var at = raw.base
        while at < raw.end {
            guard at.pointee == UInt8(ascii: "\\") else {
                append(at.pointee)
                at += 1
                continue
            }
            switch at[1] {
            case UInt8(ascii: "b"): append(0x08 as UInt8)
            case UInt8(ascii: "f"): append(0x0C as UInt8)
            case UInt8(ascii: "n"): append(0x0A as UInt8)
            case UInt8(ascii: "r"): append(0x0D as UInt8)
            case UInt8(ascii: "t"): append(0x09 as UInt8)
            case UInt8(ascii: "u"):
                at += append(unicodeEscape: at)
                continue
            default: append(at[1])
            }
            at += 2
        }
        return slice(from: start, to: count)
    }

    /// Appends the character that `\uXXXX`, or a pair of them, stands for; returns the length of the escape.
    private mutating func append(unicodeEscape at: UnsafePointer<UInt8>) -> Int {
        var value = JSONScanner.hexUnit(at + 2) ?? 0xFFFD
        var length = 6
        if 0xD800...0xDBFF ~= value, let low = JSONScanner.hexUnit(at + 8) {
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            length = 12
        }
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
        return length
    }
}
