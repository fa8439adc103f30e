// Whose requests go on when, by itself: time is an argument.

import Testing

@testable import NotifyDaemon

@Suite("Turns")
struct TurnsTests {
    @Test("come to those who need no rest at once, in the order in which they came")
    func order() {
        var turns = Turns()
        turns.wasServed(9, at: 1)
        for slot in [3, 1, 2] { turns.wait(slot, until: 0) }
        #expect(turns.next == 0)
        #expect(turns.take(at: 5) == [3, 1, 2])
        #expect(turns.isEmpty && turns.next == nil)
    }

    @Test("come to those who rest when their rest is over, if others keep asking")
    func rest() {
        var turns = Turns()
        turns.wasServed(1, at: 0)
        turns.wait(1, until: 50_000_000)
        for time in stride(from: UInt64(0), to: 50_000_000, by: 1_000_000) {
            turns.wasServed(2, at: time)
            #expect(turns.take(at: time).isEmpty)
        }
        #expect(turns.next == 50_000_000)
        #expect(turns.take(at: 50_000_000) == [1])
    }

    @Test("come at once if nobody else has asked for anything for a while, whatever the session itself has asked")
    func alone() {
        var turns = Turns()
        turns.wasServed(1, at: 100)
        turns.wait(1, until: .max)
        #expect(turns.take(at: 101) == [1], "there is nobody else")
        turns.wasServed(2, at: 200)
        turns.wasServed(1, at: 300)
        turns.wait(1, until: .max)
        #expect(turns.next == 200 + Turns.quiet)
        #expect(turns.take(at: 199 + Turns.quiet).isEmpty)
        turns.wasServed(1, at: 250 + Turns.quiet)
        #expect(turns.take(at: 200 + Turns.quiet) == [1])
    }

    @Test("come to those whose client has gone, and to all when the daemon stops")
    func gone() {
        var turns = Turns()
        turns.wasServed(7, at: 10)
        turns.wait(1, until: .max)
        turns.wait(2, until: .max)
        turns.stopResting(2)
        #expect(turns.take(at: 11) == [2])
        turns.wait(3, until: .max)
        #expect(turns.takeAll() == [1, 3] && turns.isEmpty)
    }
}
