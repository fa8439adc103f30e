// Text from others on a terminal: a raw control byte in a client's name or a payload could move the cursor, change
// colours or turn the line around. Here it becomes visible text.

/// Makes text safe to show to a person.
enum Printable {
    /// The bytes as text: control characters, marks that reverse the writing direction and broken UTF-8 are replaced.
    static func text(_ bytes: some Sequence<UInt8>) -> String { text(String(decoding: Array(bytes), as: UTF8.self)) }

    static func text(_ string: String) -> String {
        guard string.unicodeScalars.contains(where: isUnsafe) else { return string }
        var result = ""
        for scalar in string.unicodeScalars {
            if isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
