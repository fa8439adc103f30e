// A histogram for people: a line for each doubling or part of one, with a bar as long as the terminal has room for, in
// eighths of a cell.

/// Draws a histogram.
enum HistogramChart {
    /// Where a doubling is taken apart there are no more lines than this.
    private static let most = 16
    private static let shortest = 10
    private static let longest = 60

    /// Lines of at most `width` cells, unless that is too narrow for any bar.
    static func lines(_ histogram: Histogram, width: Int, style: Style) -> [String] {
        let rows =
            [4, 2].lazy.map { histogram.rows(perDoubling: $0) }.first { $0.count <= most }
            ?? histogram.rows(perDoubling: 1)
        let highest = rows.map(\.count).max() ?? 0
        var table = Table([
            .init(title: "FROM", isNumber: true), .init(title: "MESSAGES", isNumber: true),
            .init(title: "SHARE", isNumber: true),
        ])
        for row in rows {
            table.add([
                BenchReport.micros(row.from), BenchReport.grouped(row.count), share(row.count, of: histogram.count),
            ])
        }
        let labels = table.lines(width: nil, style: .plain)
        let room = width - (labels.map(Cells.width).max() ?? 0) - 2
        let cells = min(max(room, shortest), longest)
        return [labels[0]]
            + zip(labels.dropFirst(), rows).map { label, row in
                row.count == 0 ? label : label + "  " + style(.type, bar(row.count, of: highest, cells: cells))
            }
    }

    /// A bar of `cells` for `most`; however little there is, it is to be seen.
    static func bar(_ count: Int, of most: Int, cells: Int) -> String {
        let eighths = most == 0 ? 0 : max(1, (count * cells * 8 + most / 2) / most)
        let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + last
    }

    /// With one decimal; `<0.1 %` for what would be none.
    private static func share(_ count: Int, of all: Int) -> String {
        let tenths = (count * 1000 + all / 2) / max(1, all)
        return count > 0 && tenths == 0 ? "<0.1 %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
