// `clients`: who is connected, what it does, and whether it waits or is waited for. The name comes last, to be cut where a
// terminal is narrow.

import Notify

/// Lists connections.
struct Clients: Command {
    static let name = "clients"
    static let operands = ""
    static let summary = "Lists the daemon's connections."
    static let notes = """
        STATE: behind, it reads more slowly than it is written to; answers, it is not read from until it reads what it
        was answered; queue, it is not read from because it posts to a full queue of policy block. COMMAND and UNIT are
        what this machine's /proc says. A narrow terminal shows fewer columns, --json has all.
        """
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

    static func table(
        clock: WallClock, program: @escaping @Sendable (Int32) -> ProgramName = ProgramName.of
    ) -> @Sendable ([NotifyCenter.ClientInfo]) -> Table {
        { clients in
            var table = Table([
                .init(title: "CLIENT", isNumber: true), .init(title: "PID", isNumber: true),
                .init(title: "UID", isNumber: true), .init(title: "SINCE"), .init(title: "SUBS", isNumber: true),
                .init(title: "POSTS", isNumber: true), .init(title: "DELIVERED", isNumber: true),
                .init(title: "DROPPED", isNumber: true), .init(title: "WAITING", isNumber: true),
                .init(title: "STATE", isExtra: true), .init(title: "COMMAND", isExtra: true),
                .init(title: "LAST", isExtra: true), .init(title: "IN", isNumber: true, isExtra: true),
                .init(title: "OUT", isNumber: true, isExtra: true), .init(title: "UNIT", isExtra: true),
                .init(title: "NAME"),
            ])
            for info in clients {
                let program = program(info.pid)
                table.add([
                    "\(info.client)", "\(info.pid)", "\(info.uid)", clock.short(info.connected, toTheSecond: true),
                    "\(info.subscriptions)", "\(info.posts)", "\(info.delivered)", "\(info.dropped)",
                    "\(info.queuedMessages)", state(info), program.command ?? "",
                    info.last.map { clock.short($0, toTheSecond: true) } ?? "", bytes(info.bytesIn),
                    bytes(info.bytesOut), info.unit ?? program.unit ?? "", info.name ?? "",
                ])
            }
            return table
        }
    }

    /// Why it waits, or is waited for.
    static func state(_ info: NotifyCenter.ClientInfo) -> String {
        [info.blocked == true ? "behind" : nil, info.paused].compactMap(\.self).joined(separator: ",")
    }

    private static func bytes(_ count: UInt64?) -> String { count.map { Amount.bytes(Double($0)) } ?? "" }
}
