// Counts what is under way in a test's world, so that a test can wait until nothing is: jobs of observers, readers that
// were woken and have not run yet, work of the daemon. Outside of tests there is none.
//
// The bodies of loops, and the handlers of observers, are somebody else's code, which may go where nothing is counted, and
// wait for what nobody knows of. They are noted, not counted: a task that has taken something and does not wait for a message
// or the test's clock may be on its way.

import NotifyLock

package final class Activity: Sendable {
    private struct State {
        var underWay = 0
        var begun: UInt64 = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The tasks that have taken something from a mailbox, by the mailbox.
        var bodies: [ObjectIdentifier: Int] = [:]
        /// Tasks that wait for something that is counted when it comes.
        var resting: Set<Int> = []
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

    // MARK: Somebody else's code

    /// The task that runs: a number for as long as it lives; 0: none.
    package static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    /// Whether some other task than this one may be on its way somewhere with what it has taken.
    package func hasBodyOnItsWay(except task: Int) -> Bool {
        state.withLock { state in state.bodies.values.contains { $0 != task && !state.resting.contains($0) } }
    }

    /// This task has taken something from a mailbox.
    func enterBody(of mailbox: AnyObject) {
        let task = Self.currentTask
        state.withLock { $0.bodies[ObjectIdentifier(mailbox)] = task }
    }

    /// Nobody takes anything from it any more.
    func leaveBody(of mailbox: AnyObject) {
        state.withLock { state in
            if state.bodies.removeValue(forKey: ObjectIdentifier(mailbox)) != nil { state.begun += 1 }
        }
    }

    /// This task waits for something that is counted when it comes. To be said where nothing can come in between.
    package func beginRest() {
        let task = Self.currentTask
        state.withLock { state in
            state.resting.insert(task)
            state.begun += 1
        }
    }

    /// It waits no more. To be said before that is counted no more.
    package func endRest() {
        let task = Self.currentTask
        state.withLock { _ = $0.resting.remove(task) }
    }
}
