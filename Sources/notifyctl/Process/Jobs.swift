// `listen --exec`: one run of a command per message. The next message is taken when a run may begin, so what waits is
// what the subscription's buffer holds, and its policy decides what is lost.

import CNotifyctl
import Glibc
import NotifyLock

/// Runs a command for each message, a limited number at a time.
final class Jobs: Sendable {
    private struct State {
        var running: [pid_t: String] = [:]
        var isStopped = false
        var end: Task<Void, Never>?
    }

    private let command: [Word]
    private let limit: Int
    private let slots: Slots
    private let spawner: Spawner
    private let state = Locked(State())

    init(command: [Word], limit: Int, _ session: Session) {
        self.command = command
        self.limit = limit
        slots = Slots(limit)
        spawner = Spawner(ignoresPipeSignal: session.standard.ignoresPipeSignal)
        session.watch.onChildEnd { [self] in reap() }
        // The terminal tells our whole group; what kill(2) sends to us alone, the runs have to hear from us.
        session.watch.beforeDeath { [self] signal in if signal.sent != 0 { forward(signal.number) } }
    }

    /// Waits for its turn and starts a run.
    func run(_ message: MessageFields) async throws(Failure) {
        await slots.take()
        let failure = state.withLock { state -> Failure? in
            if state.isStopped {
                slots.give()
                return nil
            }
            do throws(Failure) {
                let pid = try spawner.start(command, Self.variables(message), input: message.payload)
                state.running[pid] = "\(Printable.text(message.channel)) seq \(message.sequence)"
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Begins no more runs.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Returns when every run has ended. May be asked for more than once.
    func finish() async {
        let end = state.withLock { state in
            if let end = state.end { return end }
            let end = Task { for _ in 0..<limit { await slots.take() } }
            state.end = end
            return end
        }
        await end.value
    }

    private func forward(_ signal: Int32) {
        state.withLock { state in
            state.isStopped = true
            for pid in state.running.keys { kill(pid, signal) }
        }
    }

    private func reap() {
        let ended = state.withLock { state -> [(what: String, status: Int32)] in
            state.running.compactMap { pid, what in
                var status: Int32 = 0
                guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
                state.running[pid] = nil
                return (what, status)
            }
        }
        for run in ended {
            if let trouble = Self.trouble(run.status) {
                Diagnostics.say("listen: '\(command[0].shown)' for \(run.what) \(trouble)")
            }
            slots.give()
        }
    }

    /// What went wrong, by the status of wait(2).
    static func trouble(_ status: Int32) -> String? {
        let signal = status & 0x7F
        if signal != 0 { return "was ended by signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "ended with status \(code)"
    }

    /// The variables of a run; nil: it must not have it.
    static func variables(_ message: MessageFields) -> [(name: String, value: String?)] {
        [
            ("NOTIFY_CHANNEL", message.channel), ("NOTIFY_TYPE", message.type), ("NOTIFY_SUBJECT", message.subject),
            ("NOTIFY_SEQ", "\(message.sequence)"), ("NOTIFY_POS", "\(message.position)"),
            ("NOTIFY_EPOCH", message.epoch), ("NOTIFY_TIME", message.time),
            ("NOTIFY_PID", "\(message.pid)"), ("NOTIFY_UID", "\(message.uid)"),
            ("NOTIFY_REPLAY", message.isReplay ? "1" : nil),
            // Not ours: systemd's, and meant for whoever started us.
            ("NOTIFY_SOCKET", nil),
        ] + (DispatchLog.isSilenced ? [("LIBDISPATCH_LOG", nil)] : [])
    }
}
