// The will: posted when the connection is lost without goodbye, and only then.

import Foundation
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(2)))
struct WillTests {
    let daemon: DaemonProcess
    let relay: CuttableRelay
    let center: NotifyCenter
    let witness: NotifyCenter
    let ticks: NotifyCenter.Messages<Tick>

    init() async throws {
        daemon = try await DaemonProcess()
        relay = try CuttableRelay(to: daemon.socketPath)
        center = NotifyCenter.patient(at: relay.path)
        witness = NotifyCenter.patient(at: daemon.socketPath)
        ticks = witness.messages(for: Tick.self)
        try await witness.ready()
    }

    /// What the others leave behind, when they have gone.
    private func legacy(_ iterator: inout NotifyCenter.Messages<Tick>.AsyncIterator) async throws -> [Int] {
        while try await witness.clients().elements.count > 1 { await Task.yield() }
        try await witness.post(Tick(number: 0))
        var numbers: [Int] = []
        while let tick = await iterator.next(), tick.number != 0 { numbers.append(tick.number) }
        return numbers
    }

    @Test func `it is posted when the connection is lost, and left anew with the next one`() async throws {
        try await center.setWill(Tick(number: 7))
        var iterator = ticks.makeAsyncIterator()
        for _ in 1...3 {
            relay.cut()
            #expect(await iterator.next()?.number == 7)
            // Comes back although nobody listens or asks.
            while try await witness.clients().elements.count < 2 { await Task.yield() }
            try await center.ready()
        }
    }

    @Test func `it is posted when the center is let go, with its subject and its options`() async throws {
        do {
            let center = NotifyCenter.patient(at: daemon.socketPath)
            try await center.setWill(
                payload: #"{"number": 9}"#.utf8, to: Tick.channel, type: "Tick", subject: "s", options: .retained)
        }
        var iterator = ticks.makeAsyncIterator()
        #expect(try await legacy(&iterator) == [9])
        let retained = try #require(await witness.retained(on: Tick.channel))
        #expect(retained.subject == "s")
        #expect(retained.payload == Data(#"{"number": 9}"#.utf8))
    }

    @Test(arguments: [false, true])
    func `a center that is shut down says goodbye, also when nobody has the patience`(isCancelled: Bool) async throws {
        try await center.setWill(Tick(number: 7))
        await Task { [center] in
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            await center.shutdown()
        }.value
        var iterator = ticks.makeAsyncIterator()
        #expect(try await legacy(&iterator) == [])
    }

    @Test func `a newer one replaces it, and it can be taken back`() async throws {
        try await center.setWill(Tick(number: 1))
        try await center.setWill(Tick(number: 2))
        var iterator = ticks.makeAsyncIterator()
        relay.cut()
        #expect(await iterator.next()?.number == 2)
        try await center.removeWill()
        relay.cut()
        #expect(try await legacy(&iterator) == [])
    }

    @Test func `it has no options that mean nothing at the end`() async throws {
        for options: NotifyCenter.PostOptions in [
            .init(delay: .seconds(1)), .init(deduplicationKey: "k"), .onlyIf(sequence: 0),
            .init(requireSubscribers: true), .init(coalesceWithin: .seconds(1)), .at(Date()),
        ] {
            let error = await #expect(throws: NotifyError.self) {
                try await center.setWill(Tick(number: 1), options: options)
            }
            #expect(error?.code == .invalidArgument)
        }
        let error = await #expect(throws: NotifyError.self) {
            try await center.setWill(payload: "1".utf8, to: "$notifyd.x")
        }
        #expect(error?.code == .denied)
        try await center.setWill(Tick(number: 1), options: .init(timeToLive: .seconds(1), priority: .high))
    }
}

/// The state machine.
struct WillTranscriptTests {
    private let line = Array("{\"op\":\"will\",\"id\":1}\n".utf8)

    private func settled(_ it: inout Transcript) throws {
        try it.machine.ask(id: 1, waiter: 1, line: line, repetition: .always, will: .keep, it.time)
        #expect(it.lines() == ["will"])
        it.answer(1)
        #expect(it.effects() == ["1 ok pos 0"])
    }

    @Test func `one that was accepted is the first thing that a new connection says`() throws {
        var it = try Transcript.open()
        try settled(&it)
        it.lose()
        try it.post(2)
        it.now = 3000
        it.tick()
        it.greet()
        #expect(it.lines() == ["will", "post"])
        // The answer is nobody's.
        it.machine.effects = []
        it.answer(1)
        #expect(it.effects() == [])
    }

    @Test func `one that was not answered is asked for again, once`() throws {
        var it = try Transcript.open()
        try it.machine.ask(id: 1, waiter: 1, line: line, repetition: .always, will: .keep, it.time)
        #expect(it.lines() == ["will"])
        it.lose()
        it.now = 3000
        it.tick()
        it.greet()
        #expect(it.lines() == ["will"])
    }

    @Test func `one that was refused is no will, and the one before it stays`() throws {
        var it = try Transcript.open()
        try settled(&it)
        let second = Array("{\"op\":\"will\",\"id\":2,\"channel\":\"$\"}\n".utf8)
        try it.machine.ask(id: 2, waiter: 2, line: second, repetition: .always, will: .keep, it.time)
        it.machine.refused(id: 2, sub: nil, NotifyError(.denied, "no"), it.time)
        #expect(it.effects() == ["2 failed denied"])
        #expect(it.machine.will?.line == line)
    }

    @Test func `one that a new connection is refused is told`() throws {
        var it = try Transcript.open()
        try settled(&it)
        it.lose()
        it.now = 3000
        it.tick()
        it.greet()
        it.machine.effects = []
        it.machine.refused(id: 1, sub: nil, NotifyError(.quotaExceeded, "no room"), it.time)
        #expect(it.effects() == ["unheard quota_exceeded"])
    }

    @Test func `one that was taken back is not left again, and nobody is wanted then`() throws {
        var it = try Transcript.open()
        try settled(&it)
        #expect(!it.machine.isUnwanted)
        try it.machine.ask(id: 2, waiter: 2, line: line, repetition: .always, will: .forget, it.time)
        it.answer(2)
        #expect(it.machine.isUnwanted)
    }
}
