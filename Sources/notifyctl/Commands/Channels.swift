// `channels`: what the daemon knows of channels.

import Notify

/// Lists channels.
struct Channels: Command {
    static let name = "channels"
    static let operands = "[PATTERN]"
    static let summary = "Lists the daemon's channels, all or those that match."
    static let notes = """
        LAST: when the last message was posted; HISTORY: messages that can be replayed; BYTES: payloads posted since the
        daemon knows the channel; DISK: it is persistent. A narrow terminal shows fewer columns, --json has all.
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
        try await List.show(session, isJSON: isJSON, table: { Self.table($0, clock: WallClock()) }) {
            center throws(NotifyError) in
            try await center.channels(matching: pattern)
        }
    }

    static func table(_ channels: [NotifyCenter.ChannelInfo], clock: WallClock) -> Table {
        var table = Table([
            .init(title: "CHANNEL"), .init(title: "SEQ", isNumber: true), .init(title: "SUBSCRIPTIONS", isNumber: true),
            .init(title: "RETAINED"), .init(title: "LAST", isExtra: true),
            .init(title: "HISTORY", isNumber: true, isExtra: true),
            .init(title: "BYTES", isNumber: true, isExtra: true),
            .init(title: "DISK", isExtra: true),
        ])
        for info in channels {
            table.add([
                info.channel.rawValue, "\(info.seq)", "\(info.subscriptions)", info.retained ? "yes" : "",
                info.last.map { clock.short($0, toTheSecond: true) } ?? "", "\(info.historyMessages ?? 0)",
                Amount.bytes(Double(info.bytes ?? 0)), info.persistent == true ? "yes" : "",
            ])
        }
        return table
    }
}
