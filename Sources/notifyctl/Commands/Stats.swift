// `stats`: the daemon's counters.

import FoundationEssentials
import Glibc
import Notify

/// Shows the daemon's counters.
struct Stats: Command {
    static let name = "stats"
    static let operands = ""
    static let summary = "Shows the daemon's counters."
    static let notes = """
        They are everybody's, which needs the right 'observe' on $notifyd.accounts. Without it there is only what is one's
        own: what one's account uses, and how much it may.
        """
    static let options: [Option] = [.json, .openMetrics]

    enum Shape { case table, json, openMetrics }

    var shape = Shape.table

    init(_ arguments: Arguments) throws(Failure) {
        _ = try arguments.operands(0...0, "")
        try arguments.exclude([.json, .openMetrics])
        if arguments.has(.json) { shape = .json }
        if arguments.has(.openMetrics) { shape = .openMetrics }
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.connect()
        let statistics: NotifyCenter.Statistics
        do {
            statistics = try await center.statistics()
        } catch {
            throw Failure(error)
        }
        if !statistics.hasTotals { Diagnostics.say("stats: \(Self.ownOnly)") }
        var output = session.makeOutput()
        switch shape {
        case .json: output.add(exact: String(decoding: statistics.json, as: UTF8.self) + "\n")
        case .openMetrics: output.add(exact: OpenMetrics.text(statistics))
        case .table:
            let lines = Self.table(statistics).lines(width: Terminal.width(STDOUT_FILENO), style: session.style)
            lines.dropFirst().forEach { output.add(line: $0) }
        }
        try output.flush()
        await session.close(center)
        return .done
    }

    /// Why there are no totals.
    static let ownOnly = "only your own: no right 'observe' on '$notifyd.accounts'"

    static func table(_ statistics: NotifyCenter.Statistics) -> Table {
        var table = Table([.init(title: ""), .init(title: "", isNumber: true)])
        table.add(["version", statistics.version])
        table.add(["epoch", statistics.epoch])
        table.add(["position", "\(statistics.pos)"])
        table.add(["uptime", Self.uptime(statistics.uptime)])
        for metric in OpenMetrics.metrics(statistics) {
            table.add([metric.title, "\(metric.value)"])
            for (name, value) in (metric.parts?.values ?? [:]).sorted(by: { $0.key < $1.key }) where value > 0 {
                table.add(["  \(name)", "\(value)"])
            }
        }
        if !statistics.hasTotals {
            for figure in AccountUse.all(statistics).first?.figures ?? [] {
                table.add(["own \(figure.name)", "\(figure.value)"])
            }
        }
        return table
    }

    /// `2d 3h 4m 5s`, without leading zeros.
    static func uptime(_ seconds: Double) -> String {
        let total = Int(min(max(0, seconds), 1e12))
        let parts = [(total / 86400, "d"), (total / 3600 % 24, "h"), (total / 60 % 60, "m"), (total % 60, "s")]
        let shown = parts.drop { $0.0 == 0 }
        return shown.isEmpty ? "0s" : shown.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

extension Option {
    static let openMetrics = Option("openmetrics", help: "OpenMetrics text, for a textfile collector")
}
