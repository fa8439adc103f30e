// Where elements of a sequence are handed over to the iterator of an operator. A task takes them from the sequence and
// puts them in as far as the rule has room; the iterator takes what is due, and sleeps by the clock while something is
// only going to be. What is decided is decided under the lock; tasks are resumed after it.
//
// The task belongs to the iterator: it begins with its first `next()` and is cancelled when the iterator is gone or the
// iterating task was cancelled.

import NotifyLock

final class BurstExchange<Rule: BurstRule, C: Clock, Failure: Error>: Sendable where Rule.Instant == C.Instant {
    /// Is told that it had to wait.
    typealias Wake = CheckedContinuation<Bool, Never>

    private struct State: Sendable {
        var rule: Rule
        /// Sources that may still bring something.
        var running: Int
        var failure: Failure?
        var isCancelled = false
        var tasks: [Task<Void, Never>] = []
        /// The iterator, and until when it sleeps.
        var takers: [(id: UInt64, until: Due<C.Instant>, wake: Wake)] = []
        /// Sources that wait for room.
        var givers: [(id: UInt64, wake: Wake)] = []
        var nextID: UInt64 = 0

        var isOver: Bool { running <= 0 || isCancelled }
        var due: Due<C.Instant> { rule.due(isOver: isOver) }

        /// Those who sleep for longer than they should.
        mutating func takersToWake() -> [Wake] {
            if takers.isEmpty { return [] }
            let due = isOver ? Due.now : due
            defer { takers.removeAll { due.isBefore($0.until) } }
            return takers.filter { due.isBefore($0.until) }.map(\.wake)
        }
    }

    private enum Step {
        case output(Rule.Output)
        case wait(Due<C.Instant>)
        case end
    }

    private let clock: C
    /// In tests: where iterators that were woken count until they have taken something, and tasks run that have no
    /// executor of their own.
    private let world: TestWorld?
    private let state: Locked<State>

    init(_ rule: Rule, clock: C, world: TestWorld?, sources: Int) {
        self.clock = clock
        self.world = world
        state = Locked(State(rule: rule, running: sources))
    }

    // MARK: The sources' side

