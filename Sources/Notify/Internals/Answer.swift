// One answer that somebody waits for: decided once, asked for as often as one likes.

import NotifyLock

final class Answer: Sendable {
    private struct State {
        var result: Result<Reply, NotifyError>?
        var waiters: [(id: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var nextID = 0
    }

    /// The id of the request.
    let id: UInt64
    private let state = Locked(State())

    init(id: UInt64) {
        self.id = id
    }

    func resolve(_ result: Result<Reply, NotifyError>) {
        let waiters = state.withLock { state in
            guard state.result == nil else { return state.waiters }
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The answer, once it is there.
    ///
    /// - Throws: `cancelled` when the waiting task is cancelled; the answer may still come.
    nonisolated(nonsending) var value: Reply {
        get async throws(NotifyError) {
            // Most answers of a pipeline are there when they are asked for.
            if let result = state.withLock({ $0.result }) { return try result.get() }
            await wait()
            guard let result = state.withLock({ $0.result }) else {
                throw NotifyError(
                    .cancelled,
                    "the task was cancelled while it waited for the daemon's answer: what it asked for may have been done"
                )
            }
            return try result.get()
        }
    }

    /// Waits until the answer is there, also in a task that is cancelled.
    func isThere() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.result != nil { return true }
                state.waiters.append((0, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private nonisolated(nonsending) func wait() async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.result != nil || Task.isCancelled { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }
}
