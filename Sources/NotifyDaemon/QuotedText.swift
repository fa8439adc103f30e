// Text as JSON writes it, so that what is printed of a configuration can be read as one.

extension String {
    /// In double quotes, with quotes, backslashes and all that a terminal obeys escaped (RFC 8259, section 7).
    var quoted: String {
        let text = unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case _ where scalar.isObeyed: text += scalar.escape
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\"\(text)\""
    }

    /// Quoted, for a sentence that says what was found.
    var cited: String { shortened.quoted }
}
