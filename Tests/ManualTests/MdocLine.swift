// One line of mdoc as text: `.Fl n , Fl -count Ns = Ns Ar N` is `-n, --count=N`.

import Foundation

enum MdocLine {
    /// Macros that only say what the words behind them are.
    private static let plain: Set<String> = [
        "Ar", "Cm", "Dv", "Em", "Er", "Ev", "Ic", "Li", "Nd", "Nm", "No", "Pa", "Ql", "Sx", "Ta", "Va",
    ]
    /// Macros that begin a line and show nothing by themselves.
    private static let silent: Set<String> = ["Bd", "Bl", "Dd", "Dt", "Ed", "El", "Os", "Pp", "Sh", "Ss", "\\\""]
    private static let closing: Set<String> = [".", ",", ";", ":", ")", "]"]

    static func text(of line: String) -> String {
        guard line.hasPrefix(".") else { return unescaped(line) }
        var words = self.words(line[...])[...]
        guard let first = words.first, !silent.contains(first) else { return "" }
        if ["It", "D1", "Dl"].contains(first) { words.removeFirst() }
        var writer = Writer()
        while let word = words.popFirst() { writer.add(word, next: words.first) }
        return writer.result
    }

    /// The words after the dot; what stands in quotes is one.
    static func words(_ line: Substring) -> [String] {
        line.dropFirst().matches(of: /"([^"]*)"|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
    }

    /// The words that a macro is about: up to the next macro.
    static func words(of macro: String, in line: Substring) -> [String] {
        guard line.hasPrefix(".") else { return [] }
        var current = ""
        return words(line).compactMap { word in
            if isMacro(word) {
                current = word
                return nil
            }
            return current == macro && !closing.contains(word) && word != "|" ? unescaped(word) : nil
        }
    }

    private static func isMacro(_ word: String) -> Bool {
        plain.contains(word) || silent.contains(word)
            || ["D1", "Dl", "Fl", "It", "Ns", "Oc", "Oo", "Op", "Pq", "Qq", "Xr"].contains(word)
    }

    static func unescaped(_ text: String) -> String {
        let escapes = [("\\-", "-"), ("\\(aq", "'"), ("\\(dq", "\""), ("\\(ha", "^"), ("\\(ti", "~"), ("\\&", "")]
        return escapes.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
            .replacingOccurrences(of: "\\e", with: "\\")
    }

    private struct Writer {
        private var text = ""
        private var isFlag = false
        private var joins = true
        /// What `Op` and `Pq` have opened: closed where the line ends.
        private var open = ""

        var result: String { text + open.reversed() }

        mutating func add(_ word: String, next: String?) {
            switch word {
            case "Fl":
                isFlag = true
                // Without an argument it is a dash.
                if next == "Fl" { put("-", joining: true) }
            case "Ns": (joins, isFlag) = (true, false)
            case "Op": begin("[", "]")
            case "Pq": begin("(", ")")
            case "Oo": begin("[", nil)
            case "Oc": put("]", joining: false, attached: true)
            case "Xr": isFlag = false
            case _ where MdocLine.plain.contains(word): isFlag = false
            case _ where MdocLine.closing.contains(word):
                // After a bracket that closes at the end of the line.
                if word != ":", !open.isEmpty, next == nil {
                    text += open.reversed()
                    open = ""
                }
                put(word, joining: false, attached: true)
            default: put((isFlag ? "-" : "") + MdocLine.unescaped(word), joining: false)
            }
        }

        private mutating func begin(_ bracket: String, _ end: Character?) {
            put(bracket, joining: true)
            isFlag = false
            if let end { open.append(end) }
        }

        private mutating func put(_ word: String, joining: Bool, attached: Bool = false) {
            if !joins, !attached, !text.isEmpty { text += " " }
            text += word
            joins = joining
        }
    }
}
