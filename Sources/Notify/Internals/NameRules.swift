// The grammar of names, asked in the words of NotifyError. The rules themselves are NotifyWire's.

enum NameRules {
    static func checkChannel(_ text: String) throws(NotifyError) {}
    static func checkPattern(_ text: String) throws(NotifyError) {}

    /// The longest type or subject in bytes.
    static let labelLimit = 255

    /// Checks a type or a subject.
    static func checkLabel(_ text: String, of field: String) throws(NotifyError) {
        guard (1...labelLimit).contains(text.utf8.count) else {
            throw NotifyError(
                .invalidField, "\(field): has \(text.utf8.count) bytes, must have 1 to \(labelLimit)")
        }
        if let offset = text.utf8.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            let byte = text.utf8.distance(from: text.utf8.startIndex, to: offset)
            throw NotifyError(.invalidField, "\(field): control character at byte \(byte)")
        }
    }
}
