// What a daemon in memory has to do, one thing at a time. It has no thread: whoever brings work does it, and what others
// bring meanwhile.

import Notify
import NotifyLock

final class WorkList: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let activity: Activity

    init(activity: Activity) {
        self.activity = activity
    }

    /// Adds a job and does what there is to do.
    func add(_ job: @escaping Job) {
        addLater(job)
        run()
    }

    /// Adds a job for the next `run`. Until then it counts as under way.
    func addLater(_ job: @escaping Job) {
        activity.begin()
        state.withLock { $0.jobs.append(job) }
    }

    func run() {
        let isMine = state.withLock { state in
            if state.isRunning { return false }
            state.isRunning = true
            return true
        }
        guard isMine else { return }
        while var jobs = takeAll() {
            jobs.reverse()
            while !jobs.isEmpty {
                // Done when it is done, and what it held let go.
                do {
                    let job = jobs.removeLast()
                    job()
                }
                activity.end()
            }
        }
    }

    /// All that has to be done; nil, and nobody runs any more, when there is nothing.
    private func takeAll() -> [Job]? {
        state.withLock { state in
            if state.jobs.isEmpty {
                state.isRunning = false
                return nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
