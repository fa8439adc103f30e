// Where JSON5 stops being JSON5. Foundation says of a file no more than that it is not valid. So it is asked again, of the
// first lines alone, with an end put to whatever is open there: the first line with which no end makes them valid has the
// fault. What is valid Foundation judges; here it has only to be known which brackets are open.

import FoundationEssentials

enum SyntaxFault {
    /// What to tell of a text that is no JSON5; nil: it is, whatever its values are (see `ValueFault`).
    static func sentence(about text: Data) -> String? {
        if isValid(text) { return nil }
        // A comment in the last line may have no end of line.
        if isValid(text + Data("\nnull".utf8)) { return "is empty: a file that sets nothing is {}" }
        if canBeCompleted(text) {
            guard let open = openBrackets(in: text).last else { return "not valid JSON5: it ends too early" }
            return "not valid JSON5: it ends before the '\(open.bracket)' of line \(open.line) is closed"
        }
        let line = firstLine(of: text)
        if JSON5Scan.whole(text).tooDeep == line {
            return "line \(line) has more than \(JSON5Scan.depthLimit) brackets within each other"
        }
        return "not valid JSON5: line \(line) does not go on from what is before it; look there, and right before it, "
            + "for a missing comma, quote or bracket"
    }

    /// The first line that nothing which comes behind it can make valid, from 1.
    private static func firstLine(of text: Data) -> Int {
        let ends = LineEnds.places(in: text)
        // All before `first` can be completed, and what ends at `last` cannot.
        var (first, last) = (0, ends.count - 1)
        while first < last {
            let middle = (first + last) / 2
            if canBeCompleted(text[..<ends[middle]]) { first = middle + 1 } else { last = middle }
        }
        return first + 1
    }

    private static func canBeCompleted(_ text: Data) -> Bool {
        let closing = openBrackets(in: text).reversed().map { $0.bracket == "{" ? "}" : "]" }.joined()
        // Strings go on in the next line after a backslash alone, though Foundation does not mind.
        let line = text.suffix(2) == Data("\r\n".utf8) ? text.dropLast(2) : text.dropLast()
        let isWholeLine = text.last == LineEnds.feed || text.last == LineEnds.carriageReturn
        let hasWholeStrings = isWholeLine && line.last != UInt8(ascii: "\\")
        for end in hasWholeStrings ? ["", "*/"] : ["", "\n", "*/", "\"", "'"] {
            for value in ["", "null", ":null"] where isValid(text + Data((end + value + closing).utf8)) { return true }
        }
        return false
    }

    /// The brackets that are not closed at the end of the text, and the lines where they are.
    private static func openBrackets(in text: Data) -> [(bracket: Character, line: Int)] {
        JSON5Scan.whole(text).unclosed.map { ($0.bracket, $0.line) }
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
