// Where JSON5 stops being JSON5. Foundation says of a file no more than that it is not valid. So it is asked again, of the
// first lines alone, with an end put to whatever is open there: the first line with which no end makes them valid has the
// fault. What is valid Foundation judges; here it has only to be known which brackets are open.

import FoundationEssentials

enum SyntaxFault {
    /// What to tell of a text that Foundation has refused.
    static func sentence(about text: Data) -> String {
        // A comment in the last line may have no end of line.
        if isValid(text + Data("\nnull".utf8)) { return "is empty: a file that sets nothing is {}" }
        let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 } + [text.endIndex]
        if canBeCompleted(text) {
            guard let open = RepeatedKey.openBrackets(in: text).last else {
                return "not valid JSON5: it ends too early"
            }
            return "not valid JSON5: it ends before the '\(open.bracket)' of line \(open.line) is closed"
        }
        // All before `first` can be completed, and what ends at `last` cannot.
        var (first, last) = (0, ends.count - 1)
        while first < last {
            let middle = (first + last) / 2
            if canBeCompleted(text[..<ends[middle]]) { first = middle + 1 } else { last = middle }
        }
        return "not valid JSON5: line \(first + 1) does not go on from what is before it; look there, and right before "
            + "it, for a missing comma, quote or bracket"
    }

    private static func canBeCompleted(_ text: Data) -> Bool {
        let closing = RepeatedKey.openBrackets(in: text).reversed().map { $0.bracket == "{" ? "}" : "]" }.joined()
        // Strings go on in the next line after a backslash alone, though Foundation does not mind.
        let hasWholeStrings = text.last == UInt8(ascii: "\n") && text.dropLast().last != UInt8(ascii: "\\")
        for end in hasWholeStrings ? ["", "*/"] : ["", "\n", "*/", "\"", "'"] {
            for value in ["", "null", ":null"] where isValid(text + Data((end + value + closing).utf8)) { return true }
        }
        return false
    }

    private static func isValid(_ text: Data) -> Bool {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return (try? decoder.decode(Anything.self, from: text)) != nil
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}
