// The rows of `top` in columns of cells: numbers on the right have their width, the name on the left has the rest. Where
// that is too little, numbers are left out, the last first.

/// The shown table of the view.
struct TopTable {
    private struct Column {
        var title: String
        var width: Int
    }

    private let screen: TopScreen
    private let name: String
    private let columns: [Column]
    private let count: Int
    /// The cells of a row, the name first.
    private let cells: (Int) -> [String]

    init(_ screen: TopScreen) {
        self.screen = screen
        let names = screen.program
        switch screen.table {
        case .channels:
            name = "CHANNEL"
            columns = [
                .init(title: "POSTS/s", width: 8), .init(title: "BYTES/s", width: 8), .init(title: "DELIV/s", width: 8),
                .init(title: "SUBS", width: 6),
            ]
            let rows = screen.model.channels(order: screen.order)
            count = rows.count
            cells = { index in
                let row = rows[index]
                return [
                    row.channel, Amount.rate(row.posts), Amount.bytes(row.bytes), Amount.rate(row.deliveries),
                    Amount.count(Double(row.subscriptions)),
                ]
            }
        case .subscriptions:
            name = "PATTERN"
            columns = [
                .init(title: "WAITING", width: 8), .init(title: "LAG", width: 6), .init(title: "DROPS/s", width: 8),
                .init(title: "DELIV/s", width: 8), .init(title: "PID", width: 8), .init(title: "COMMAND", width: 16),
            ]
            let rows = screen.model.subscriptions(order: screen.order)
            count = rows.count
            cells = { index in
                let row = rows[index]
                return [
                    row.pattern, Amount.count(Double(row.waiting)),
                    row.waiting > 0 ? Amount.milliseconds(row.lagMilliseconds) : "", Amount.rate(row.drops),
                    Amount.rate(row.deliveries), "\(row.pid)", names(row.pid).command ?? "",
                ]
            }
        case .posters:
            name = "COMMAND"
            columns = [
                .init(title: "POSTS/s", width: 8), .init(title: "IN/s", width: 7), .init(title: "OUT/s", width: 7),
                .init(title: "PID", width: 8), .init(title: "UID", width: 6), .init(title: "STATE", width: 8),
                .init(title: "UNIT", width: 20),
            ]
            let rows = screen.model.posters(order: screen.order) { names($0).command ?? "" }
            count = rows.count
            cells = { index in
                let row = rows[index]
                let program = names(row.pid)
                // Its own name, where the machine does not say one, or another one.
                let command = program.command ?? ""
                let shown = row.name.isEmpty || row.name == command ? command : "\(command) (\(row.name))"
                return [
                    shown, Amount.rate(row.posts), Amount.bytes(row.bytesIn), Amount.bytes(row.bytesOut), "\(row.pid)",
                    "\(row.uid)", row.state, program.unit ?? "",
                ]
            }
        case .accounts:
            name = "ACCOUNT"
            columns = [
                .init(title: "POSTS/s", width: 8), .init(title: "IN/s", width: 8), .init(title: "REFUSED/s", width: 10),
                .init(title: "CLIENTS", width: 8),
            ]
            let rows = screen.model.accounts(order: screen.order)
            count = rows.count
            cells = { index in
                let row = rows[index]
                return [
                    row.name, Amount.rate(row.posts), Amount.bytes(row.bytesIn), Amount.rate(row.refusals),
                    Amount.count(Double(row.clients)),
                ]
            }
        }
    }

    private static let leastName = 12

    /// At most so many lines, the heading among them.
    func lines(columns width: Int, rows: Int) -> [String] {
        guard rows > 0 else { return [] }
        var shown = columns
        while !shown.isEmpty, shown.reduce(Self.leastName, { $0 + $1.width + 1 }) > width { shown.removeLast() }
        let nameWidth = width - shown.reduce(0) { $0 + $1.width + 1 }
        func line(_ cells: [String]) -> String {
            let rest = zip(cells.dropFirst(), shown).map { " " + Cells.fit(Cells.text($0), $1.width, toTheRight: true) }
            return Cells.fit(Cells.text(cells.first ?? ""), nameWidth) + rest.joined()
        }
        let heading = screen.style(.bold, line([name] + columns.map(\.title)))
        return [heading] + (0..<min(count, rows - 1)).map { line(cells($0)) }
    }
}
