// Tests that wait in system calls get threads of their own: Swift's pool has one per core, and a test that blocks one of
// them holds up every test that only awaits.

import Dispatch
import NotifyLock
package import Testing

/// The tests of a suite may block.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    package static var ownThreads: Self { Self() }
}

/// Runs each job on a thread of a queue that starts as many as are blocked, up to a bound.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private struct State {
        var waiting: [UnownedJob] = []
        var running = 0
    }

    /// Tests at a time: each has a daemon that works while the test waits.
    private static let width = 4
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "tests that block", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isNew = state.withLock { state in
            state.waiting.append(job)
            guard state.running < Self.width else { return false }
            state.running += 1
            return true
        }
        if isNew { queue.async { self.work() } }
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
