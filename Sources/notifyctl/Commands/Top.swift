// `top`: what goes on, live on a terminal, or as one look for a pipe.

import FoundationEssentials
import Glibc
import Notify

/// Shows the busiest channels, the slowest subscriptions, the loudest posters and accounts.
struct Top: Command {
    static let name = "top"
    static let operands = ""
    static let summary = "Shows the busiest channels, the slowest subscriptions and the loudest posters, live."
    static let notes = """
        Keys: q quit, 1 to 4 or Tab another table, s sort by another column, p pause, + and - interval, ? help.
        In a pipe, with --json, or with TERM=dumb: one look, over one interval. COMMAND and UNIT are what this machine's
        /proc says of the process. Posters that connect for each post show as accounts alone (4).
        A daemon with many clients is asked less often.
        """
    static let options: [Option] = [.interval, .json]
    static let watchedSignals = [SIGWINCH, SIGTSTP, SIGCONT]

    private static let rowsInPipe = 10

    var interval: Duration
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        _ = try arguments.operands(0...0, "")
        interval = try arguments.duration(.interval) ?? .seconds(2)
        guard TopScreen.shortest...TopScreen.longest ~= interval else {
            throw .usage("--interval: must be from 100ms to 60s")
        }
        isJSON = arguments.has(.json)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let isLive =
            !isJSON && Terminal.isThere(STDIN_FILENO) && Terminal.isThere(STDOUT_FILENO)
            && Terminal.environment("TERM") != "dumb"
        let center = try await session.open(reconnects: isLive)
        let screen = TopScreen(interval: interval, style: session.style)
        if isLive {
            try await TopView(session, center).run(screen)
        } else {
            try await printOnce(session, center)
        }
        await session.close(center)
        return .done
    }

    private func printOnce(_ session: Session, _ center: NotifyCenter) async throws(Failure) {
        var model = TopModel()
        do throws(NotifyError) {
            model.add(try await TopSample(center, now: Watch.now))
            try? await Task.sleep(for: interval)
            model.add(try await TopSample(center, now: Watch.now))
        } catch {
            throw Failure(error)
        }
        var output = session.makeOutput()
        if isJSON {
            output.add(exact: try List.json(TopReport(model)) + "\n")
        } else {
            for (index, table) in TopModel.Table.allCases.enumerated() {
                var screen = TopScreen(interval: interval, style: session.style)
                (screen.model, screen.table, screen.hasKeys) = (model, table, false)
                let lines = screen.lines(columns: Self.columnsInPipe, rows: 3 + 1 + Self.rowsInPipe)
                // The totals once.
                for line in index == 0 ? lines[...] : lines.dropFirst(2) where !line.allSatisfy({ $0 == " " }) {
                    output.add(line: String(line.reversed().drop { $0 == " " }.reversed()))
                }
            }
        }
        try output.flush()
    }

    private static let columnsInPipe = 100
}

/// The same for programs.
struct TopReport: Encodable {
    var version: String
    /// Seconds between the two looks.
    var interval: Double
    /// nil: we may not know them.
    var rates: TopModel.Rates?
    var channels: [TopModel.ChannelRow]
    var subscriptions: [TopModel.SubscriptionRow]
    var posters: [TopModel.PosterRow]
    var accounts: [TopModel.AccountRow]

    init(_ model: TopModel) {
        version = model.latest?.totals.version ?? ""
        interval = model.interval ?? 0
        rates = model.latest?.totals.areTold == false ? nil : model.rates
        (channels, subscriptions) = (model.channels(), model.subscriptions())
        (posters, accounts) = (model.posters(), model.accounts())
    }

    enum CodingKeys: String, CodingKey {
        case version, rates, channels, subscriptions, posters, accounts
        case interval = "interval_s"
    }
}

extension Option {
    static let interval = Option("interval", short: "n", .required("DUR"), help: "how often to look (default 2s)")
}
