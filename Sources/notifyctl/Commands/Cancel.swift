// `cancel`: takes back a message that `post --delay` or `post --at` has left with the daemon.

import Notify

/// Cancels a scheduled post.
struct Cancel: Command {
    static let name = "cancel"
    static let operands = "SCHEDULE"
    static let summary = "Takes back a message that was to be posted later; status 1 if it is gone."
    static let notes = "SCHEDULE is the number that post -v prints for --delay and --at."

    var schedule: UInt64

    init(_ arguments: Arguments) throws(Failure) {
        let text = try arguments.operands(1...1, "SCHEDULE")[0].text("SCHEDULE")
        guard let number = UInt64(text), 1...UInt64(Int64.max) ~= number, text.utf8.first != UInt8(ascii: "+") else {
            throw .usage("'\(Printable.text(text))' is not the number of a scheduled post")
        }
        schedule = number
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.connect()
        do {
            try await center.cancel(schedule: schedule)
        } catch {
            throw Failure(error)
        }
        await session.close(center)
        return .done
    }
}
