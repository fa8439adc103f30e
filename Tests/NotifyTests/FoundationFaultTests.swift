// What was measured of Foundation's typed notifications on Linux (Comparison.md) does not happen here: the same small
// programs, with this library.

import Notify
import NotifyLock
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FoundationFaultTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    @Test func `what is posted between the call and the loop comes, 100 times of 100`() async throws {
        for number in 1...100 {
            let ticks = center.messages(for: Tick.self)
            try await center.post(Tick(number: number))
            #expect(await ticks.first { _ in true } == Tick(number: number))
        }
    }

    @Test func `a loop that is entered in a cancelled task ends, also when nothing was ever posted`() async {
        let center = center
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            for await _ in center.messages(for: Tick.self) {}
            for try await _ in center.events(for: Tick.self) {}
            for await _ in center.rawMessages(matching: ">") {}
            for await _ in center.states {}
        }
        task.cancel()
        _ = await task.result
    }

    @Test func `of 100 messages in a buffer of 10 the last 10 come, and 90 are missing by name`() async throws {
        let ticks = center.messages(for: Tick.self, bufferSize: 10)
        var events = center.events(for: Tick.self, buffer: .bufferingNewest(10)).makeAsyncIterator()
        for number in 0..<100 { try await center.post(Tick(number: number)) }
        // The last message came before this answer.
        try await center.ready()
        #expect(ticks.droppedCount == 90)
        var iterator = ticks.makeAsyncIterator()
        for number in 90..<100 { #expect(await iterator.next()?.number == number) }
        guard case .gap(let gap) = try await events.next() else {
            Issue.record("no gap")
            return
        }
        #expect(gap.count == 90)
    }

    @Test func `handlers that wait for something get 10,000 posts one at a time and in order`() async throws {
        let order = Order(until: 10_000)
        let running = Locked((now: 0, most: 0))
        let token = center.addObserver(for: Tick.self) { tick in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<tick.number % 3 { await Task.yield() }
            order.noteNow(tick.number)
            running.withLock { $0.now -= 1 }
        }
        for number in 1...10_000 { try center.enqueue(Tick(number: number)) }
        #expect(await order.result() == (10_000, true))
        #expect(running.withLock { $0.most } == 1)
        token.cancel()
    }

    @Test func `no handler of an earlier post starts once cancel has returned, in 200 rounds`() async throws {
        for _ in 0..<200 {
            let state = Locked((isCancelled: false, late: 0))
            let token = center.addObserver(for: Tick.self) { _ in
                state.withLock { if $0.isCancelled { $0.late += 1 } }
            }
            for number in 0..<50 { try center.enqueue(Tick(number: number)) }
            token.cancel()
            state.withLock { $0.isCancelled = true }
            // All 50 are through by now.
            try await center.ready()
            #expect(state.withLock { $0.late } == 0)
        }
    }

    @Test func `an observer of everything gets typed messages, and stops nobody`() async throws {
        let everything = center.rawMessages(matching: ">")
        let ticks = center.messages(for: Tick.self)
        try await center.post(Tick(number: 1))
        #expect(await everything.first { _ in true }?.type == "Tick")
        #expect(await ticks.first { _ in true } == Tick(number: 1))
    }

    @Test func `a handler on the main actor gets what is posted on other threads`() async throws {
        let order = Order(until: 100)
        let token = center.addMainActorObserver(for: Tick.self) { tick in
            MainActor.assertIsolated()
            order.noteNow(tick.number)
        }
        let center = center
        try await Task.detached {
            for number in 1...100 { try await center.post(Tick(number: number)) }
        }.value
        #expect(await order.result() == (100, true))
        token.cancel()
    }
}
