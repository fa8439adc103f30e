// Counts what is under way in a test's world, so that a test can wait until nothing is: jobs of observers, readers that
// were woken and have not run yet, work of the daemon. Outside of tests there is none.

import NotifyLock

package final class Activity: Sendable {
    private struct State {
        var underWay = 0
        var begun: UInt64 = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// Something begins.
    package func begin() {
        state.withLock { state in
            state.underWay += 1
            state.begun += 1
        }
    }

    /// It is done, or waits for something else.
    package func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.underWay -= 1
            guard state.underWay == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// How much has begun so far: the same number at two times means that nothing has happened between them.
    package var begun: UInt64 { state.withLock { $0.begun } }

    package var isIdle: Bool { state.withLock { $0.underWay == 0 } }

    /// Waits until nothing is under way.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.underWay > 0 { state.waiting.append(continuation) }
                return state.underWay == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
