// `get`: the message that the daemon keeps for a channel.

import Notify

/// Shows a channel's retained message.
struct Get: Command {
    static let name = "get"
    static let operands = "CHANNEL"
    static let summary = "Shows the channel's retained message; status 1 if there is none."
    static let notes = RecordOptions.notes
    static let options = RecordOptions.table

    static func meaning(ofOperand index: Int) -> Meaning { index == 0 ? .channel : .text }

    var channel: NotifyCenter.Channel
    var records: RecordOptions

    init(_ arguments: Arguments) throws(Failure) {
        channel = try Names.channel(try arguments.operands(1...1, "CHANNEL")[0])
        records = try RecordOptions(arguments)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.connect()
        let message: NotifyCenter.RawMessage?
        do {
            message = try await center.retained(on: channel)
        } catch {
            throw Failure(error)
        }
        guard let message else { throw Failure(.refused, "nothing is retained on '\(channel)'") }
        var output = session.makeOutput()
        let printer = RecordPrinter(records, session, center)
        output.add { printer.append(message, to: &$0) }
        try output.flush()
        await session.close(center)
        return .done
    }
}
