// Tables for people: columns as wide as their longest cell, numbers to the right. On a terminal the widest text column
// gives way, so that a row stays a row.

/// A table of text.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
    }

    var columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has \(cells.count) cells, the table \(columns.count) columns")
        rows.append(cells.map { Printable.text($0) })
    }

    /// The table's lines; `width` is the terminal's, nil for a file.
    func lines(width: Int?, style: Style) -> [String] {
        let all = [columns.map(\.title)] + rows
        var widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        if let width { shrink(&widths, to: width) }
        return all.enumerated().map { index, row in
            let cells = zip(row, zip(columns, widths)).map { cell, layout in
                Self.fit(cell, layout.1, toTheRight: layout.0.isNumber)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return index == 0 ? style(.bold, line) : line
        }
    }

    /// Takes from the widest text column again and again, but never below what tells rows apart.
    private func shrink(_ widths: inout [Int], to width: Int) {
        let least = 8
        while widths.reduce(0, +) + 2 * (widths.count - 1) > width {
            let candidates = widths.indices.filter { !columns[$0].isNumber && widths[$0] > least }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
        }
    }

    private static func fit(_ cell: String, _ width: Int, toTheRight: Bool) -> String {
        if cell.count > width { return cell.prefix(width - 1) + "…" }
        let padding = String(repeating: " ", count: width - cell.count)
        return toTheRight ? padding + cell : cell + padding
    }
}
