// A clock that goes on when a test says so, and knows who sleeps by it.

import NotifyLock

final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [(id: Int, until: Instant, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.now >= deadline { return true }
                    state.sleepers.append((id, deadline, wake))
                    return false
                }
                if isOver { wake.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.wake.resume()
        }
        try Task.checkCancellation()
    }

    /// Sets it to so many milliseconds since its beginning.
    func set(_ milliseconds: Int) {
        let woken = state.withLock { state in
            state.now = Instant(offset: .milliseconds(milliseconds))
            let now = state.now
            defer { state.sleepers.removeAll { $0.until <= now } }
            return state.sleepers.filter { $0.until <= now }
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    /// Waits until somebody sleeps until exactly then.
    func sleeper(until milliseconds: Int) async {
        while !state.withLock({ $0.sleepers.contains { $0.until.offset == .milliseconds(milliseconds) } }) {
            await Task.yield()
        }
    }

    var sleeperCount: Int { state.withLock { $0.sleepers.count } }
}
