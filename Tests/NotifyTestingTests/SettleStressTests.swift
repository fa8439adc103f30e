// Thousands of times: post, come to rest, look. What settle promises holds each time, not most of the times; run it also
// beside something that takes the processor.

import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SettleStressTests {
    static let rounds = 250

    let daemon = InProcessDaemon()
    let center: NotifyCenter
    let count = Count()

    init() {
        center = daemon.makeCenter()
    }

    /// Posts again and again; each time as much was counted as should be.
    @MainActor private func expectCount(
        perRound: Int = 1, _ location: SourceLocation = #_sourceLocation, rest: () async -> Void
    ) async throws {
        var late: [Int] = []
        for round in 1...Self.rounds {
            try await center.post(CartDidChange(itemCount: round))
            await rest()
            if count.value != round * perRound { late.append(round) }
        }
        #expect(late.isEmpty, sourceLocation: location)
    }

    @Test @MainActor func `new observers on the main actor have been called, in a test there`() async throws {
        var late = 0
        for round in 1...Self.rounds {
            let daemon = InProcessDaemon()
            let badge = Badge(center: daemon.makeCenter())
            try await daemon.makeCenter().post(CartDidChange(itemCount: round))
            await daemon.settle()
            if badge.text != "\(round)" { late += 1 }
        }
        #expect(late == 0)
    }

    @Test func `new observers on the main actor have been called, in a test elsewhere`() async throws {
        var late = 0
        for round in 1...Self.rounds {
            let daemon = InProcessDaemon()
            let count = Count()
            let token = daemon.makeCenter().addMainActorObserver(for: CartDidChange.self) { _ in count.up() }
            for time in 1...2 {
                try await daemon.makeCenter().post(CartDidChange(itemCount: round))
                await daemon.settle()
                if count.value != time { late += 1 }
            }
            token.cancel()
        }
        #expect(late == 0)
    }

    @Test @MainActor func `the body of a loop on the main actor has run`() async throws {
        let messages = center.messages(for: CartDidChange.self)
        let task = Task { for await _ in messages { count.up() } }
        try await expectCount { await daemon.settle() }
        task.cancel()
    }

    @Test @MainActor func `so has one that asks for the next by itself`() async throws {
        let messages = center.messages(for: CartDidChange.self)
        let task = Task {
            var iterator = messages.makeAsyncIterator()
            while await iterator.next() != nil { count.up() }
        }
        try await expectCount { await daemon.settle() }
        task.cancel()
    }

    @Test @MainActor func `the body of a loop in any task has come to its end, wherever it went`() async throws {
        let messages = center.messages(for: CartDidChange.self)
        let store = Store()
        let task = Task.detached {
            for await _ in messages {
                await store.keep()
                await MainActor.run {}
                count.up()
            }
        }
        while count.value == 0 {
            try await center.post(CartDidChange(itemCount: 0))
            await Task.yield()
        }
        await daemon.settle()
        let before = count.value
        var late = 0
        for round in 1...Self.rounds {
            try await center.post(CartDidChange(itemCount: round))
            await daemon.settle()
            if count.value != before + round { late += 1 }
        }
        #expect(late == 0)
        task.cancel()
    }

    @Test @MainActor func `a model of the main actor is up to date that a task with the executor feeds`() async throws {
        let messages = center.messages(for: CartDidChange.self)
        let model = Model()
        let task = Task(executorPreference: daemon.executor) {
            for await change in messages {
                await model.apply(change)
                count.up()
            }
        }
        try await expectCount { await daemon.settle() }
        #expect(model.itemCount == Self.rounds)
        task.cancel()
    }

    @Test @MainActor func `a last value is shown`() async throws {
        let latest = center.latest(for: CartDidChange.self)
        var late = 0
        for round in 1...Self.rounds {
            try await center.post(CartDidChange(itemCount: round))
            await daemon.settle()
            if latest.value?.itemCount != round { late += 1 }
        }
        #expect(late == 0)
    }

    @Test @MainActor func `an operator has given what is due, to a loop on the main actor`() async throws {
        let messages = center.messages(for: CartDidChange.self).throttle(for: .seconds(1), clock: daemon.clock)
        let task = Task { for await _ in messages { count.up() } }
        try await expectCount { await daemon.clock.advance(by: .seconds(1)) }
        task.cancel()
    }

    @Test @MainActor func `two sequences that are merged have given what they had`() async throws {
        let (first, second) = (center.messages(for: CartDidChange.self), center.messages(for: CartDidChange.self))
        let messages = NotifyCenter.merge(first.removeDuplicates(), second)
        let task = Task { for await _ in messages { count.up() } }
        try await expectCount(perRound: 2) { await daemon.settle() }
        task.cancel()
    }

    @Test @MainActor func `handlers that go to and fro have come to their end`() async throws {
        let (store, model) = (Store(), Model())
        let token = center.addObserver(for: CartDidChange.self) { change in
            for _ in 1...3 {
                await model.apply(change)
                await Task.yield()
            }
            count.up()
        }
        let onMain = center.addMainActorObserver(for: CartDidChange.self) { change in
            await store.keep()
            await Task.yield()
            async let child: Void = model.apply(change)
            await child
            count.up()
        }
        try await expectCount(perRound: 2) { await daemon.settle() }
        token.cancel()
        onMain.cancel()
    }
}

@MainActor private final class Model {
    private(set) var itemCount = 0

    /// By way of functions that may suspend, though they do not.
    func apply(_ change: CartDidChange) async {
        for _ in 1...3 { await set(change.itemCount) }
    }

    private func set(_ count: Int) async { itemCount = count }
}
