// A configuration is UTF-8. Foundation would read other encodings, too, which nobody here looks at for repeated keys, and
// of bytes that are no text it makes something, or traps.

import FoundationEssentials

enum EncodingFault {
    /// Why the bytes are no text in UTF-8; nil: they are.
    static func sentence(about text: Data) -> String? {
        if let name = otherEncoding(text) { return "looks like \(name), expected UTF-8" }
        var start = text.startIndex
        for (index, end) in LineEnds.places(in: text).enumerated() {
            let line = text[start..<end]
            if String(validating: line, as: UTF8.self) == nil { return "line \(index + 1) is not UTF-8" }
            // Foundation guesses by these what the encoding is.
            if line.contains(0) { return "line \(index + 1) has a NUL byte, expected text in UTF-8" }
            start = end
        }
        return nil
    }

    /// What the first bytes give away: a byte order mark, or the zeros of an ASCII character, as JSON5 begins with one
    /// (RFC 4627, section 3).
    private static func otherEncoding(_ text: Data) -> String? {
        let bytes = [UInt8](text.prefix(4))
        switch bytes {
        case [0xFF, 0xFE, 0, 0]: return "UTF-32LE"
        case [0, 0, 0xFE, 0xFF]: return "UTF-32BE"
        default: break
        }
        if bytes.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
        if bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16BE" }
        switch bytes.map({ $0 == 0 }) {
        case [false, true, true, true]: return "UTF-32LE"
        case [true, true, true, false]: return "UTF-32BE"
        case let zeros where zeros.starts(with: [false, true]): return "UTF-16LE"
        case let zeros where zeros.starts(with: [true, false]): return "UTF-16BE"
        default: return nil
        }
    }
}
