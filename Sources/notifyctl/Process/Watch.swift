// The main thread's only work: to wait for signals, for the reader of our output to go away, and for the time to run
// out. It never does what can block, so that Ctrl-C and `--timeout` work while everything else is stuck in a write.

import CNotifyctl
import Glibc
import NotifyLock

/// Waits for what may end the program from outside.
final class Watch: Sendable {
    private struct State {
        /// Told before the program dies by a signal.
        var beforeDeath: (@Sendable (cnotifyctl_signal) -> Void)?
        var onChildEnd: (@Sendable () -> Void)?
        var onSignal: (@Sendable (Int32) -> Void)?
        var deadlines: [Deadline] = []
    }

    /// A moment and what it brings.
    struct Deadline: Sendable {
        var name: String
        /// On the monotonic clock, in nanoseconds.
        var at: UInt64
        var action: @Sendable () -> Void
    }

    private let state = Locked(State())
    private let signals: Int32
    private let others: [Int32]
    /// An event counter: makes a sleeping watch look at its deadlines again.
    private let alarm: (read: Int32, write: Int32)

    /// Blocks the signals for this thread and all it starts: comes before anything that starts one.
    ///
    /// - Parameter others: those that somebody is told of, and that do nothing else.
    init(signals others: [Int32] = []) {
        var set = sigset_t()
        sigemptyset(&set)
        others.forEach { sigaddset(&set, $0) }
        self.others = others
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            sigaction(number, nil, &action)
            // nohup(1) and background jobs ignore on purpose.
            if !action.isIgnore { sigaddset(&set, number) }
        }
        // A parent that ignored it would have made children vanish without a status.
        signal(SIGCHLD, SIG_DFL)
        sigaddset(&set, SIGCHLD)
        signals = cnotifyctl_signals(&set)
        var ends: [Int32] = [-1, -1]
        pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
        alarm = (ends[0], ends[1])
    }

    static func now() -> UInt64 { cnotifyctl_monotonic_nanoseconds() }

    /// Runs `action` after `duration`, or that long after the last call with this name. Later only: it never comes early.
    func set(_ name: String, after duration: Duration, action: @escaping @Sendable () -> Void) {
        let deadline = Deadline(name: name, at: Self.now() + UInt64(duration.inNanoseconds), action: action)
        let isNew = state.withLock { state in
            if let index = state.deadlines.firstIndex(where: { $0.name == name }) {
                state.deadlines[index] = deadline
                return false
            }
            state.deadlines.append(deadline)
            return true
        }
        if isNew { wake() }
    }

    func cancel(_ name: String) { state.withLock { $0.deadlines.removeAll { $0.name == name } } }

    func onSignal(_ action: (@Sendable (Int32) -> Void)?) { state.withLock { $0.onSignal = action } }

    func beforeDeath(_ action: (@Sendable (cnotifyctl_signal) -> Void)?) {
        state.withLock { $0.beforeDeath = action }
    }

    func onChildEnd(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChildEnd = action } }

    /// Watches for ever. `reader`: the descriptor whose reader is to be missed.
    func run(reader: Int32?, onReaderGone: () -> Void) -> Never {
        var descriptors = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm.read, events: Int16(POLLIN), revents: 0),
            // No event is asked for: errors and hang-ups are told unasked.
            pollfd(fd: reader ?? -1, events: 0, revents: 0),
        ]
        while true {
            let due = takeDue()
            due.forEach { $0.action() }
            if poll(&descriptors, nfds_t(descriptors.count), timeout()) <= 0 { continue }
            if descriptors[1].revents != 0 { drainAlarm() }
            if descriptors[0].revents != 0 { handleSignals() }
            if descriptors[2].revents != 0 {
                descriptors[2].fd = -1
                onReaderGone()
            }
        }
    }

    private func takeDue() -> [Deadline] {
        let now = Self.now()
        return state.withLock { state in
            let due = state.deadlines.filter { $0.at <= now }
            state.deadlines.removeAll { $0.at <= now }
            return due
        }
    }

    /// Milliseconds to the next deadline, rounded up; -1: there is none.
    private func timeout() -> Int32 {
        guard let next = state.withLock({ $0.deadlines.map(\.at).min() }) else { return -1 }
        let now = Self.now()
        return next <= now ? 0 : Int32(clamping: (next - now + 999_999) / 1_000_000)
    }

    private func handleSignals() {
        while case let signal = cnotifyctl_next_signal(signals), signal.number != 0 {
            if signal.number == SIGCHLD {
                state.withLock { $0.onChildEnd }?()
            } else if others.contains(signal.number) {
                state.withLock { $0.onSignal }?(signal.number)
            } else {
                state.withLock { $0.beforeDeath }?(signal)
                Self.die(by: signal.number)
            }
        }
    }

    /// Ends as the signal ends a program, so that a shell sees it and stops its loop.
    private static func die(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        _exit(128 + number)
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = write(alarm.write, &byte, 1)
    }

    private func drainAlarm() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(alarm.read, &bytes, bytes.count) > 0 {}
    }
}
