// Tables for people: columns as wide as their longest cell, numbers to the right. On a terminal columns that one can do
// without are left out, the last first, and then the widest text column gives way, so that a row stays a row.

/// A table of text.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
        /// It is left out where there is no room for it.
        var isExtra = false
    }

    var columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has \(cells.count) cells, the table \(columns.count) columns")
        rows.append(cells.map { Cells.text($0) })
    }

    /// The table's lines; `width` is the terminal's, nil for a file.
    func lines(width: Int?, style: Style) -> [String] {
        let all = [columns.map(\.title)] + rows
        var widths = columns.indices.map { column in all.map { Cells.width($0[column]) }.max() ?? 0 }
        var shown = Array(columns.indices)
        if let width {
            while least(widths, of: shown) > width, let extra = shown.lastIndex(where: { columns[$0].isExtra }) {
                shown.remove(at: extra)
            }
            shrink(&widths, of: shown, to: width)
        }
        return all.enumerated().map { index, row in
            let cells = shown.map { Cells.fit(row[$0], widths[$0], toTheRight: columns[$0].isNumber) }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return index == 0 ? style(.bold, line) : line
        }
    }

    /// A text column is never narrower: that tells rows apart.
    private static let leastText = 8

    /// The width of these columns, the text in them cut.
    private func least(_ widths: [Int], of shown: [Int]) -> Int {
        let least = shown.map { columns[$0].isNumber ? widths[$0] : min(widths[$0], Self.leastText) }
        return least.reduce(0, +) + 2 * (shown.count - 1)
    }

    /// Takes from the widest text column again and again.
    private func shrink(_ widths: inout [Int], of shown: [Int], to width: Int) {
        while shown.reduce(0, { $0 + widths[$1] }) + 2 * (shown.count - 1) > width {
            let candidates = shown.filter { !columns[$0].isNumber && widths[$0] > Self.leastText }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
        }
    }
}
