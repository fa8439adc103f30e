// `bench` starts its own program with these words for each of its processes; nobody else does, so they are in no help.
// The worker ends when its standard input does: then the process that started it is gone.

import Notify

/// A poster or a listener of `bench`.
struct BenchWorker: Command {
    static let name = "bench-worker"
    static let operands = "ROLE NUMBER RUN…"
    static let summary = "A process of bench."
    static let isWorker = true

    enum Role: String, Sendable { case poster, listener }

    let role: Role
    let number: Int
    let run: BenchRun

    init(_ arguments: Arguments) throws(Failure) {
        let words = try arguments.operands(8...8, "RUN").map { word throws(Failure) in try word.text("a word") }
        guard let role = Role(rawValue: words[0]), let number = Int(words[1]) else {
            throw .usage("'\(words[0])' '\(words[1])' is no worker")
        }
        self.role = role
        self.number = number
        run = try BenchRun(words.dropFirst(2))
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        BenchChannels.use(run)
        // A refused post or subscription brings no message that anybody waits for; so it is the end at once.
        let center = session.makeCenter { diagnostic in
            guard case .refused(let error) = diagnostic else { return }
            let failure = Failure(error)
            if let text = failure.text { Diagnostics.say("bench: \(text)") }
            leave(failure.status)
        }
        do {
            switch role {
            case .poster:
                var poster = BenchPoster(run, center)
                try await poster.work()
            case .listener:
                try await BenchListener(run: run, number: number, center: center).work()
            }
        } catch {
            throw Failure(error)
        }
        await session.close(center)
        return .done
    }
}
