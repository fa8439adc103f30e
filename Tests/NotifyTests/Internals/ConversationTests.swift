// The state machine of a center as transcripts: what happens goes in, what is to be done comes out. Waiters are numbers,
// consumers are names, time is a number of milliseconds.

import NotifyWire
import Testing

@testable import Notify

/// A conversation with everything that it wants done, in words.
struct Transcript {
    var machine: Conversation<Int, String>
    var now: UInt64 = 0

    init(reconnects: Bool = true, requestTimeout: UInt64? = nil, random: Double = 0.5) {
        let ids = RequestIDs()
        machine = Conversation(
            settings: .init(
                name: "test", connectTimeout: 5000 * 1_000_000, requestTimeout: requestTimeout.map { $0 * 1_000_000 },
                reconnects: reconnects),
            ids: { 100 + ids.next() }, random: { random })
    }

    var time: UInt64 { now * 1_000_000 }

    /// The effects since the last call.
    mutating func effects() -> [String] {
        defer { machine.effects = [] }
        return machine.effects.map { effect in
            switch effect {
            case .connect: "connect"
            case .disconnect: "disconnect"
            case .resolve(let waiter, .success(let reply)): "\(waiter) ok pos \(reply.fields.pos)"
            case .resolve(let waiter, .failure(let error)): "\(waiter) failed \(error.code)"
            case .unheard(let error): "unheard \(error.code)"
            case .state(let state):
                switch state {
                case .idle: "state idle"
                case .connecting: "state connecting"
                case .connected(let info): "state connected \(info.epoch)"
                case .disconnected(let error): "state disconnected \(error.code)"
                case .closed(let error): "state closed \(error?.code.rawValue ?? "-")"
                }
            case .mark(let consumer, let mark):
                switch mark {
                case .gap(let gap): "\(consumer) gap \(gap.reason)"
                case .live: "\(consumer) live"
                case .disconnected: "\(consumer) disconnected"
                case .reconnected: "\(consumer) reconnected"
                case .loss: "\(consumer) loss"
                }
            case .end(let consumer, let error): "\(consumer) end \(error?.code.rawValue ?? "-")"
            }
        }
    }

    /// The ops of the lines written since the last call; `flushing` bytes of them are taken by the kernel (nil: all).
    mutating func lines(flushing limit: Int? = nil) -> [String] {
        var text = ""
        machine.outbox.flush { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return limit ?? bytes.count
        }
        return text.split(separator: "\n").map { line in
            let op = line.split(separator: "\"")[3]
            guard let sub = line.firstRange(of: "\"sub\":") else { return String(op) }
            return "\(op) \(line[sub.upperBound...].prefix { $0.isNumber })"
        }
    }

    mutating func post(_ waiter: Int, _ repetition: Repetition = .never) throws(NotifyError) {
        let line = ClientLine.post(
            id: UInt64(waiter), channel: "a", type: nil, subject: nil, payload: Array("1".utf8))
        try machine.ask(id: UInt64(waiter), waiter: waiter, line: line, repetition: repetition, time)
    }

    mutating func enqueue(_ payload: String = "1") throws(NotifyError) {
        let line = ClientLine.post(
            id: nil, channel: "a", type: nil, subject: nil, payload: Array(payload.utf8))
        try machine.enqueue(line: line, time)
    }

    mutating func ping(_ waiter: Int) throws(NotifyError) {
        try machine.ask(
            id: UInt64(waiter), waiter: waiter, line: ClientLine.ask(.ping, id: UInt64(waiter)), repetition: .always,
            time)
    }

    mutating func subscribe(_ name: String, id: UInt64, to patterns: NotifyCenter.Pattern...) {
        machine.subscribe(name, id: id, to: patterns.map { .init(pattern: $0) }, time)
    }

    mutating func greet(
        epoch: String = "e1", position: UInt64 = 0, lineBytes: Int? = nil, started: UInt64? = nil, pid: Int32? = nil
    ) {
        machine.connected(time)
        _ = lines()
        machine.greeted(
            NotifyCenter.ServerInfo(
                version: "notifyd test", epoch: epoch, client: 1, position: position,
                limits: .init(lineBytes: lineBytes), features: [], socketPath: "/s", started: started, pid: pid), time)
    }

    mutating func answer(_ id: UInt64, position: UInt64 = 0) {
        var fields = ReplyFields()
        fields.id = id
        fields.pos = position
        machine.answered(Reply(fields: fields), time)
    }

