// Text as JSON writes it, so that what is printed of a configuration can be read as one.

extension String {
    /// In double quotes, with quotes, backslashes and control characters escaped (RFC 8259, section 7).
    var quoted: String {
        let text = unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\"\(text)\""
    }
}
