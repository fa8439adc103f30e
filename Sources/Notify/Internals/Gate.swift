// Keeps the promise "nothing after cancel". Each handler passes the gate before it starts; once the gate is closed none
// does. Between passing and the handler's first instruction lies a moment in which the thread may be stopped: who closes
// the gate waits for that, which is why the gate also runs the observer's task and so knows when a thread leaves it.

import Dispatch
import Glibc
import NotifyLock

final class Gate: TaskExecutor {
    private struct State {
        var isOpen = true
        /// The thread that passed the gate and has not come back or suspended since.
        var passing: pthread_t?
        var waiting: [DispatchSemaphore] = []
    }

    /// A handler that blocks its thread for longer has begun, and is not waited for: it might wait for us.
    static let patience = DispatchTimeInterval.milliseconds(100)

    private let state = Locked(State())
    private let activity: Activity?
    /// Whether handlers run on the main actor instead.
    private let isOfMainActor: Bool

    init(_ activity: Activity?, isOfMainActor: Bool = false) {
        self.activity = activity
        self.isOfMainActor = isOfMainActor
    }

    /// Whether the handler may start now, on this thread.
    func pass() -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.passing = pthread_self()
            return true
        }
    }

    /// The handler has returned, or its thread does something else.
    func leave() {
        let waiting = state.withLock { state -> [DispatchSemaphore] in
            guard state.passing == pthread_self() else { return [] }
            state.passing = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// No handler starts any more once this returns.
    func close() {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            state.isOpen = false
            guard let passing = state.passing, passing != pthread_self() else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        guard let semaphore else { return }
        // The main actor runs this once the handler has suspended or returned.
        if isOfMainActor { Task { @MainActor in leave() } }
        _ = semaphore.wait(timeout: .now() + Self.patience)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        activity?.begin()
        HandlerThreads.shared.run(UnownedJob(job), for: self)
    }

    /// On a thread for handlers.
    func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
        leave()
        activity?.end()
    }
}