    mutating func deliver(_ position: UInt64, to sub: UInt64, priority: Priority = .normal) {
        var message = MessageFields()
        (message.sub, message.pos, message.priority) = (sub, position, priority)
        machine.note([message], at: sub)
    }

    /// Comes back at a new connection; answers what it asks for.
    mutating func comeBack(epoch: String = "e1", position: UInt64 = 0) -> [String] {
        if case .open = machine.phase { lose() }
        now += 3000
        tick()
        greet(epoch: epoch, position: position)
        return replays()
    }

    /// The wishes for replay in the lines written since the last call.
    mutating func replays() -> [String] {
        var text = ""
        machine.outbox.flush { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes.count
        }
        return text.split(separator: "\n").filter { $0.contains("subscribe") }.map { line in
            guard let replay = line.firstRange(of: "\"replay\":") else { return "none" }
            return String(line[replay.upperBound...].dropLast())
        }
    }

    mutating func lose() {
        machine.lost(NotifyError(.notConnected, "gone"), time)
    }

    mutating func tick() {
        machine.tick(time, silent: NotifyError(.notConnected, "does not answer"))
    }

    /// Connected, with nothing asked.
    static func open(reconnects: Bool = true, requestTimeout: UInt64? = nil) throws -> Transcript {
        var transcript = Transcript(reconnects: reconnects, requestTimeout: requestTimeout)
        try transcript.ping(99)
        transcript.greet()
        transcript.answer(99)
        _ = transcript.lines()
        _ = transcript.effects()
        return transcript
    }
}

struct ConversationTests {
    @Test func `the first request connects, hello goes first, requests wait for its answer`() throws {
        var it = Transcript()
        try it.post(1)
        #expect(it.effects() == ["state connecting", "connect"])
        it.machine.connected(it.time)
        #expect(it.lines() == ["hello"])
        try it.post(2)
        #expect(it.lines() == [])
        it.greet()
        #expect(it.effects() == ["state connected e1"])
        #expect(it.lines() == ["post", "post"])
        it.answer(1, position: 7)
        it.answer(2, position: 8)
        #expect(it.effects() == ["1 ok pos 7", "2 ok pos 8"])
    }

    @Test func `without a daemon a request fails at once`() throws {
        var it = Transcript()
        try it.post(1)
        _ = it.effects()
        it.lose()
        #expect(it.effects() == ["disconnect", "1 failed not_connected", "state disconnected not_connected"])
        guard case .idle = it.machine.phase else {
            Issue.record("nothing is wanted any more, yet the machine is \(it.machine.phase)")
            return
        }
    }

    @Test func `a full backlog is tried again until the connect timeout`() throws {
        var it = Transcript()
        try it.post(1)
        let silent = NotifyError(.notConnected, "does not answer")
        var tries = 0
        while it.effects().contains("connect") {
            tries += 1
            it.machine.busy(it.time, silent)
            guard let next = it.machine.nextDeadline else { break }
            #expect(next > it.time)
            it.now = (next + 999_999) / 1_000_000
            it.machine.effects = []
            it.tick()
        }
        #expect(tries > 100)
        #expect(it.now >= 5000 && it.now < 5030)
    }

    @Test func `a daemon that does not answer hello is given up at the connect timeout`() throws {
        var it = Transcript()
        try it.post(1)
        it.machine.connected(it.time)
        _ = it.effects()
        it.now = 4999
        it.tick()
        #expect(it.effects() == [])
        it.now = 5000
        it.tick()
        #expect(it.effects().contains("1 failed not_connected"))
    }

