// `clients`: who is connected. The name comes last, to be cut where a terminal is narrow.

import Notify

/// Lists connections.
struct Clients: Command {
    static let name = "clients"
    static let operands = ""
    static let summary = "Lists the daemon's connections."
    static let options: [Option] = [.json]

    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        _ = try arguments.operands(0...0, "")
        isJSON = arguments.has(.json)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        try await List.show(session, isJSON: isJSON, table: Self.table(clock: WallClock())) {
            center throws(NotifyError) in try await center.clients()
        }
    }

    static func table(clock: WallClock) -> @Sendable ([NotifyCenter.ClientInfo]) -> Table {
        { clients in
            var table = Table([
                .init(title: "CLIENT", isNumber: true), .init(title: "PID", isNumber: true),
                .init(title: "UID", isNumber: true), .init(title: "SINCE"), .init(title: "SUBS", isNumber: true),
                .init(title: "POSTS", isNumber: true), .init(title: "DELIVERED", isNumber: true),
                .init(title: "DROPPED", isNumber: true), .init(title: "WAITING", isNumber: true),
                .init(title: "NAME"),
            ])
            for info in clients {
                table.add([
                    "\(info.client)", "\(info.pid)", "\(info.uid)", clock.short(info.connected, toTheSecond: true),
                    "\(info.subscriptions)", "\(info.posts)", "\(info.delivered)", "\(info.dropped)",
                    "\(info.queuedMessages)", info.name ?? "",
                ])
            }
            return table
        }
    }
}
