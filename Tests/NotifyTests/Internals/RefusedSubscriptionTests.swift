// Subscriptions that the daemon cannot take back after a reconnect are asked for again, and not only once.

import NotifyWire
import Testing

@testable import Notify

struct RefusedSubscriptionTests {
    /// With three subscriptions, which were accepted before, asked for on a second connection: 104, 105 and 106.
    private func again() throws -> Transcript {
        var it = try Transcript.open()
        for (id, name) in ["x", "y", "z"].enumerated() {
            it.subscribe(name, id: UInt64(id + 1), to: NotifyCenter.Pattern(NotifyCenter.Channel(rawValue: name)!))
            it.answer(101 + UInt64(id), position: 5)
        }
        _ = it.comeBack(position: 9)
        _ = it.effects()
        #expect(it.machine.subscribing == [104: 1, 105: 2, 106: 3])
        return it
    }

    private func limited(_ milliseconds: Int) -> NotifyError {
        NotifyError(.rateLimited, "too many", retryAfter: .milliseconds(milliseconds))
    }

    private var milliseconds: (inout Transcript) -> UInt64? { { $0.machine.nextDeadline.map { $0 / 1_000_000 } } }

    @Test func `one that came too fast is asked for again when the daemon has said, and nobody is told that it ended`()
        throws
    {
        var it = try again()
        it.answer(104, position: 9)
        it.machine.refused(id: 105, sub: nil, limited(200), it.time)
        it.answer(106, position: 9)
        #expect(it.effects() == ["unheard rate_limited"])
        // Half of a tenth of a second later, as chance would have it.
        #expect(it.machine.nextDeadline == it.time + 250_000_000)
        it.now += 249
        it.tick()
        #expect(it.lines() == [])
        it.now += 1
        it.tick()
        // It goes on behind what it has got.
        #expect(it.replays() == [#"{"after":5,"epoch":"e1"}"#])
        it.answer(107, position: 12)
        #expect(it.effects() == [] && it.machine.nextDeadline == nil)
        #expect(it.machine.table.entries[2]?.isSent == true && it.machine.table.entries[2]?.isRefused == false)
    }

    @Test func `of several one is asked for at a time, the next when that has been answered`() throws {
        var it = try again()
        for id in [104, 105, 106] as [UInt64] { it.machine.refused(id: id, sub: nil, limited(100), it.time) }
        #expect(it.effects() == ["unheard rate_limited", "unheard rate_limited", "unheard rate_limited"])
        it.now += 150
        it.tick()
        #expect(it.lines() == ["subscribe 1"])
        it.now += 150
        it.tick()
        #expect(it.lines() == [])
        it.answer(107)
        #expect(it.lines() == ["subscribe 2"])
        // That is told once, however often it is tried.
        it.machine.refused(id: 108, sub: nil, limited(100), it.time)
        #expect(it.effects() == [] && it.lines() == [])
        it.now += 150
        it.tick()
        #expect(it.lines() == ["subscribe 3"])
        it.answer(109)
        #expect(it.lines() == ["subscribe 2"])
        it.answer(110)
        #expect(it.lines() == [] && it.machine.nextDeadline == nil)
    }

    @Test(arguments: [NotifyError.Code.quotaExceeded, .storageFailed])
    func `one for which there is no room at the moment is asked for ever less often`(code: NotifyError.Code) throws {
        var it = try again()
        it.answer(105)
        it.answer(106)
        var (id, pauses) = (UInt64(104), [UInt64]())
        for _ in 1...10 {
            it.machine.refused(id: id, sub: nil, NotifyError(code, "full"), it.time)
            let next = try #require(it.machine.nextDeadline) / 1_000_000
            pauses.append(next - it.now)
            it.now = next
            it.tick()
            #expect(it.lines() == ["subscribe 1"])
            id = it.machine.subscribing.keys.first ?? 0
        }
        #expect(pauses == [175, 250, 400, 700, 1300, 2500, 4900, 7600, 7600, 7600])
        #expect(it.effects() == ["unheard \(code)"])
        it.answer(id)
        #expect(it.machine.table.entries[1]?.wasAccepted == true && it.machine.nextDeadline == nil)
    }

    @Test func `who has left is not asked for again, nor anybody on a connection that is gone`() throws {
        var it = try again()
        for id in [104, 105, 106] as [UInt64] { it.machine.refused(id: id, sub: nil, limited(100), it.time) }
        it.machine.unsubscribe(1)
        #expect(it.lines() == [])
        it.now += 150
        it.tick()
        #expect(it.lines() == ["subscribe 2"])
        #expect(it.comeBack(position: 9).count == 2)
        it.answer(108)
        it.answer(109)
        #expect(it.lines() == [] && it.machine.nextDeadline == nil)
    }

    @Test func `what is refused for good ends its consumers, and the others are asked for`() throws {
        var it = try again()
        for id in [104, 105, 106] as [UInt64] { it.machine.refused(id: id, sub: nil, limited(100), it.time) }
        _ = it.effects()
        it.now += 150
        it.tick()
        it.machine.refused(id: 107, sub: nil, NotifyError(.denied, "no"), it.time)
        #expect(it.effects() == ["unheard denied", "x end denied"])
        _ = it.lines()
        it.tick()
        #expect(it.lines() == ["subscribe 2"])
    }

    @Test(arguments: [NotifyError.Code.rateLimited, .quotaExceeded])
    func `a new one that is refused ends with the error: whoever asks for it hears of it`(code: NotifyError.Code) throws
    {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.refused(id: 101, sub: nil, NotifyError(code, "no", retryAfter: .milliseconds(1)), it.time)
        #expect(it.effects() == ["unheard \(code)", "x end \(code)"])
    }

    @Test func `a new one that comes while the daemon stops is asked of the next`() throws {
        var it = try Transcript.open()
        it.subscribe("x", id: 1, to: "a")
        it.machine.refused(id: 101, sub: nil, NotifyError(.shuttingDown, "stops"), it.time)
        #expect(it.effects() == ["unheard shutting_down"])
        #expect(it.comeBack(epoch: "e2").count == 1)
        #expect(!it.machine.table.isEmpty)
    }
}
