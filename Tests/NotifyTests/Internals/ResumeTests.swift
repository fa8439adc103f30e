// How subscriptions go on after a connection was lost: behind what they have got, as transcripts of the state machine.

import NotifyWire
import Testing

@testable import Notify

struct ResumeTests {
    private func listening(_ replay: NotifyCenter.Replay = .none, echo: Bool = true) throws -> Transcript {
        var it = try Transcript.open()
        let solo: UInt64 = replay == .none ? 0 : 1
        it.machine.subscribe(
            "x", id: 1, to: [.init(pattern: "a", echo: echo, replay: replay, solo: solo)], it.time)
        _ = it.replays()
        return it
    }

    @Test func `a subscription that got nothing yet goes on behind the position of its own ok`() throws {
        var it = try listening()
        it.answer(101, position: 40)
        #expect(it.comeBack(position: 90) == [#"{"after":40,"epoch":"e1"}"#])
        _ = it.effects()
        it.answer(102, position: 90)
        // What is missing, the daemon tells.
        #expect(it.effects() == [])
        it.machine.live(1, position: 90)
        #expect(it.effects() == [])
    }

    @Test func `one that got messages goes on behind the last`() throws {
        var it = try listening()
        it.answer(101, position: 40)
        for position in [41, 45, 47] as [UInt64] { it.deliver(position, to: 1) }
        #expect(it.comeBack(position: 90) == [#"{"after":47,"epoch":"e1"}"#])
    }

    @Test func `what was replayed by one connection need not be replayed by the next`() throws {
        var it = try listening()
        it.answer(101, position: 40)
        #expect(it.comeBack(position: 90) == [#"{"after":40,"epoch":"e1"}"#])
        it.answer(102, position: 90)
        it.deliver(60, to: 1)
        // Lost in the middle of the replay: the position of the ok does not count yet.
        #expect(it.comeBack(position: 95) == [#"{"after":60,"epoch":"e1"}"#])
        it.answer(103, position: 95)
        it.machine.live(1, position: 95)
        #expect(it.comeBack(position: 99) == [#"{"after":95,"epoch":"e1"}"#])
    }

