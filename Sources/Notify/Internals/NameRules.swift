// The grammar of names, asked in the words of NotifyError. The rules themselves are NotifyWire's.

import NotifyWire

enum NameRules {
    static func checkChannel(_ text: String) throws(NotifyError) {
        let refusal = withSlice(text) { name in
            ChannelName.fault(in: name).map { Refusal.invalidChannel(name, $0) }
        }
        if let refusal { throw NotifyError(.invalidChannel, refusal.message) }
    }

    static func checkPattern(_ text: String) throws(NotifyError) {
        let refusal = withSlice(text) { name in
            PatternName.fault(in: name).map { Refusal.invalidPattern(name, $0) }
        }
        if let refusal { throw NotifyError(.invalidPattern, refusal.message) }
    }

    /// Checks a type or a subject.
    static func checkLabel(_ text: String, of field: String) throws(NotifyError) {
        guard withSlice(text, LabelText.isValid) else {
            throw NotifyError(
                .invalidField,
                "\(field): expected 1 to \(LabelText.maximumBytes) bytes of text without control characters")
        }
    }

    private static func withSlice<Result>(_ text: String, _ body: (ByteSlice) -> Result) -> Result {
        var text = text
        return text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return body(.empty) }
            return body(ByteSlice(start, utf8.count))
        }
    }
}
