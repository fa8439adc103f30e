// The processes of a run: our own program again. Each holds the reading end of a pipe as its standard input; when we are
// gone, so are they.

import CNotifyctl
import Glibc
import NotifyLock

/// Starts the processes of a run and hears of their ends.
final class BenchWorkers: Sendable {
    private struct State {
        var running: Set<pid_t> = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let socket: String
    private let timeout: Duration
    private let spawner: Spawner
    private let lifeline: Int32
    private let state = Locked(State())

    init(socket: String, _ session: Session) {
        self.socket = socket
        timeout = session.options.connectTimeout
        spawner = Spawner(ignoresPipeSignal: session.standard.ignoresPipeSignal)
        var ends: [Int32] = [-1, -1]
        pipe2(&ends, O_CLOEXEC)
        // The writing end is never written to and never closed: its closing is the news.
        lifeline = ends[0]
        session.watch.onChildEnd { [self] in reap() }
    }

    func start(_ role: BenchWorker.Role, _ count: Int, _ run: BenchRun) throws(Failure) {
        let milliseconds = timeout.inNanoseconds / 1_000_000
        for number in 0..<count {
            let words =
                ["/proc/self/exe", "--socket=\(socket)", "--connect-timeout=\(milliseconds)ms", BenchWorker.name]
                + [role.rawValue, "\(number)"] + run.words
            let failure = state.withLock { state -> Failure? in
                do throws(Failure) {
                    state.running.insert(try spawner.start(words.map { Word($0) }, [], standardInput: lifeline))
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
        }
    }

    /// Waits until all have ended.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.running.isEmpty { return true }
                state.waiting = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Nobody tells anything any more: something was lost, and posters wait for it.
    func giveUp() -> Never {
        Diagnostics.say("bench: nothing has come for a while: messages were lost, or the daemon is stuck")
        leave(.lost)
    }

    private func reap() {
        let (waiting, trouble) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Int32?) in
            var trouble: Int32?
            for pid in state.running {
                var status: Int32 = 0
                guard waitpid(pid, &status, WNOHANG) == pid else { continue }
                state.running.remove(pid)
                if status != 0 { trouble = status }
            }
            guard state.running.isEmpty else { return (nil, trouble) }
            defer { state.waiting = nil }
            return (state.waiting, trouble)
        }
        if let trouble { end(trouble) }
        waiting?.resume()
    }

    /// A worker that fails says why; its status becomes ours.
    private func end(_ status: Int32) -> Never {
        if let code = ExitCode(rawValue: status >> 8 & 0xFF), status & 0x7F == 0 { leave(code) }
        Diagnostics.say("bench: a process of ours \(Jobs.trouble(status) ?? "ended")")
        leave(.software)
    }
}
