// What is done when `settle` returns, and what it does not wait for.

import Glibc
import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SettleTests {
    let daemon = InProcessDaemon()

    @Test(arguments: 1...50)
    func `handlers that suspend have run to their end`(round: Int) async throws {
        let center = daemon.makeCenter()
        let (count, onMain, store) = (Count(), Count(), Store())
        let token = center.addObserver(for: CartDidChange.self) { _ in
            await MainActor.run { onMain.up() }
            async let child: Void = count.up()
            await child
            await store.keep()
            count.up()
        }
        for number in 1...10 { try center.enqueue(CartDidChange(itemCount: number)) }
        await daemon.settle()
        #expect(onMain.value == 10)
        #expect(count.value == 20)
        #expect(await store.kept == 10)
        token.cancel()
    }

    @Test func `a chain of programs that answer each other comes to its end`() async throws {
        let centers = (0..<10).map { _ in daemon.makeCenter() }
        let tokens = centers.enumerated().map { index, center in
            center.addObserver(for: CartDidChange.self) { change in
                guard change.itemCount % centers.count == index, change.itemCount < 100 else { return }
                _ = try? await center.post(CartDidChange(itemCount: change.itemCount + 1))
            }
        }
        let all = daemon.makeCenter().record(CartDidChange.self)
        try centers[0].enqueue(CartDidChange(itemCount: 0))
        await daemon.settle()
        #expect(all.messages.map(\.itemCount) == Array(0...100))
        for token in tokens { token.cancel() }
    }

    @Test func `a handler that waits for the clock is not waited for`() async throws {
        let center = daemon.makeCenter()
        let count = Count()
        let clock = daemon.clock
        let token = center.addObserver(for: CartDidChange.self) { _ in
            try? await clock.sleep(for: .seconds(1))
            count.up()
        }
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(count.value == 0)
        await clock.advance(by: .seconds(1))
        #expect(count.value == 1)
        token.cancel()
    }

    @Test func `it returns at once when there is nothing to wait for, also within a task it knows of`() async {
        await daemon.settle()
        let daemon = daemon
        await Task(executorPreference: daemon.executor) {
            await daemon.settle()
            await daemon.clock.advance(by: .seconds(1))
        }.value
        #expect(daemon.clock.now.offset == .seconds(1))
    }

    @Test func `a handler that suspends often is waited for`() async throws {
        let center = daemon.makeCenter()
        let (count, store) = (Count(), Store())
        let token = center.addObserver(for: CartDidChange.self) { _ in
            for _ in 1...1000 { await store.keep() }
            count.up()
        }
        try center.enqueue(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(count.value == 1)
        token.cancel()
    }

    @Test func `a loop of one's own is waited for if its task has the executor`() async throws {
        let center = daemon.makeCenter()
        let messages = center.messages(for: CartDidChange.self)
        let (count, store) = (Count(), Store())
        let task = Task(executorPreference: daemon.executor) {
            for await _ in messages {
                for _ in 1...100 { await store.keep() }
                count.up()
            }
        }
        for number in 1...10 { try center.enqueue(CartDidChange(itemCount: number)) }
        await daemon.settle()
        #expect(count.value == 10)
        task.cancel()
    }

    @Test func `observers of a main actor that is busy have been called, also by way of other handlers`() async throws {
        let center = daemon.makeCenter()
        let (hops, calls) = (Count(), Count())
        let token = center.addObserver(for: CartDidChange.self) { _ in
            for _ in 1...3 { await MainActor.run { Self.beBusy(hops) } }
        }
        let onMain = center.addMainActorObserver(for: CartDidChange.self) { _ in Self.beBusy(calls) }
        for number in 1...3 { try center.enqueue(CartDidChange(itemCount: number)) }
        await daemon.settle()
        #expect(hops.value == 9)
        #expect(calls.value == 3)
        token.cancel()
        onMain.cancel()
    }

    @Test func `a handler on the main actor that waits for an actor elsewhere is waited for`() async throws {
        let center = daemon.makeCenter()
        let (store, count) = (Store(), Count())
        let token = center.addMainActorObserver(for: CartDidChange.self) { _ in
            await store.keepSlowly()
            count.up()
        }
        for number in 1...3 { try center.enqueue(CartDidChange(itemCount: number)) }
        await daemon.settle()
        #expect(await store.kept == 3)
        #expect(count.value == 3)
        token.cancel()
    }

    private static func beBusy(_ count: Count) {
        usleep(5000)
        count.up()
    }

    @Test func `a loop that waits has been given its message, however late it runs`() async throws {
        let center = daemon.makeCenter()
        let messages = center.messages(for: CartDidChange.self, bufferSize: 1)
        let slow = SlowExecutor()
        let task = Task(executorPreference: slow) { for await _ in messages {} }
        try await center.ready()
        while slow.jobs.value == 0 { await Task.yield() }
        // There is room for one: the first is no longer there when the second comes.
        for count in 1...2 {
            try center.enqueue(CartDidChange(itemCount: count))
            await daemon.settle()
        }
        #expect(messages.droppedCount == 0)
        task.cancel()
    }

    @Test func `an iterator that nobody waits at holds nobody up`() async throws {
        let center = daemon.makeCenter()
        var messages = center.messages(for: CartDidChange.self).makeAsyncIterator()
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(await messages.next() == CartDidChange(itemCount: 1))
    }

    @Test func `a handler may wait for the daemon to come to rest`() async throws {
        let center = daemon.makeCenter()
        let count = Count()
        let daemon = daemon
        let token = center.addObserver(for: CartDidChange.self) { _ in
            await daemon.settle()
            count.up()
        }
        try await center.post(CartDidChange(itemCount: 1))
        // Two wait for the same moment; which of them goes on first, nobody knows.
        while count.value == 0 { await daemon.settle() }
        #expect(count.value == 1)
        token.cancel()
    }

    @Test func `a handler that waits for what nobody knows of holds nobody up`() async throws {
        let center = daemon.makeCenter()
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let count = Count()
        let token = center.addObserver(for: CartDidChange.self) { _ in
            for await _ in permits { break }
            count.up()
        }
        try center.enqueue(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(count.value == 0)
        permit.yield()
        await daemon.settle()
        #expect(count.value == 1)
        token.cancel()
    }

    @Test @MainActor func `no handler on the main actor starts after it was cancelled there`() async throws {
        let center = daemon.makeCenter()
        for round in 1...100 {
            let cancellations = Count()
            let token = center.addMainActorObserver(for: CartDidChange.self) { _ in
                #expect(cancellations.value == 0)
            }
            try await center.post(CartDidChange(itemCount: round))
            token.cancel()
            cancellations.up()
            await daemon.settle()
        }
    }
}
