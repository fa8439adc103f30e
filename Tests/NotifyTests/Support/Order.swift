// Witnesses for what happens elsewhere: a strictly rising row of numbers, and an event that can be awaited.

import NotifyLock

/// Notes numbers, and whether each was one more than the one before.
final class Order: Sendable {
    private struct State {
        var last = 0
        var count = 0
        var isRising = true
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let end: Int

    /// - Parameter end: how many numbers to wait for in `result`.
    init(until end: Int) {
        self.end = end
    }

    func note(_ number: Int) async {
        noteNow(number)
    }

    func noteNow(_ number: Int) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if number != state.last + 1 { state.isRising = false }
            state.last = number
            state.count += 1
            guard state.count == end else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    var count: Int { state.withLock { $0.count } }

    /// How many numbers came and whether they were in order; waits until there are enough.
    func result() async -> (Int, Bool) {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count >= end { return true }
                state.waiters.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { ($0.count, $0.isRising) }
    }
}

/// Happens once; whoever waits goes on then.
final class Event: Sendable {
    private struct State {
        var hasHappened = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func signal() {
        let waiters = state.withLock { state in
            state.hasHappened = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.hasHappened { return true }
                state.waiters.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
