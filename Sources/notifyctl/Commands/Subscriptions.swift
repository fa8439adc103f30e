// `subscriptions`: who listens to what, and how far behind.

import Notify

/// Lists subscriptions.
struct Subscriptions: Command {
    static let name = "subscriptions"
    static let operands = "[PATTERN]"
    static let summary = "Lists subscriptions, all or those whose pattern has a channel in common with PATTERN."
    static let notes = """
        LAG: for how long the oldest message has waited; GROUP: who shares its messages; EVERY: at most one message of a
        channel and subject in this time. A narrow terminal shows fewer columns, --json has all.
        """
    static let options: [Option] = [.json]

    static func meaning(ofOperand index: Int) -> Meaning { index == 0 ? .pattern : .text }

    var pattern: NotifyCenter.Pattern?
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        pattern = try arguments.operands(0...1, "").first.map { word throws(Failure) in try Names.pattern(word) }
        isJSON = arguments.has(.json)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        try await List.show(session, isJSON: isJSON, table: Self.table) { center throws(NotifyError) in
            try await center.subscriptions(matching: pattern)
        }
    }

    static func table(_ subscriptions: [NotifyCenter.SubscriptionInfo]) -> Table {
        var table = Table([
            .init(title: "CLIENT", isNumber: true), .init(title: "PID", isNumber: true),
            .init(title: "UID", isNumber: true), .init(title: "PATTERN"), .init(title: "TYPE"),
            .init(title: "SUBJECT"), .init(title: "BUFFER"), .init(title: "WAITING", isNumber: true),
            .init(title: "DELIVERED", isNumber: true), .init(title: "DROPPED", isNumber: true),
            .init(title: "LAG", isNumber: true, isExtra: true), .init(title: "GROUP", isExtra: true),
            .init(title: "EVERY", isNumber: true, isExtra: true),
        ])
        for info in subscriptions.sorted(by: { ($0.client, $0.sub) < ($1.client, $1.sub) }) {
            table.add([
                "\(info.client)", "\(info.pid)", "\(info.uid)", info.channel, info.type ?? "", info.subject ?? "",
                "\(info.policy):\(info.messages)", "\(info.queuedMessages)", "\(info.delivered)", "\(info.dropped)",
                info.queuedMessages > 0 ? Amount.milliseconds(info.lagMilliseconds ?? 0) : "", info.group ?? "",
                info.minimumIntervalMilliseconds.map(Amount.milliseconds) ?? "",
            ])
        }
        return table
    }
}
