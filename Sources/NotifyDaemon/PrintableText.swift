// Texts from files, arguments and clients on their way to a person, in the log or on standard error: what a terminal obeys,
// and what turns a line around, is shown as a number. So a line stays one line, and is what it looks like.

extension Unicode.Scalar {
    /// Control characters, and marks that begin a line or change its direction.
    var isObeyed: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// `\u200e`: four digits do for all that is obeyed.
    var escape: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension String {
    /// With nothing in it that a terminal obeys.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isObeyed { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// Of something long the beginning.
    var shortened: String {
        let beginning = unicodeScalars.prefix(100)
        return beginning.endIndex == unicodeScalars.endIndex ? self : String(beginning) + "…"
    }
}