    @Test func `a new epoch is asked for what follows the old one, until something of it has come`() throws {
        var it = try listening()
        it.answer(101, position: 40)
        for _ in 1...2 { #expect(it.comeBack(epoch: "e2", position: 7) == [#"{"after":40,"epoch":"e1"}"#]) }
        it.deliver(3, to: 1)
        #expect(it.comeBack(epoch: "e2", position: 8) == [#"{"after":3,"epoch":"e2"}"#])
    }

    @Test func `one that was never acknowledged begins as it was meant to, and is told of the gap`() throws {
        for (replay, text) in [(.none, "none"), (.last(3), #"{"last":3}"#)] as [(NotifyCenter.Replay, String)] {
            var it = try listening(replay)
            #expect(it.comeBack(position: 90) == [text])
            _ = it.effects()
            it.answer(102, position: 90)
            #expect(it.effects() == ["x gap disconnected"])
        }
    }

    @Test func `a position that has not moved is no gap`() throws {
        var it = try listening()
        #expect(it.comeBack(position: 0) == ["none"])
        _ = it.effects()
        it.answer(102, position: 0)
        #expect(it.effects() == [])
    }

    @Test func `a replay that was cut short goes on where it was, and is live once`() throws {
        var it = try listening(.last(5))
        it.answer(101, position: 40)
        it.deliver(31, to: 1)
        #expect(it.comeBack(position: 41) == [#"{"after":31,"epoch":"e1"}"#])
        _ = it.effects()
        it.machine.live(1, position: 41)
        #expect(it.effects() == ["x live"])
        #expect(it.comeBack(position: 50) == [#"{"after":41,"epoch":"e1"}"#])
        _ = it.effects()
        it.machine.live(1, position: 50)
        #expect(it.effects() == [])
    }

    @Test func `last values that were cut short are asked for once more, without those that came`() throws {
        var it = try listening(.retained)
        it.answer(101, position: 40)
        it.deliver(12, to: 1)
        #expect(it.comeBack(position: 41) == [#""retained""#])
        let entry = try #require(it.machine.table.entries[1])
        var message = MessageFields()
        for (position, comesAgain) in [(11, true), (12, true), (13, false)] as [(UInt64, Bool)] {
            message.pos = position
            #expect(it.machine.isRepetition(message, at: entry) == comesAgain)
        }
        it.machine.live(1, position: 41)
        #expect(it.comeBack(position: 50) == [#"{"after":41,"epoch":"e1"}"#])
    }

    @Test func `what overtook comes again, and is left out`() throws {
        var it = try listening()
        it.answer(101, position: 40)
        it.deliver(41, to: 1)
        it.deliver(44, to: 1, priority: .high)
        // 42 and 43 may still wait behind it.
        #expect(it.comeBack(position: 50) == [#"{"after":41,"epoch":"e1"}"#])
        let entry = try #require(it.machine.table.entries[1])
        var message = MessageFields()
        for (position, comesAgain) in [(43, false), (44, true), (45, false)] as [(UInt64, Bool)] {
            message.pos = position
            #expect(it.machine.isRepetition(message, at: entry) == comesAgain)
        }
    }

    @Test func `own messages that are not wanted do not come by a replay`() throws {
        for echo in [true, false] {
            var it = try listening(echo: echo)
            it.answer(101, position: 40)
            _ = it.comeBack(position: 50)
            let entry = try #require(it.machine.table.entries[1])
            var message = MessageFields()
            message.pos = 41
            message.client = 1
            #expect(it.machine.isRepetition(message, at: entry) == !echo)
            message.client = 2
            #expect(!it.machine.isRepetition(message, at: entry))
        }
    }

    @Test func `what another process left to be made later is not the center's own, whatever its number`() throws {
        var it = Transcript()
        it.machine.subscribe("x", id: 1, to: [.init(pattern: "a", echo: false)], it.time)
        it.greet(position: 40, pid: 7)
        let entry = try #require(it.machine.table.entries[1])
        var message = MessageFields()
        (message.pos, message.client) = (41, 1)
        for (pid, isOwn) in [(7, true), (8, false)] as [(Int32, Bool)] {
            message.pid = pid
            #expect(it.machine.isRepetition(message, at: entry) == isOwn)
        }
    }

    @Test func `a consumer of several patterns hears once that the numbers count anew`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a", "b")
        for (sub, told) in [(1, ["x gap epoch"]), (2, [])] as [(UInt64, [String])] {
            it.machine.gap(.init(reason: .epoch), sub: sub) { _ in false }
            #expect(it.effects() == told)
        }
        it.machine.gap(.init(reason: .history), sub: 2) { _ in false }
        #expect(it.effects() == ["x gap history"])
    }

    @Test func `a member of a group does not ask for what others of it have got`() throws {
        var it = try Transcript.open()
        it.machine.subscribe("x", id: 1, to: [.init(pattern: "a", group: "g", solo: 1)], it.time)
        it.answer(101, position: 40)
        _ = it.replays()
        #expect(it.comeBack(position: 90) == ["none"])
        _ = it.effects()
        it.answer(102, position: 90)
        #expect(it.effects() == ["x gap disconnected"])
    }

    // MARK: The point itself

    private func point(_ deliveries: (UInt64, Priority)...) -> ResumePoint {
        var point = ResumePoint()
        for (position, priority) in deliveries { point.note(position, priority, in: "e") }
        return point
    }

    @Test func `the point moves with the lowest priority seen`() {
        #expect(point((5, .normal), (9, .high)).position == 5)
        #expect(point((5, .normal), (9, .high), (6, .normal)).position == 6)
        #expect(point((5, .normal), (9, .high), (10, .normal)).beyond == [])
        #expect(point((5, .low), (9, .normal), (12, .normal)).position == 5)
        #expect(point((5, .low), (9, .normal), (12, .normal), (10, .low)).beyond == [12])
    }

    @Test(arguments: [(ResumePoint.beyondLimit, 5), (ResumePoint.beyondLimit + 1, 2025)] as [(Int, UInt64)])
    func `no more is remembered than a bound allows`(count: Int, position: UInt64) {
        var point = point((5, .normal))
        for number in 0..<count { point.note(1001 + UInt64(number), .high, in: "e") }
        #expect(point.position == position)
    }
}
