// What is let go in the middle of things is gone: handlers and what they hold, centers, contexts.

import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(1)))
struct LeakTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    enum Ending: CaseIterable { case cancel, release, shutdown, refusal }

    @Test(arguments: Ending.allCases, [false, true])
    func `a handler and what it holds go with its observer`(_ ending: Ending, onMain: Bool) async throws {
        let peer = try ScriptedPeer()
        let center =
            ending == .refusal ? NotifyCenter.patient(at: peer.path) : self.center
        weak var gone: Held?
        var token: NotifyCenter.ObservationToken?
        do {
            let held = Held()
            gone = held
            token =
                onMain
                ? center.addMainActorObserver(for: Tick.self) { _ in held.touch() }
                : center.addObserver(for: Tick.self) { _ in held.touch() }
            if ending != .refusal {
                try await center.post(Tick(number: 1))
                while held.touches == 0 { await Task.yield() }
            }
        }
        #expect(gone != nil)
        switch ending {
        case .cancel: token?.cancel()
        case .release: token = nil
        case .shutdown: await center.shutdown()
        case .refusal:
            let connection = await peer.acceptAndGreet()
            let id = try #require(await connection.id())
            await connection.send(#"{"op":"error","id":\#(id),"code":"denied","message":"no"}"#)
        }
        while gone != nil { await Task.yield() }
        withExtendedLifetime(token) {}
    }

    @Test func `a token that its own handler lets go ends the observer there`() async throws {
        let box = Locked<NotifyCenter.ObservationToken?>(nil)
        let calls = Counter()
        let handler: @Sendable (Tick) async -> Void = { _ in
            calls.add()
            // Only let go of after the lock.
            let token = box.withLock { token in
                defer { token = nil }
                return token
            }
            withExtendedLifetime(token) {}
        }
        box.withLock { $0 = center.addObserver(for: Tick.self, using: handler) }
        let all = Order(until: 3)
        let witness = center.addObserver(for: Tick.self) { await all.note($0.number) }
        for number in 1...3 { try await center.post(Tick(number: number)) }
        #expect(await all.result() == (3, true))
        while center.link.state.withLock({ $0.machine.table.consumers.count }) > 1 { await Task.yield() }
        #expect(calls.value == 1)
        withExtendedLifetime(witness) {}
    }

    @Test func `a center whose last holder goes in the middle of a flood is gone`() async throws {
        let poster = center
        let pouring = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await poster.post(Tick(number: number))
            }
        }
        weak var gone: NotifyCenter?
        weak var link: Link?
        for round in 0..<50 {
            do {
                let center = NotifyCenter.patient(at: daemon.socketPath)
                (gone, link) = (center, center.link)
                let heard = Event()
                let token = center.addObserver(for: Tick.self) { _ in heard.signal() }
                let messages = center.messages(for: Tick.self)
                let events = Task {
                    for try await _ in center.events(for: Tick.self).batches(ofCount: 2, or: .seconds(9)) { break }
                }
                await heard.wait()
                if round % 2 == 0 { token.cancel() }
                _ = messages.makeAsyncIterator()
                try await events.value
            }
            while gone != nil || link != nil { await Task.yield() }
        }
        pouring.cancel()
        _ = await pouring.result
        while try await center.clients().elements.count > 1 { await Task.yield() }
    }

    @MainActor @Test func `a context is not kept by its observers, nor they by it`() async throws {
        weak var gone: Held?
        let witness = Order(until: 2)
        let token = center.addObserver(for: Tick.self) { await witness.note($0.number) }
        var tokens: [NotifyCenter.ObservationToken] = []
        do {
            let held = Held()
            gone = held
            center.addObserver(for: Tick.self, context: held) { held, _ in held.touch() }.store(in: &tokens)
            center.addMainActorObserver(for: Tick.self, context: held) { held, _ in held.touch() }.store(in: &tokens)
            try await center.post(Tick(number: 1))
            while held.touches < 2 { await Task.yield() }
        }
        while gone != nil { await Task.yield() }
        try await center.post(Tick(number: 2))
        #expect(await witness.result() == (2, true))
        // Who has found the context gone leaves.
        let center = center
        while center.link.state.withLock({ $0.machine.table.consumers.count }) > 1 { await Task.yield() }
        withExtendedLifetime((token, tokens)) {}
    }
}

private final class Held: Sendable {
    private let count = Locked(0)

    func touch() { count.withLock { $0 += 1 } }
    var touches: Int { count.withLock { $0 } }
}
