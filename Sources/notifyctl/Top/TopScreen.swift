// The view of `top`: what it shows, what a key changes, and the lines for a terminal of any size. It writes nothing.

/// The state of the view, and its lines.
struct TopScreen: Sendable {
    enum Reaction: Equatable, Sendable {
        case nothing, redraw, quit
        /// Ask at the new interval.
        case retime
    }

    var model = TopModel()
    var table = TopModel.Table.channels
    /// By what each table is sorted: places in its `orders`.
    private(set) var orders = [Int](repeating: 0, count: TopModel.Table.allCases.count)
    var interval: Duration
    var isPaused = false
    var isHelpShown = false
    /// It is a terminal that takes keys.
    var hasKeys = true
    /// Why there is nothing new.
    var trouble: String?
    var style: Style
    /// What a process is called.
    var program: @Sendable (Int32) -> ProgramName = ProgramName.of

    static let shortest: Duration = .milliseconds(100)
    static let longest: Duration = .seconds(60)

    init(interval: Duration, style: Style) {
        (self.interval, self.style) = (interval, style)
    }

    var order: Int { orders[table.rawValue] }

    // MARK: Keys

    mutating func press(_ key: UInt8) -> Reaction {
        if isHelpShown, key != UInt8(ascii: "q") {
            isHelpShown = false
            return .redraw
        }
        switch key {
        case UInt8(ascii: "q"), 4: return .quit
        case UInt8(ascii: "1")...UInt8(ascii: "4"): show(Int(key - UInt8(ascii: "1")))
        case 9: show(table.rawValue + 1)
        case UInt8(ascii: "s"): orders[table.rawValue] = (order + 1) % table.orders.count
        case UInt8(ascii: "p"), UInt8(ascii: " "):
            isPaused.toggle()
            return isPaused ? .redraw : .retime
        case UInt8(ascii: "+"), UInt8(ascii: "="): return change(to: interval * 2)
        case UInt8(ascii: "-"): return change(to: interval / 2)
        case UInt8(ascii: "?"), UInt8(ascii: "h"): isHelpShown = true
        // The screen may have been written over.
        case 12: return .redraw
        default: return .nothing
        }
        return .redraw
    }

    private mutating func show(_ place: Int) {
        table = TopModel.Table(rawValue: place % TopModel.Table.allCases.count) ?? .channels
    }

    private mutating func change(to fresh: Duration) -> Reaction {
        interval = min(max(fresh, Self.shortest), Self.longest)
        return .retime
    }

    // MARK: Lines

    /// Exactly the lines that a terminal of this size has room for, none wider than it.
    func lines(columns: Int, rows: Int) -> [String] {
        let (columns, rows) = (max(1, columns), max(1, rows))
        if isHelpShown { return Array(help.prefix(rows)).map { Cells.cut($0, columns) } }
        var lines = header(columns)
        let footer = hasKeys && rows >= 8 ? [style(.dim, Cells.cut(Self.keys, columns))] : []
        let room = max(0, rows - lines.count - footer.count)
        var body = TopTable(self).lines(columns: columns, rows: room)
        body += [String](repeating: "", count: room - body.count)
        lines += body
        return Array((lines + footer).prefix(rows))
    }

    private static let keys = "q quit  1-4 Tab table  s sort  p pause  + - interval  ? help"

    private func header(_ columns: Int) -> [String] {
        let (totals, rates) = (model.latest?.totals ?? TopSample.Totals(), model.rates)
        let start = "notifyd \(totals.version)  up \(Stats.uptime(totals.uptime))"
        let first =
            totals.areTold
            ? "\(start)  clients \(totals.clients)  subscriptions \(totals.subscriptions)  channels \(totals.channels)"
            : start
        let second =
            !totals.areTold
            ? Stats.ownOnly
            : "posts \(Amount.rate(rates.posts))/s  deliveries \(Amount.rate(rates.deliveries))/s  "
                + "dropped \(Amount.rate(rates.drops))/s  refused \(Amount.rate(rates.refusals))/s  "
                + "waiting \(Amount.count(Double(totals.waiting)))  in \(Amount.bytes(rates.bytesIn))/s  "
                + "out \(Amount.bytes(rates.bytesOut))/s"
        var third = "\(table.rawValue + 1) \(table.title), by \(table.orders[order])  every \(seconds)"
        if isPaused { third += "  paused" }
        let state = trouble.map { style(.warning, Cells.cut(Cells.text($0), columns)) }
        return [
            style(.bold, Cells.cut(Cells.text(first), columns)), Cells.cut(second, columns),
            state ?? style(isPaused ? .warning : .channel, Cells.cut(third, columns)),
        ]
    }

    private var seconds: String {
        let milliseconds = UInt64(max(0, interval.inNanoseconds / 1_000_000))
        return milliseconds < 10_000 ? Amount.milliseconds(milliseconds) : "\(milliseconds / 1000)s"
    }

    private var help: [String] {
        [
            style(.bold, "notifyctl top"), "",
            "q         quit", "1, 2, 3   channels, subscriptions, posters",
            "4         accounts: of a user all connections, also those that have gone", "Tab       the next of them",
            "s         sort by the next column", "p, space  pause, go on", "+, -      look less often, more often",
            "?         this page", "",
            "Rates are of the time between the last two looks. LAG: how long the",
            "oldest message has waited. STATE: behind (reads slowly), answers (does",
            "not read them), queue (posts to a full one).", "",
            "Any key goes back.",
        ]
    }
}
