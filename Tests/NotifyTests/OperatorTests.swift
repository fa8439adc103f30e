// Operators for bursts, on a clock that is set by hand: what comes, when, and that nothing is left behind.

import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(1)))
struct OperatorTests {
    let clock = ManualClock()
    let source = Handover(Int.self)

    // MARK: debounce

    @Test func `debounce gives the last of a burst after the quiet`() async {
        let results = Results(source.debounce(for: .milliseconds(10), clock: clock))
        await source.send(1)
        await clock.sleeper(until: 10)
        clock.set(5)
        await source.send(2)
        clock.set(10)
        await clock.sleeper(until: 15)
        #expect(results.now == [])
        clock.set(14)
        #expect(clock.sleeperCount == 1)
        clock.set(15)
        #expect(await results.next() == 2)
        await source.send(3)
        await clock.sleeper(until: 25)
        await source.end()
        #expect(await results.next() == 3)
        #expect(await results.next() == nil)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `debounce counts from when an element came, not from when somebody asked`() async {
        var iterator = source.debounce(for: .milliseconds(10), clock: clock).makeAsyncIterator()
        async let burst: Void = {
            await source.send(1)
            await clock.sleeper(until: 10)
            clock.set(10)
        }()
        #expect(await iterator.next() == 1)
        await burst
        await source.send(2)
        clock.set(20)
        #expect(await iterator.next() == 2)
    }

    // MARK: throttle

    @Test func `throttle gives the first at once and the last of each interval`() async {
        let results = Results(source.throttle(for: .milliseconds(10), clock: clock))
        await source.send(1)
        #expect(await results.next() == 1)
        clock.set(1)
        await source.send(2)
        await clock.sleeper(until: 10)
        await source.send(3)
        #expect(results.now == [])
        clock.set(10)
        #expect(await results.next() == 3)
        // Nothing pushes the last one but the clock; after a quiet interval the next goes at once.
        clock.set(30)
        await source.send(4)
        #expect(await results.next() == 4)
        await source.send(5)
        await clock.sleeper(until: 40)
        await source.end()
        #expect(await results.next() == 5)
        #expect(await results.next() == nil)
    }

    // MARK: batches

    @Test func `batches are full, or as old as they may get`() async {
        let results = Results(source.batches(ofCount: 3, or: .milliseconds(10), clock: clock))
        await source.send(1)
        await clock.sleeper(until: 10)
        clock.set(4)
        await source.send(2)
        clock.set(10)
        #expect(await results.next() == [1, 2])
        for number in 3...5 { await source.send(number) }
        #expect(await results.next() == [3, 4, 5])
        await source.send(6)
        await clock.sleeper(until: 20)
        await source.end()
        #expect(await results.next() == [6])
        #expect(await results.next() == nil)
    }

    @Test func `a batch that nobody takes grows to its count and no further`() async {
        var iterator = source.batches(ofCount: 2, or: .milliseconds(10), clock: clock).makeAsyncIterator()
        async let two: Void = {
            await source.send(1)
            await source.send(2)
        }()
        #expect(await iterator.next() == [1, 2])
        await two
        await source.send(3)
        await source.send(4)
        // The fifth is taken from the sequence, and there is no room for it.
        await source.hand(5)
        let requests = source.requests
        #expect(await iterator.next() == [3, 4])
        while source.requests == requests { await Task.yield() }
        clock.set(10)
        #expect(await iterator.next() == [5])
    }