    @Test func `a post whose answer was lost fails and is not sent again; one that did not go out is`() throws {
        var it = try Transcript.open()
        try it.post(1)
        #expect(it.lines() == ["post"])
        try it.post(2)
        #expect(it.lines(flushing: 5) == ["post"])
        try it.post(3)
        try it.ping(4)
        it.lose()
        #expect(
            it.effects() == [
                "disconnect", "1 failed not_connected", "2 failed not_connected", "state disconnected not_connected",
            ])
        it.now = 1000
        it.tick()
        it.greet()
        #expect(it.lines() == ["post", "ping"])
        it.answer(3)
        it.answer(4)
        #expect(it.effects().suffix(2) == ["3 ok pos 0", "4 ok pos 0"])
    }

    @Test func `the lost post's error says that it may have been accepted`() throws {
        var it = try Transcript.open()
        try it.post(1)
        _ = it.lines()
        it.lose()
        guard case .resolve(1, .failure(let error))? = it.machine.effects.dropFirst().first else {
            Issue.record("the post did not fail")
            return
        }
        #expect(error.message.contains("may or may not have been accepted"))
    }

    @Test func `what waits for a daemon that was there before fails after the connect timeout`() throws {
        var it = try Transcript.open()
        it.lose()
        try it.post(1)
        _ = it.effects()
        for time in stride(from: 100, through: 4900, by: 100) {
            it.now = UInt64(time)
            it.tick()
            it.lose()
        }
        #expect(!it.effects().contains("1 failed not_connected"))
        it.now = 5000
        it.tick()
        #expect(it.effects().contains("1 failed not_connected"))
    }

    @Test func `subscriptions are made again, before anything that waits, and their consumers are told once`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.subscribe("y", id: 2, to: "b.>")
        #expect(it.lines() == ["subscribe 1", "subscribe 2"])
        it.lose()
        #expect(
            it.effects() == [
                "disconnect", "x disconnected", "y disconnected", "state disconnected not_connected",
            ])
        try it.post(5)
        for time in [3000, 6000] {
            it.now = UInt64(time)
            it.tick()
            it.lose()
        }
        #expect(!it.effects().contains("x disconnected"))
        it.now = 9000
        it.tick()
        it.greet(position: 9)
        #expect(it.lines() == ["subscribe 1", "subscribe 2"])
        #expect(it.effects().filter { $0.hasSuffix("reconnected") } == ["x reconnected", "y reconnected"])
    }

    @Test func `who joins while the daemon is away is told so, and of the gap`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.lose()
        _ = it.effects()
        it.subscribe("y", id: 2, to: "b")
        #expect(it.effects() == ["y disconnected"])
        it.now = 3000
        it.tick()
        it.subscribe("z", id: 3, to: "c")
        #expect(it.effects() == ["connect", "z disconnected"])
    }

    @Test func `who comes after the last one has left hears nothing of an old loss`() throws {
        var it = try Transcript.open()
        it.lose()
        #expect(it.effects() == ["disconnect", "state disconnected not_connected"])
        it.subscribe("x", id: 1, to: "a")
        #expect(it.effects() == ["state connecting", "connect"])
        it.greet(epoch: "e2")
        it.answer(101)
        #expect(it.effects() == ["state connected e2"])
    }

    @Test func `consumers of the same thing share one subscription, until the last one leaves`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.subscribe("y", id: 2, to: "a")
        it.subscribe("z", id: 3, to: "a.b")
        #expect(it.lines() == ["subscribe 1", "subscribe 2"])
        it.machine.unsubscribe(1)
        #expect(it.lines() == [])
        it.machine.unsubscribe(2)
        #expect(it.lines() == ["unsubscribe 1"])
        it.machine.unsubscribe(2)
        #expect(it.lines() == [])
    }

    @Test func `who joins a shared subscription does not get what was posted before`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.answer(101, position: 40)
        it.deliver(50, to: 1)
        it.subscribe("y", id: 2, to: "a")
        let seats = it.machine.table.entries[1]?.seats ?? []
        #expect(seats.map(\.after) == [0, 50])
        // After a reconnect everything that comes is new.
        it.lose()
        it.now = 3000
        it.tick()
        it.greet(epoch: "e2")
        #expect(it.machine.table.entries[1]?.seats.map(\.after) == [0, 0])
    }

    @Test func `a refused subscription ends its consumers with the daemon's error`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.refused(id: 101, sub: nil, NotifyError(.denied, "no"), it.time)
        #expect(it.effects() == ["unheard denied", "x end denied"])
        #expect(it.machine.table.isEmpty)
    }

    @Test func `a subscription that overflowed at the daemon ends its consumers`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.refused(id: nil, sub: 1, NotifyError(.overflow, "full"), it.time)
        #expect(it.effects() == ["x end overflow"])
    }

    @Test func `a subscription whose right has gone ends its consumers, and is told to whoever watches`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.refused(id: nil, sub: 1, NotifyError(.denied, "no"), it.time)
        #expect(it.effects() == ["unheard denied", "x end denied"])
    }

    @Test func `with reconnects off the first loss ends everything`() throws {
        var it = try Transcript.open(reconnects: false)
        it.subscribe("x", id: 1, to: "a")
        try it.ping(1)
        it.lose()
        #expect(
            it.effects() == [
                "disconnect", "disconnect", "1 failed not_connected", "x end not_connected",
                "state closed not_connected",
            ])
        #expect(throws: NotifyError.self) { try it.post(2) }
    }

    @Test func `shutdown waits for answers, then says bye`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        try it.post(1)
        _ = it.lines()
        it.machine.shutDown(it.time, deadline: 5_000_000_000)
        #expect(it.effects() == [])
        #expect(throws: NotifyError.self) { try it.post(2) }
        it.answer(1)
        it.machine.finishDraining(it.time)
        #expect(it.effects() == ["1 ok pos 0", "disconnect", "x end -", "state closed -"])
        #expect(it.lines() == ["bye"])
    }

    @Test func `shutdown does not wait longer than asked`() throws {
        var it = try Transcript.open()
        try it.post(1)
        _ = it.lines()
        it.machine.shutDown(it.time, deadline: 1_000_000_000)
        it.now = 999
        it.tick()
        #expect(it.effects() == [])
        it.now = 1000
        it.tick()
        #expect(it.effects() == ["disconnect", "1 failed not_connected", "state closed -"])
    }

    @Test func `an overdue answer times out, and its late arrival disturbs nobody`() throws {
        var it = try Transcript.open(requestTimeout: 100)
        try it.post(1)
        it.now = 50
        try it.post(2)
        it.now = 99
        it.tick()
        #expect(it.effects() == [])
        #expect(it.machine.nextDeadline == 100_000_000)
        it.now = 100
        it.tick()
        #expect(it.effects() == ["1 failed timed_out"])
        it.answer(1)
        it.answer(2)
        #expect(it.effects() == ["2 ok pos 0"])
    }

    @Test(arguments: [(0, true), (1, false)])
    func `a line longer than the daemon takes is refused here`(excess: Int, fits: Bool) throws {
        let line = ClientLine.post(
            id: 1, channel: "a", type: nil, subject: nil, payload: Array("1".utf8))
        var it = Transcript()
        try it.ping(99)
        it.greet(lineBytes: line.count - excess)
        it.answer(99)
        _ = it.effects()
        if fits {
            try it.post(1)
        } else {
            #expect(throws: NotifyError.self) { try it.post(1) }
        }
    }

    @Test func `a line that waited and turns out too long fails alone`() throws {
        var it = Transcript()
        try it.post(1)
        try it.ping(2)
        it.greet(lineBytes: 30)
        #expect(it.effects().contains("1 failed line_too_long"))
        it.answer(2)
        #expect(it.effects() == ["2 ok pos 0"])
    }

    @Test func `after a bye it takes about a second, after a loss a tenth at first and never more than two`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.noteFarewell(NotifyError(.notConnected, "bye"), isBye: true)
        it.lose()
        #expect(it.machine.nextDeadline == 1_000_000_000)
        for (failure, random) in [(1, 0.0), (1, 0.999), (2, 0.5), (5, 0.5), (60, 0.999)] {
            let delay = Backoff.delay(failures: failure, random: random)
            let ceiling = min(2e9, 1e8 * Double(1 << (min(failure, 20) - 1)))
            #expect(Double(delay) == (random * ceiling).rounded(.down))
        }
    }

    @Test func `a consumer of several patterns is live when all replays are through`() throws {
        var it = try Transcript.open()
        it.machine.subscribe(
            "x", id: 1,
            to: [
                .init(pattern: "a", replay: .retained, solo: 1), .init(pattern: "b", replay: .retained, solo: 1),
            ], it.time)
        #expect(it.lines() == ["subscribe 1", "subscribe 2"])
        it.machine.live(1, position: 0)
        #expect(it.effects() == [])
        it.machine.live(2, position: 0)
        #expect(it.effects() == ["x live"])
    }

    @Test func `answers that nobody asked for are ignored`() throws {
        var it = try Transcript.open()
        try it.post(1)
        it.answer(77)
        it.machine.refused(id: 78, sub: nil, NotifyError(.denied, "no"), it.time)
        it.machine.refused(id: nil, sub: 79, NotifyError(.denied, "no"), it.time)
        it.machine.live(80, position: 0)
        #expect(it.effects() == [])
        it.answer(1)
        #expect(it.effects() == ["1 ok pos 0"])
    }
}
