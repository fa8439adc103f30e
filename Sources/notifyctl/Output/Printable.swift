// Text from others on a terminal: a raw control byte in a client's name or a payload could move the cursor, change
// colours or turn the line around, and what takes no room at all makes two names look like one. Here it becomes visible.

/// Makes text safe to show to a person.
enum Printable {
    /// The bytes as text; broken UTF-8 is replaced.
    static func text(_ bytes: some Sequence<UInt8>) -> String { text(String(decoding: Array(bytes), as: UTF8.self)) }

    /// A name, or what else stands for something: names that are not the same do not look the same because of characters
    /// that nobody sees.
    static func text(_ string: String) -> String { escaped(string, isName: true) }

    /// A payload. It may be running text in any script, of which joiners and the choice of a letter's form are part.
    static func payload(_ bytes: some Sequence<UInt8>) -> String {
        escaped(String(decoding: Array(bytes), as: UTF8.self), isName: false)
    }

    /// A line for standard error, of which names are safe already: a terminal obeys nothing in it.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.map { isUnsafe($0) ? name(of: $0) : String($0) }.joined()
    }

    /// JSON, which stays JSON and means the same: what would be obeyed, or not seen, can be in its strings alone, where an
    /// escape may stand for any character; but for CR, which is white space.
    static func json(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                result.append(" ")
            } else if scalar != "\n", scalar != "\t", isUnsafe(scalar) || isHiddenInText(scalar) {
                for unit in String(scalar).utf16 { result.append(contentsOf: escape(unit).unicodeScalars) }
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func escaped(_ string: String, isName: Bool) -> String {
        // Nothing in most text has to be looked at more closely.
        if string.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\\") }) { return string }
        var result = String.UnicodeScalarView()
        var backslashes = 0
        for scalar in string.unicodeScalars {
            let escape = isUnsafe(scalar) || isName && isHidden(scalar) || !isName && isHiddenInText(scalar)
            // In front of what looks like an escape they are doubled, so that each text is shown in a way of its own.
            if isName, escape || scalar == "u" {
                result.append(contentsOf: repeatElement("\\", count: backslashes))
            }
            backslashes = scalar == "\\" ? backslashes + 1 : 0
            if escape {
                result.append(contentsOf: name(of: scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// `\u200b`, or `\u{e0041}` where four digits do not do.
    static func name(of scalar: Unicode.Scalar) -> String {
        UInt16(exactly: scalar.value).map(escape) ?? "\\u{\(String(scalar.value, radix: 16))}"
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Control characters, and marks that begin a line or reverse its direction.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// What no terminal shows, what none knows, and what looks like a space and is none.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return false }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800 { return true }
        switch properties.generalCategory {
        case .format, .privateUse, .unassigned: return true
        // The wide space of Chinese and Japanese is told by its width.
        case .spaceSeparator: return scalar.value != 0x3000
        default: return false
        }
    }

    private static func isHiddenInText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Joiners, and variation selectors: emoji, Persian and Indic scripts need them.
        case 0x200C, 0x200D, 0xFE00...0xFE0F: false
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
