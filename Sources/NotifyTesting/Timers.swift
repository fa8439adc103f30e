// What is to be done at a time of the manual clock, at most one thing for each object.

import NotifyLock

final class Timers: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Timer {
        let time: UInt64
        /// Those of the same time go in the order in which they were set.
        let number: UInt64
        let job: Job
    }

    private struct State {
        var timers: [ObjectIdentifier: Timer] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())

    /// The job is done at this time and keeps what it needs until then; nil: it is not done.
    func set(_ time: UInt64?, for object: AnyObject, _ job: @escaping Job) {
        // Let go of an earlier job only after the lock.
        let earlier = state.withLock { state -> Timer? in
            state.lastNumber += 1
            let timer = time.map { Timer(time: $0, number: state.lastNumber, job: job) }
            defer { state.timers[ObjectIdentifier(object)] = timer }
            return state.timers[ObjectIdentifier(object)]
        }
        withExtendedLifetime(earlier) {}
    }

    var next: UInt64? { state.withLock { $0.timers.values.map(\.time).min() } }

    /// The jobs whose time has come, in their order.
    func takeDue(at now: UInt64) -> [Job] {
        state.withLock { state in
            let due = state.timers.filter { $0.value.time <= now }
            for key in due.keys { state.timers[key] = nil }
            return due.values.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.job)
        }
    }
}
