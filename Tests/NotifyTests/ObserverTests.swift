// Observers: one at a time, in order, and nothing after cancel.

import Foundation
import Notify
import NotifyLock
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ObserverTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    /// Messages of the order test.
    private static let count = 10_000

    @Test func `every path gets messages in order, one at a time, also when nobody waits between posts`() async throws {
        let count = Self.count
        let observed = Order(until: count)
        let slow = Order(until: count)
        let onMain = Order(until: count)
        let tocks = Order(until: count)
        var tokens: Set<NotifyCenter.ObservationToken> = []
        center.addObserver(for: Tick.self) { await observed.note($0.number) }.store(in: &tokens)
        center.addObserver(for: Tick.self) { tick in
            // Suspends in the middle: the next call must still wait for this one.
            if tick.number % 500 == 0 { await Task.yield() }
            await slow.note(tick.number)
        }.store(in: &tokens)
        center.addMainActorObserver(for: Tick.self) { tick in
            MainActor.assertIsolated()
            onMain.noteNow(tick.number)
        }.store(in: &tokens)
        center.addObserver(for: Tock.self) { await tocks.note($0.number) }.store(in: &tokens)
        let messages = center.messages(for: Tick.self)

        var receipts: [NotifyCenter.PendingReceipt] = []
        for number in 1...count {
            receipts.append(try await center.submit(Tick(number: number)))
            try center.enqueue(Tock(number: number))
        }
        var last: UInt64 = 0
        for receipt in receipts {
            let position = try await receipt.value.position
            #expect(position > last)
            last = position
        }
        var expected = 0
        for await tick in messages {
            expected += 1
            #expect(tick.number == expected)
            if tick.number == count { break }
        }
        for order in [observed, slow, onMain, tocks] {
            #expect(await order.result() == (count, true))
        }
        #expect(center.diagnostics.dropped == 0)
    }

    @Test func `a slow observer delays only itself`() async throws {
        let entered = Event()
        let leave = Event()
        let slow = center.addObserver(for: Tick.self) { _ in
            entered.signal()
            await leave.wait()
        }
        let quick = Order(until: 100)
        let token = center.addObserver(for: Tick.self) { await quick.note($0.number) }
        for number in 1...100 { try center.enqueue(Tick(number: number)) }
        await entered.wait()
        #expect(await quick.result() == (100, true))
        leave.signal()
        slow.cancel()
        token.cancel()
    }

    @Test func `nothing starts after cancel, from whichever thread`() async throws {
        let poster = NotifyCenter.patient(at: daemon.socketPath)
        let pouring = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await poster.post(Tick(number: number))
            }
        }
        for round in 0..<200 {
            let started = Event()
            let verdict = Verdict()
            let handler: @Sendable (Tick) async -> Void = { _ in
                verdict.noteStart()
                started.signal()
                if round % 3 == 0 { await Task.yield() }
            }
            let token =
                round % 2 == 0
                ? center.addObserver(for: Tick.self, using: handler)
                : center.addMainActorObserver(for: Tick.self) { _ in
                    verdict.noteStart()
                    started.signal()
                }
            await started.wait()
            token.cancel()
            verdict.end()
            await Task.yield()
            #expect(verdict.lateStartCount == 0)
        }
        pouring.cancel()
        _ = await pouring.result
        #expect(try await center.subscriptions().elements.isEmpty)
    }

    @Test func `letting go of the token ends the observer`() async throws {
        let starts = Counter()
        var token: NotifyCenter.ObservationToken? = center.addObserver(for: Tick.self) { _ in starts.add() }
        try await center.ready()
        #expect(try await center.subscriptions().elements.count == 1)
        withExtendedLifetime(token) {}
        token = nil
        try await center.post(Tick(number: 1))
        #expect(try await center.subscriptions().elements.isEmpty)
        #expect(starts.value == 0)
    }

    @Test func `no handler starts once the context is gone`() async throws {
        let order = Order(until: 1)
        let all = Order(until: 3)
        var model: Model? = Model(order: order)
        let token = center.addObserver(for: Tick.self, context: try #require(model)) { model, tick in
            await model.apply(tick)
        }
        let main = center.addMainActorObserver(for: Tick.self, context: try #require(model)) { model, tick in
            #expect(tick.number == 1)
            _ = model
        }
        let witness = center.addObserver(for: Tick.self) { await all.note($0.number) }
        try await center.post(Tick(number: 1))
        #expect(await order.result() == (1, true))
        // The main actor's observer holds it for no longer than its call.
        while !isKnownUniquelyReferenced(&model) { await Task.yield() }
        model = nil
        for number in 2...3 { try await center.post(Tick(number: number)) }
        #expect(await all.result() == (3, true))
        #expect(order.count == 1)
        for token in [token, main, witness] { token.cancel() }
    }

    @Test func `a handler may do everything`() async throws {
        let center = center
        let tokens = Tokens()
        let done = Event()
        let echoes = Order(until: 2)
        tokens.keep(center.addObserver(for: Tock.self) { await echoes.note($0.number) })
        let victimStarts = Counter()
        tokens.keep(
            center.addObserver(for: Tick.self) { tick in
                do {
                    switch tick.number {
                    case 1:
                        try await center.post(Tock(number: 1))
                        _ = try await center.ping()
                        // Add one, remove the other, remove oneself.
                        tokens.keep(center.addObserver(for: Tock.self) { _ in })
                        tokens.cancel(2)
                        tokens.cancel(1)
                        try await center.post(Tock(number: 2))
                        done.signal()
                    default: Issue.record("the observer had removed itself")
                    }
                } catch {
                    Issue.record(error)
                }
            })
        tokens.keep(center.addObserver(for: Tock.self, bufferSize: 1) { _ in victimStarts.add() })
        try await center.post(Tick(number: 1))
        await done.wait()
        try await center.post(Tick(number: 2))
        #expect(await echoes.result() == (2, true))
        await center.shutdown()
        tokens.cancelAll()
    }

    @Test(arguments: [false, true])
    func `shutdown within a handler returns, and a second one too`(onMain: Bool) async throws {
        let center = center
        let done = Event()
        let handler: @Sendable (Tick) async -> Void = { _ in
            await center.shutdown()
            await center.shutdown(drainingFor: .zero)
            done.signal()
        }
        let token =
            onMain
            ? center.addMainActorObserver(for: Tick.self) { tick in Task { await handler(tick) } }
            : center.addObserver(for: Tick.self, using: handler)
        try await center.post(Tick(number: 1))
        await done.wait()
        let error = await #expect(throws: NotifyError.self) { try await center.post(Tick(number: 2)) }
        #expect(error?.code == .closed)
        withExtendedLifetime(token) {}
    }

    @MainActor @Test func `a handler on the main actor may wait: the next message does too, the main actor does not`()
        async throws
    {
        let entered = Event()
        let leave = Event()
        let order = Order(until: 3)
        let token = center.addMainActorObserver(for: Tick.self) { tick in
            MainActor.assertIsolated()
            if tick.number == 1 {
                entered.signal()
                await leave.wait()
            }
            order.noteNow(tick.number)
        }
        for number in 1...3 { try center.enqueue(Tick(number: number)) }
        await entered.wait()
        try await center.ready()
        // The main actor is here, while the handler waits there.
        MainActor.assertIsolated()
        #expect(order.count == 0)
        leave.signal()
        #expect(await order.result() == (3, true))
        await Task.detached { token.cancel() }.value
    }

    @Test func `requests within handlers within a flood all return`() async throws {
        let center = center
        let flood = NotifyCenter.patient(at: daemon.socketPath)
        let answers = Order(until: 5 * 200)
        let count = Counter()
        let tokens = (0..<5).map { _ in
            center.addObserver(for: Tick.self) { _ in
                do {
                    _ = try await center.ping()
                    count.add()
                    await answers.note(count.value)
                } catch {
                    Issue.record(error)
                }
            }
        }
        try await center.ready()
        for number in 1...200 { _ = try await flood.submit(Tick(number: number)) }
        #expect(try await center.ping() < .seconds(30))
        #expect(await answers.result().0 == 1000)
        withExtendedLifetime(tokens) {}
    }

    @Test func `tokens know themselves`() {
        let token = center.addObserver(for: Tick.self) { _ in }
        let other = center.addObserver(for: Tick.self) { _ in }
        var set: Set<NotifyCenter.ObservationToken> = []
        var list: [NotifyCenter.ObservationToken] = []
        token.store(in: &set)
        token.store(in: &set)
        other.store(in: &set)
        other.store(in: &list)
        #expect(set.count == 2)
        #expect(list == [other])
    }
}

/// Whether a handler started after its token was cancelled.
private final class Verdict: Sendable {
    private let state = Locked<(isOver: Bool, late: Int)>((false, 0))

    func noteStart() {
        state.withLock { if $0.isOver { $0.late += 1 } }
    }

    func end() {
        state.withLock { $0.isOver = true }
    }

    var lateStartCount: Int { state.withLock { $0.late } }
}

private final class Model: Sendable {
    let order: Order

    init(order: Order) { self.order = order }

    func apply(_ tick: Tick) async { await order.note(tick.number) }
}

/// Tokens that handlers may get at.
private final class Tokens: Sendable {
    private let list = Locked<[NotifyCenter.ObservationToken]>([])

    func keep(_ token: NotifyCenter.ObservationToken) { list.withLock { $0.append(token) } }

    func cancel(_ index: Int) {
        // Another observer of the test may not be there yet.
        let token = list.withLock { index < $0.count ? $0[index] : nil }
        token?.cancel()
    }

    func cancelAll() {
        let tokens = list.withLock { list in
            defer { list = [] }
            return list
        }
        for token in tokens { token.cancel() }
    }
}
