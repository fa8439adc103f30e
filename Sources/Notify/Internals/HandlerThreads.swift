// The threads that handlers run on, apart from Swift's pool: that has one for each core, and a handler that blocks would
// hold up tasks which only await. A global queue of Dispatch would be no better: on Linux that is where Swift's pool is,
// and it gets one thread more in a second when others block.
//
// Usually there are as many as cores. When those are all held up for a moment while others wait there are more, to a
// bound; they end when nothing waits.

import Dispatch
import Glibc
import NotifyLock

final class HandlerThreads: Sendable {
    static let shared = HandlerThreads()

    /// So many handlers may block at a time; more have to wait for them.
    static let most = 64
    /// How long nobody has to have come forward before there is one thread more for each that is there.
    private static let patience = DispatchTimeInterval.milliseconds(5)

    private struct State {
        var waiting = Fifo<(job: UnownedJob, gate: Gate)>()
        var running = 0
        /// Jobs that were begun since the beginning.
        var begun: UInt64 = 0
        /// Whether somebody looks whether they come forward.
        var isWatched = false
    }

    private let usual = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    private let state = Locked(State())
    private let watchman = DispatchQueue(label: "notify.handlers")

    func run(_ job: UnownedJob, for gate: Gate) {
        let (isNew, watchFrom) = state.withLock { state -> (Bool, UInt64?) in
            state.waiting.append((job, gate))
            if state.running < usual {
                state.running += 1
                return (true, nil)
            }
            if state.isWatched || state.running >= Self.most { return (false, nil) }
            state.isWatched = true
            return (false, state.begun)
        }
        if isNew { begin() }
        if let watchFrom { watch(from: watchFrom) }
    }

    /// Serial queues get threads as they want them; a concurrent one would wait for a global queue's.
    private func begin() {
        DispatchQueue(label: "notify.handler").async { self.work() }
    }

    private func work() {
        while let (job, gate) = next() { gate.run(job) }
    }

    private func next() -> (job: UnownedJob, gate: Gate)? {
        state.withLock { state in
            guard let first = state.waiting.popFirst() else {
                state.running -= 1
                return nil
            }
            state.begun += 1
            return first
        }
    }

    private func watch(from begun: UInt64) {
        watchman.asyncAfter(deadline: .now() + Self.patience) {
            let (more, next) = self.state.withLock { state -> (Int, UInt64?) in
                var more = 0
                if state.begun == begun { more = min(state.waiting.count, state.running, Self.most - state.running) }
                state.running += more
                state.isWatched = !state.waiting.isEmpty && state.running < Self.most
                return (more, state.isWatched ? state.begun : nil)
            }
            for _ in 0..<more { self.begin() }
            if let next { self.watch(from: next) }
        }
    }
}
