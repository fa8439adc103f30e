// How much room text takes on a terminal: some letters take two cells, some none. Text is cut between letters, and comes
// out as wide as it says.

import CNotifyctl
import Glibc

/// Measures and cuts text by the cells of a terminal.
enum Cells {
    /// The C library knows what the locale knows; glibc has this one built in.
    private static let hasLetters: Bool = setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// Safe text (see `Printable`) with nothing in it that no terminal knows.
    static func text(_ string: String) -> String {
        let safe = Printable.text(string)
        guard safe.unicodeScalars.contains(where: { width(of: $0) < 0 }) else { return safe }
        return safe.unicodeScalars.map { width(of: $0) < 0 ? Printable.name(of: $0) : String($0) }.joined()
    }

    static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + max(0, width(of: $1)) }
    }

    /// The text in exactly so many cells: cut with an ellipsis, or filled up with spaces.
    static func fit(_ text: String, _ cells: Int, toTheRight: Bool = false) -> String {
        let width = width(text)
        if width > cells { return cells > 0 ? pad(cut(text, cells - 1) + "…", cells, false) : "" }
        return pad(text, cells, toTheRight)
    }

    /// As much of the text as has room.
    static func cut(_ text: String, _ cells: Int) -> String {
        var (result, left) = (String.UnicodeScalarView(), cells)
        for scalar in text.unicodeScalars {
            left -= max(0, width(of: scalar))
            if left < 0 { break }
            result.append(scalar)
        }
        return String(result)
    }

    private static func pad(_ text: String, _ cells: Int, _ toTheRight: Bool) -> String {
        let spaces = String(repeating: " ", count: max(0, cells - width(text)))
        return toTheRight ? spaces + text : text + spaces
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x7F, scalar.value >= 0x20 { return 1 }
        return hasLetters ? Int(cnotifyctl_cells(scalar.value)) : 1
    }
}
