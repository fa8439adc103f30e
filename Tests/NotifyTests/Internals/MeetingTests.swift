// A daemon that goes just when the first connection comes: it is tried again, until the time for a connection is over.

import NotifyTestSupport
import Testing

@testable import Notify

extension Transcript {
    mutating func connect() {
        machine.connected(time)
        _ = lines()
    }

    mutating func sayGoodbye() {
        machine.noteFarewell(NotifyError(.notConnected, "goodbye"), isBye: true)
        lose()
    }

    /// The messages of the errors that waiters got since the last call.
    mutating func failures() -> [String] {
        defer { machine.effects = [] }
        return machine.effects.compactMap { effect in
            guard case .resolve(_, .failure(let error)) = effect else { return nil }
            return error.message
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct MeetingTests {
    // MARK: The state machine

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func `who is left before hello is answered comes again, and is served`(reconnects: Bool, politely: Bool) throws {
        var it = Transcript(reconnects: reconnects)
        try it.post(1)
        it.connect()
        _ = it.effects()
        if politely { it.sayGoodbye() } else { it.lose() }
        #expect(it.effects().first { $0.contains("failed") || $0.contains("closed") } == nil)
        // After a goodbye there is time to end in, else it is tried soon.
        let pause: UInt64 = politely ? 1000 : 50
        it.now = pause - 1
        it.tick()
        try it.post(2)
        #expect(it.effects() == [])
        it.now = pause
        it.tick()
        #expect(it.effects() == ["connect"])
        it.greet()
        #expect(it.lines() == ["post", "post"])
        it.answer(1)
        it.answer(2)
        #expect(it.effects().suffix(2) == ["1 ok pos 0", "2 ok pos 0"])
    }

    @Test(arguments: [true, false])
    func `it is tried again until the connect timeout, and then the error is what the daemon said`(
        reconnects: Bool
    ) throws {
        var it = Transcript(reconnects: reconnects)
        try it.post(1)
        for start in stride(from: 0 as UInt64, through: 4000, by: 1000) {
            it.now = start
            it.tick()
            #expect(it.effects().contains("connect"))
            it.connect()
            it.sayGoodbye()
        }
        #expect(it.failures() == [])
        it.now = 4999
        it.tick()
        #expect(it.effects() == [])
        #expect(it.machine.nextDeadline == 5_000_000_000)
        it.now = 5000
        it.tick()
        #expect(it.failures() == ["goodbye"])
        #expect(it.machine.isClosed == !reconnects)
    }

    @Test(arguments: [(4999 as UInt64, true), (5000, false)])
    func `a goodbye at the connect timeout is the end`(time: UInt64, isTriedAgain: Bool) throws {
        var it = Transcript(reconnects: false)
        try it.post(1)
        it.connect()
        it.now = time
        it.sayGoodbye()
        #expect(it.machine.isClosed == !isTriedAgain)
    }

    @Test func `nobody there after the goodbye is told at once`() throws {
        for reconnects in [true, false] {
            var it = Transcript(reconnects: reconnects)
            try it.post(1)
            it.connect()
            it.sayGoodbye()
            it.now = 1000
            it.tick()
            it.machine.lost(NotifyError(.notConnected, "nobody is there"), it.time)
            #expect(it.failures() == ["nobody is there"])
        }
    }

    @Test func `who is turned away for a reason is told so at once`() throws {
        var it = Transcript(reconnects: false)
        try it.post(1)
        it.connect()
        it.machine.noteFarewell(NotifyError(.quotaExceeded, "full"), isBye: false)
        it.sayGoodbye()
        #expect(it.failures() == ["full"])
        #expect(it.machine.isClosed)
    }

    @Test func `a post that the daemon said goodbye to instead of an answer is sent to the next one`() throws {
        for repetition in [Repetition.keyed, .never] {
            var it = Transcript(reconnects: false)
            try it.post(1, repetition)
            it.greet(epoch: "e1")
            #expect(it.lines() == ["post"])
            it.sayGoodbye()
            it.now = 1000
            it.tick()
            #expect(it.failures() == [])
            it.greet(epoch: "e2")
            #expect(it.lines() == ["post"])
            it.answer(1)
            #expect(it.effects().last == "1 ok pos 0")
        }
    }

    @Test func `also by a center that has been served, and then waits for the daemon`() throws {
        var it = try Transcript.open()
        try it.post(1)
        try it.enqueue()
        _ = it.lines()
        it.sayGoodbye()
        // A post without an answer of its own may have been accepted.
        #expect(it.effects() == ["disconnect", "unheard not_connected", "state disconnected not_connected"])
        it.now = 1000
        it.tick()
        it.greet(epoch: "e2")
        #expect(it.lines() == ["post"])
    }

    @Test func `one in doubt since an earlier connection stays in doubt`() throws {
        var it = try Transcript.open()
        try it.post(1, .keyed)
        _ = it.lines()
        it.lose()
        it.now = 1000
        it.tick()
        it.greet()
        _ = it.lines()
        it.sayGoodbye()
        it.machine.effects = []
        it.now = 3000
        it.tick()
        it.greet(epoch: "e2")
        #expect(it.failures().first?.contains("may or may not have been accepted") == true)
    }

    @Test func `a post whose answer was lost without a goodbye is in doubt, however new the center is`() throws {
        var it = Transcript(reconnects: false)
        try it.post(1)
        it.greet()
        _ = it.lines()
        it.lose()
        #expect(it.failures().first?.contains("may or may not have been accepted") == true)
        #expect(it.machine.isClosed)
    }

    @Test func `a goodbye after the first answer ends a center that does not come back`() throws {
        var it = try Transcript.open(reconnects: false)
        it.subscribe("x", id: 1, to: "a")
        it.sayGoodbye()
        #expect(it.effects().suffix(2) == ["x end not_connected", "state closed not_connected"])
    }

    @Test func `who only listens and does not come back hears nothing of it but the end`() throws {
        var it = Transcript(reconnects: false)
        it.subscribe("x", id: 1, to: "a")
        it.greet()
        it.sayGoodbye()
        it.now = 1000
        it.tick()
        _ = it.effects()
        it.greet(epoch: "e2")
        #expect(it.lines() == ["subscribe 1"])
        it.answer(102)
        #expect(it.effects() == ["state connected e2"])

        it = Transcript(reconnects: false)
        it.subscribe("x", id: 1, to: "a")
        it.connect()
        it.now = 4500
        it.sayGoodbye()
        _ = it.effects()
        it.now = 5000
        it.tick()
        #expect(it.effects() == ["disconnect", "x end not_connected", "state closed not_connected"])
    }

    // MARK: A scripted daemon

    @Test(arguments: [0, 1, 2])
    func `a center that does not come back is served by the second daemon`(stage: Int) async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path, reconnects: false)
        let receipt = Task { [center] in try await center.post(Tick(number: 1)) }
        let first: ScriptedPeer.Connection
        if stage < 2 {
            first = await peer.accept()
            _ = await first.line()
        } else {
            first = await peer.acceptAndGreet()
            #expect(await first.line()?.contains(#""op":"post""#) == true)
        }
        if stage > 0 { await first.send(#"{"op":"bye","reason":"shutting_down"}"#) }
        first.hangUp()
        let second = await peer.acceptAndGreet(epoch: "e2")
        let id = try #require(await second.id())
        await second.send(#"{"op":"ok","id":\#(id),"seq":1,"pos":1,"matched":0,"dropped":0}"#)
        #expect(try await receipt.value.sequence == 1)
    }
}
