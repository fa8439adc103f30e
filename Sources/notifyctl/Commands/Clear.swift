// `clear`: makes the daemon forget what it keeps for a channel.

import Notify

/// Forgets a channel's retained message.
struct Clear: Command {
    static let name = "clear"
    static let operands = "CHANNEL"
    static let summary = "Forgets the channel's retained message; status 0, too, if there is none."

    static func meaning(ofOperand index: Int) -> Meaning { index == 0 ? .channel : .text }

    var channel: NotifyCenter.Channel

    init(_ arguments: Arguments) throws(Failure) {
        channel = try Names.channel(try arguments.operands(1...1, "CHANNEL")[0])
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.connect()
        do {
            try await center.clearRetained(on: channel)
        } catch {
            throw Failure(error)
        }
        await session.close(center)
        return .done
    }
}