    @Test func `a batch of nothing stops the program with a sentence`() async {
        await #expect(processExitsWith: .failure) {
            _ = Handover(Int.self).batches(ofCount: 0, or: .seconds(1))
        }
        _ = source.batches(ofCount: 1, or: .seconds(1))
    }

    // MARK: removeDuplicates, merge

    @Test func `removeDuplicates leaves out what is as the one before`() async {
        let results = Results(source.removeDuplicates())
        for number in [1, 1, 2, 2, 1, 1] { await source.send(number) }
        await source.end()
        for expected in [1, 2, 1, nil] { #expect(await results.next() == expected) }
        let tens = Handover(Int.self)
        let rounded = Results(tens.removeDuplicates { $0 / 10 == $1 / 10 })
        for number in [11, 12, 21, 13] { await tens.send(number) }
        await tens.end()
        for expected in [11, 21, 13, nil] { #expect(await rounded.next() == expected) }
    }

    @Test func `merge gives what each has, and ends with both`() async {
        let other = Handover(Int.self)
        let results = Results(NotifyCenter.merge(source, other))
        await source.send(1)
        #expect(await results.next() == 1)
        await other.send(2)
        #expect(await results.next() == 2)
        await source.end()
        await other.send(3)
        #expect(await results.next() == 3)
        await other.end()
        #expect(await results.next() == nil)
    }

    @Test func `merge takes one of each and no more`() {
        var rule = MergeRule<Int, ManualClock.Instant>()
        for number in 1...2 {
            #expect(rule.hasRoom)
            rule.put(number, at: clock.now)
        }
        #expect(!rule.hasRoom)
        #expect(rule.take(at: clock.now) == 1)
        #expect(rule.hasRoom)
    }

    // MARK: Ends

    @Test func `an error comes after what came before it`() async throws {
        let failing = Handover(Int.self, failure: NotifyError.self)
        var iterator = failing.debounce(for: .milliseconds(10), clock: clock).makeAsyncIterator()
        async let ending: Void = {
            await failing.send(1)
            await failing.fail(NotifyError(.overflow, "too slow"))
        }()
        #expect(try await iterator.next() == 1)
        await ending
        let error = await #expect(throws: NotifyError.self) { try await iterator.next() }
        #expect(error?.code == .overflow)
        let merged = NotifyCenter.merge(failing, Handover(Int.self, failure: NotifyError.self))
        let sum = Task { try await merged.reduce(0, +) }
        await failing.fail(NotifyError(.denied, "no"))
        let thrown = await #expect(throws: NotifyError.self) { try await sum.value }
        #expect(thrown?.code == .denied)
    }

    @Test func `a task that is cancelled while it waits ends, and leaves nobody waiting`() async {
        weak var gone: Handover<Int, Never>?
        do {
            let source = Handover(Int.self)
            gone = source
            let debounced = source.debounce(for: .milliseconds(10), clock: clock)
            let sleeping = Task { await debounced.reduce(0, +) }
            await source.send(1)
            await clock.sleeper(until: 10)
            sleeping.cancel()
            #expect(await sleeping.value == 0)
        }
        while gone != nil { await Task.yield() }
        do {
            let (source, other) = (Handover(Int.self), Handover(Int.self))
            gone = source
            let merged = NotifyCenter.merge(source.debounce(for: .zero).throttle(for: .zero), other)
            let waiting = Task { await merged.reduce(0, +) }
            while source.requests == 0 || other.requests == 0 { await Task.yield() }
            waiting.cancel()
            #expect(await waiting.value == 0)
        }
        while gone != nil { await Task.yield() }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `an iterator that is let go leaves nobody waiting`() async {
        weak var gone: Handover<Int, Never>?
        do {
            let source = Handover(Int.self)
            gone = source
            var iterator = source.batches(ofCount: 1, or: .seconds(1), clock: clock).makeAsyncIterator()
            async let one: Void = source.send(1)
            #expect(await iterator.next() == [1])
            await one
            await source.send(2)
            // Has no room, and waits.
            await source.hand(3)
        }
        while gone != nil { await Task.yield() }
    }

    @Test func `iteration in a cancelled task ends before anything is taken`() async {
        let sequences = (source.debounce(for: .seconds(1)), NotifyCenter.merge(source, source))
        let count = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await sequences.0.reduce(0, +) + sequences.1.reduce(0, +)
        }.value
        #expect(count == 0)
        #expect(source.requests == 0)
    }

    @MainActor @Test func `on the main actor, too`() async {
        let results = Results(source.throttle(for: .seconds(1), clock: clock).removeDuplicates())
        await source.send(1)
        #expect(await results.next() == 1)
        let other = Handover(Int.self)
        var iterator = other.batches(ofCount: 2, or: .milliseconds(1), clock: clock).makeAsyncIterator()
        async let ending: Void = {
            await other.send(2)
            await other.end()
        }()
        #expect(await iterator.next(isolation: MainActor.shared) == [2])
        #expect(await iterator.next(isolation: MainActor.shared) == nil)
        await ending
    }

    @Test func `messages of a center in bursts`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        let ticks = center.messages(for: Tick.self)
        let results = Results(
            ticks.removeDuplicates { $0.number / 10 == $1.number / 10 }.batches(
                ofCount: 3, or: .seconds(1), clock: clock))
        for number in 1...29 { try await center.post(Tick(number: number)) }
        #expect(await results.next()?.map(\.number) == [1, 10, 20])
        await center.shutdown()
        #expect(await results.next() == nil)
    }
}

/// What a sequence gives, taken in a task of its own.
private final class Results<Element: Sendable>: Sendable {
    private let state = Locked<[Element?]>([])
    private let task = Locked<Task<Void, Never>?>(nil)

    init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Element, Base.Failure == Never {
        let state = state
        let work = Task {
            for await element in base { state.withLock { $0.append(element) } }
            state.withLock { $0.append(nil) }
        }
        task.withLock { $0 = work }
    }

    deinit { task.withLock { $0 }?.cancel() }

    /// What has come and was not asked for.
    var now: [Element] { state.withLock { $0.compactMap(\.self) } }

    /// What comes next; nil at the end.
    func next() async -> Element? {
        while true {
            let found = state.withLock { $0.isEmpty ? Element??.none : .some($0.removeFirst()) }
            if let found { return found }
            await Task.yield()
        }
    }
}
