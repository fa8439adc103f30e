// Strings and numbers that Foundation takes for such until it has to read them: `"\u0000"`, `010`, `1e400`. Then it says no
// more than that the file is not valid, or traps. So it is asked before, of each of them alone.

import FoundationEssentials

struct ValueFault: Equatable {
    /// Where the value is; empty if it is a key.
    var path: String
    var reason: String

    /// The first one in a text that is JSON5 otherwise; nil: there is none.
    static func first(in text: Data) -> ValueFault? {
        var scan = JSON5Scan(text)
        while let byte = scan.next() {
            let before = scan.word.range
            _ = scan.take(byte)
            guard scan.word.range != before, let reason = reason(scan) else { continue }
            return ValueFault(path: scan.word.isValue ? scan.path : "", reason: reason)
        }
        return nil
    }

    private static func reason(_ scan: JSON5Scan) -> String? {
        let word = scan.word
        let raw = scan.bytes[word.range]
        guard let first = raw.first else { return nil }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard raw.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }), !isString(raw) else { return nil }
            return culprit(in: raw.dropFirst().dropLast(), quote: first).map { "line \(word.line) has \($0)" }
                ?? "line \(word.line) has a string that is none"
        }
        let isLiteral = literals.contains { $0.utf8.elementsEqual(raw) }
        guard word.isValue, !isLiteral, !isNumber(raw) else { return nil }
        let shown = String(decoding: raw, as: UTF8.self).shortened
        return "found \(shown) in line \(word.line), which is no number in JSON5, or too large a one"
    }

    private static let literals = ["true", "false", "null"]

    /// The first part of a string that makes it none.
    private static func culprit(in content: ArraySlice<UInt8>, quote: UInt8) -> String? {
        var rest = content
        while let byte = rest.first {
            if byte == LineEnds.feed || byte == LineEnds.carriageReturn {
                return "a string that does not end there; a quote may be missing"
            }
            if byte < 0x20 {
                let escape = Unicode.Scalar(byte).escape
                return "a control character in a string, which is written \(escape) there"
            }
            guard byte == UInt8(ascii: "\\") else {
                rest = rest.dropFirst()
                continue
            }
            let one = rest.prefix(escapeLength(rest))
            // Two halves of a pair are one character.
            let two = one + rest.dropFirst(one.count).prefix(escapeLength(rest.dropFirst(one.count)))
            guard let good = [one, two].first(where: { isString([quote] + $0 + [quote]) }) else {
                return "\(String(decoding: one, as: UTF8.self)) in a string, which is no character that may stand there"
            }
            rest = rest.dropFirst(good.count)
        }
        return nil
    }

    /// How many bytes of the text are the escape that it begins with; 0: none.
    private static func escapeLength(_ text: ArraySlice<UInt8>) -> Int {
        guard text.first == UInt8(ascii: "\\") else { return 0 }
        switch text.dropFirst().first {
        case UInt8(ascii: "u"): return 6
        case UInt8(ascii: "x"): return 4
        case let byte?: return 1 + (byte < 0x80 ? 1 : byte.leadingOnes)
        case nil: return 1
        }
    }

    private static func isString(_ text: some Sequence<UInt8>) -> Bool { isValid(text, as: String.self) }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let isPlain = text.first != UInt8(ascii: "0") && text.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if isPlain && text.count < 16 { return true }
        // At `1e+` Foundation of Swift 6.3 traps.
        if text.last == UInt8(ascii: "+") || text.last == UInt8(ascii: "-") { return false }
        return isValid(text, as: Double.self)
    }

    private static func isValid<Value: Decodable>(_ text: some Sequence<UInt8>, as _: Value.Type) -> Bool {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return (try? decoder.decode([Value].self, from: Data("[".utf8) + text + Data("]".utf8))) != nil
    }
}

extension UInt8 {
    fileprivate var leadingOnes: Int { (~self).leadingZeroBitCount }
}