    /// Brings everything that the sequence has, in a task that runs where the iterating one does: an executor that knows
    /// when its tasks have come to rest, as tests have it, knows of this one, too.
    func bring<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Rule.Input, Base.Failure == Failure {
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        let task = Task(executorPreference: executor ?? world?.executor) { [self] in
            var iterator = base.makeAsyncIterator()
            do throws(Failure) {
                while let element = try await iterator.next(isolation: nil) {
                    guard await put(element, at: clock.now) else { break }
                }
                finish(nil)
            } catch {
                finish(error)
            }
        }
        let isCancelled = state.withLock { state in
            state.tasks.append(task)
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Answers false when nothing more is wanted.
    private func put(_ element: Rule.Input, at now: C.Instant) async -> Bool {
        while true {
            let wakes = state.withLock { state -> [Wake]? in
                guard state.isCancelled || state.rule.hasRoom else { return nil }
                if !state.isCancelled { state.rule.put(element, at: now) }
                return state.takersToWake()
            }
            if let wakes {
                for wake in wakes { resume(wake) }
                return !Task.isCancelled
            }
            _ = await withCheckedContinuation { (wake: Wake) in
                let hasRoom = state.withLock { state in
                    if state.isCancelled || state.rule.hasRoom { return true }
                    state.givers.append((state.nextID, wake))
                    state.nextID += 1
                    return false
                }
                if hasRoom { wake.resume(returning: false) }
            }
        }
    }

    private func finish(_ failure: Failure?) {
        let wakes = state.withLock { state in
            state.running -= 1
            if let failure, state.failure == nil {
                state.failure = failure
                state.running = 0
            }
            return state.takersToWake()
        }
        for wake in wakes { resume(wake) }
    }

    /// Nobody takes anything any more.
    func cancel() {
        let (tasks, takers, givers) = state.withLock { state -> ([Task<Void, Never>], [Wake], [Wake]) in
            state.isCancelled = true
            defer { (state.givers, state.tasks) = ([], []) }
            return (state.tasks, state.takersToWake(), state.givers.map(\.wake))
        }
        world?.activity.leaveBody(of: self)
        for task in tasks { task.cancel() }
        for taker in takers { resume(taker) }
        for giver in givers { giver.resume(returning: true) }
    }

    // MARK: The iterator's side

    /// What is due next; nil at the end or when the task is cancelled.
    func take(isolation actor: isolated (any Actor)?) async throws(Failure) -> Rule.Output? {
        // Woken, it counts as under way until it has taken something.
        var isCounted = false
        defer { if isCounted { world?.activity.end() } }
        while !Task.isCancelled {
            let (step, givers) = state.withLock { state -> (Step, [Wake]) in
                if state.isCancelled { return (.end, []) }
                let now = clock.now
                let due = state.due
                guard due == .now || !Due.at(now).isBefore(due) else {
                    return (due == .never && state.isOver ? .end : .wait(due), [])
                }
                guard let output = state.rule.take(at: now) else { return (.end, []) }
                defer { state.givers = [] }
                return (.output(output), state.givers.map(\.wake))
            }
            for giver in givers { giver.resume(returning: true) }
            switch step {
            case .output(let output):
                world?.activity.enterBody(of: self)
                return output
            case .wait(let due):
                guard await sleep(until: due, isCounted, isolation: actor) else { continue }
                isCounted = true
                world?.activity.endRest()
            case .end:
                world?.activity.leaveBody(of: self)
                if let failure = state.withLock({ $0.failure }) { throw failure }
                return nil
            }
        }
        cancel()
        return nil
    }

    /// Answers whether there was something to wait for.
    private func sleep(until due: Due<C.Instant>, _ isCounted: Bool, isolation actor: isolated (any Actor)?) async
        -> Bool
    {
        let id = newID()
        guard case .at(let instant) = due else {
            return await wait(until: due, id, isCounted, isolation: actor)
        }
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor } == nil ? world?.executor : nil
        return await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { [clock] in
                do {
                    try await clock.sleep(until: instant, tolerance: nil)
                    self.wake(id)
                } catch {
                    // Somebody else was first.
                }
            }
            defer { group.cancelAll() }
            return await wait(until: due, id, isCounted, isolation: actor)
        }
    }

    /// Waits until something is due before `due`.
    private func wait(
        until due: Due<C.Instant>, _ id: UInt64, _ isCounted: Bool, isolation actor: isolated (any Actor)?
    ) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { wake in
                let isReady = state.withLock { state in
                    if state.isOver || Task.isCancelled || state.due.isBefore(due) {
                        return true
                    }
                    if case .at(let instant) = due, clock.now >= instant { return true }
                    state.takers.append((id, due, wake))
                    world?.activity.beginRest()
                    if isCounted { world?.activity.end() }
                    return false
                }
                if isReady { wake.resume(returning: false) }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func newID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    private func wake(_ id: UInt64) {
        let taker = state.withLock { state in
            state.takers.firstIndex { $0.id == id }.map { state.takers.remove(at: $0) }
        }
        if let taker { resume(taker.wake) }
    }

    private func resume(_ taker: Wake) {
        world?.activity.begin()
        taker.resume(returning: true)
    }
}

/// What an iterator and its copies hold: when it is gone, so are the tasks.
final class BurstHandle<Rule: BurstRule, C: Clock, Failure: Error>: Sendable where Rule.Instant == C.Instant {
    typealias Exchange = BurstExchange<Rule, C, Failure>

    private let exchange: Exchange
    private let sources: Locked<[@Sendable (Exchange) -> Void]>

    /// - Parameter sources: begin to bring elements.
    init(_ rule: Rule, clock: C, world: TestWorld?, _ sources: [@Sendable (Exchange) -> Void]) {
        exchange = Exchange(rule, clock: clock, world: world, sources: sources.count)
        self.sources = Locked(sources)
    }

    deinit {
        exchange.cancel()
    }

    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Rule.Output? {
        if Task.isCancelled {
            exchange.cancel()
            return nil
        }
        let begin = sources.withLock { sources in
            defer { sources = [] }
            return sources
        }
        for source in begin { source(exchange) }
        return try await exchange.take(isolation: actor)
    }
}
