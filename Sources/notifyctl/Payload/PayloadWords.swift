// From the words after `post CHANNEL` to one JSON value. The first word that is JSON is the payload; else all words are
// `KEY=string` or `KEY:=json` and make an object.

/// Builds a payload out of words.
struct PayloadWords {
    var fault: JSONCheck

    /// The payload; no words are null.
    func payload(_ words: [Word]) throws(Failure) -> [UInt8] {
        guard let first = words.first else { return Array("null".utf8) }
        guard let reason = fault(first.bytes) else {
            if words.count > 1 {
                throw .usage("'\(words[1].shown)' is one word too many: the payload is '\(first.shown)'")
            }
            return JSONText.onOneLine(first.bytes)
        }
        if words.count == 1, Pair(first) == nil || looksLikeJSON(first) {
            let place = first.bytes.isEmpty ? "empty" : "byte \(reason.offset): \(reason.reason)"
            throw Failure(.data, "payload '\(first.shown)': not JSON; for a string use --text (\(place))")
        }
        return try object(words)
    }

    private func object(_ words: [Word]) throws(Failure) -> [UInt8] {
        var output = Array("{".utf8)
        var keys: Set<[UInt8]> = []
        for word in words {
            guard let pair = Pair(word), !looksLikeJSON(word) else {
                throw .usage("'\(word.shown)' is neither KEY=string nor KEY:=json")
            }
            guard keys.insert(pair.key).inserted else {
                throw .usage("key '\(Printable.text(pair.key))' is there twice")
            }
            if keys.count > 1 { output.append(UInt8(ascii: ",")) }
            output += try string(pair.key)
            output.append(UInt8(ascii: ":"))
            output += pair.isJSON ? try value(pair) : try string(pair.value)
        }
        return output + Array("}".utf8)
    }

    private func value(_ pair: Pair) throws(Failure) -> [UInt8] {
        if let fault = fault(pair.value) {
            let key = Printable.text(pair.key)
            throw Failure(
                .data,
                "payload: value of '\(key)': not JSON at byte \(fault.offset): \(fault.reason); for a string write \(key)=…"
            )
        }
        return JSONText.onOneLine(pair.value)
    }

    /// Text as a JSON string, if it is text.
    func string(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        let quoted = JSONText.string(bytes)
        // Quoting takes care of all that JSON cannot hold in a string, but for bytes that are not UTF-8.
        if let fault = fault(quoted) { throw Failure(.data, "payload '\(Printable.text(bytes))': \(fault.reason)") }
        return quoted
    }

    /// What starts like a document or a string and is broken is a mistake in it, not a strange key.
    private func looksLikeJSON(_ word: Word) -> Bool {
        guard let first = word.bytes.first(where: { !JSONText.isSpace($0) }) else { return true }
        return [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first)
    }

    /// `KEY=string` or `KEY:=json`, up to the first `=`.
    private struct Pair: Equatable {
        var key: [UInt8]
        var value: [UInt8]
        var isJSON: Bool

        init?(_ word: Word) {
            guard let equals = word.bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            key = Array(word.bytes[..<equals])
            value = Array(word.bytes[(equals + 1)...])
            isJSON = key.last == UInt8(ascii: ":")
            if isJSON { key.removeLast() }
            if key.isEmpty { return nil }
        }
    }
}
