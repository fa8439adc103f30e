// What each user may have of one wake-up, with times given by hand.

import NotifyTransport
import Testing

@testable import NotifyDaemon

@Suite("Shares of a wake-up")
struct WakeUpSharesTests {
    private static let share = WakeUpShares.share

    /// Asks for one user after the other; `spent` is what passes after each question.
    private func admitted(_ turns: [(uid: UInt32, spent: UInt64)]) -> [Bool] {
        var shares = WakeUpShares()
        var now: UInt64 = 1_000
        _ = shares.begin(at: now, sessions: 3)
        return turns.map { turn in
            let isAdmitted = shares.admits(turn.uid) { now }
            now += turn.spent
            return isAdmitted
        }
    }

    @Test("who has had a share is not admitted again, and with a nanosecond less is")
    func limit() {
        #expect(admitted([(1, Self.share - 1), (1, 1), (1, 0)]) == [true, true, false])
        #expect(admitted([(1, Self.share), (1, 0)]) == [true, false])
    }

    @Test("what several sessions of a user have had adds up, whoever comes between")
    func sum() {
        let half = Self.share / 2
        #expect(admitted([(1, half), (2, half), (1, half), (1, 0), (2, 0)]) == [true, true, true, false, true])
    }

    @Test("others are admitted, however much one has had")
    func others() {
        #expect(admitted([(1, 100 * Self.share), (2, 0), (1, 0), (3, 0)]) == [true, true, false, true])
    }

    @Test("what is bounded otherwise is nobody's")
    func forgiven() {
        var shares = WakeUpShares()
        _ = shares.begin(at: 0, sessions: 3)
        _ = shares.admits(1) { 0 }
        shares.forgive(until: 10 * Self.share)
        let isAdmitted = shares.admits(1) { 11 * Self.share - 1 }
        #expect(isAdmitted)
        let isAdmittedAgain = shares.admits(1) { 11 * Self.share }
        #expect(!isAdmittedAgain)
    }

    @Test("everybody begins anew with each wake-up, and the first needs no clock")
    func anew() {
        var shares = WakeUpShares()
        _ = shares.begin(at: 0, sessions: 3)
        _ = shares.admits(1) { 0 }
        let isAdmitted = shares.admits(1) { Self.share }
        #expect(!isAdmitted)
        _ = shares.begin(at: Self.share, sessions: 3)
        var asked = 0
        func now() -> UInt64 {
            asked += 1
            return Self.share
        }
        let first = shares.admits(1, now: now)
        #expect(first && asked == 0)
        let second = shares.admits(1, now: now)
        #expect(second && asked == 1)
    }

    /// A wake-up with so many events, in which user 1 takes more than a share if it may; whether it may in the next one.
    private func isAdmittedAfter(_ events: Int, sessions: Int, _ shares: inout WakeUpShares) -> Bool {
        for _ in 0..<events { shares.note() }
        var now: UInt64 = 0
        let user = shares.admits(1) { now }
        now = 2 * Self.share
        if user { _ = shares.admits(1) { now } }
        let isNew = shares.begin(at: 0, sessions: sessions)
        let isAdmitted = shares.admits(1) { 0 }
        #expect(isAdmitted == isNew)
        return isAdmitted
    }

    @Test("of more sessions than one wake-up tells of, all are told of before somebody has a share again")
    func rounds() {
        let most = EventLoop.eventsPerWait - 2
        for (events, sessions, isAdmitted) in [
            (most - 1, 10 * most, true), (most, 10 * most, false), (most, most + 1, false), (most, most, true),
        ] {
            var shares = WakeUpShares()
            _ = shares.begin(at: 0, sessions: sessions)
            #expect(isAdmittedAfter(events, sessions: sessions, &shares) == isAdmitted)
        }
        var shares = WakeUpShares()
        _ = shares.begin(at: 0, sessions: 3 * most)
        let admitted = (1...6).map { _ in isAdmittedAfter(most, sessions: 3 * most, &shares) }
        #expect(admitted == [false, false, true, false, false, true])
    }
}
