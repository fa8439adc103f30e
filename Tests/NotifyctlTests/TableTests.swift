// Tables for people.

import Testing

@testable import notifyctl

@Suite("A table")
struct TableTests {
    private func table(_ rows: [[String]]) -> Table {
        var table = Table([.init(title: "NAME"), .init(title: "N", isNumber: true), .init(title: "X")])
        rows.forEach { table.add($0) }
        return table
    }

    @Test("has columns as wide as their longest cell, numbers to the right")
    func columns() {
        let lines = table([["a", "1", "x"], ["longer", "100", ""]]).lines(width: nil, style: .plain)
        #expect(lines == ["NAME      N  X", "a         1  x", "longer  100"])
    }

    @Test("without rows is its heading")
    func empty() {
        #expect(table([]).lines(width: nil, style: .plain) == ["NAME  N  X"])
    }

    @Test("fits the terminal by cutting text, never numbers")
    func narrow() {
        let long = String(repeating: "n", count: 50)
        let rows = [[long, "123456789", "short"]]
        let lines = table(rows).lines(width: 40, style: .plain)
        #expect(lines[1] == String(repeating: "n", count: 21) + "…  123456789  short")
        #expect(lines.allSatisfy { $0.count <= 40 })
        #expect(table(rows).lines(width: nil, style: .plain)[1].contains(long))
    }

    @Test("gives up cutting where rows could no longer be told apart")
    func tooNarrow() {
        let lines = table([[String(repeating: "n", count: 50), "1", "x"]]).lines(width: 5, style: .plain)
        #expect(lines[1] == "nnnnnnn…  1  x")
    }

    @Test("shows no raw control byte")
    func control() {
        let lines = table([["a\u{1B}[2J\nb", "1", "\u{202E}x"]]).lines(width: nil, style: .plain)
        #expect(lines[1] == "a\\u001b[2J\\u000ab  1  \\u202ex")
    }

    @Test("leaves out what one can do without, the last first, where it has no room")
    func extras() {
        var table = Table([
            .init(title: "NAME"), .init(title: "A", isNumber: true, isExtra: true), .init(title: "BB", isExtra: true),
            .init(title: "N", isNumber: true),
        ])
        table.add(["name", "111", "longer than that", "2"])
        let rows = [(22, "name  111  longer …  2"), (21, "name  111  2"), (12, "name  111  2"), (11, "name  2")]
        for (width, row) in rows { #expect(table.lines(width: width, style: .plain)[1] == row) }
        #expect(table.lines(width: nil, style: .plain)[1] == "name  111  longer than that  2")
    }
}
