// Who rests after a long turn, and how long.

import Testing

@testable import NotifyBroker

@Suite("Rests")
struct RestTests {
    private let part = Limits.workPerTurn / 2

    @Test("are for those of whom more than half of a turn was, and end with a shorter one")
    func half() {
        let stage = Stage()
        let client = stage.connect()
        stage.rest(client, after: part, nanoseconds: 500)
        #expect(client.peer.pointee.restsUntil == 0)
        stage.rest(client, after: part + 1, nanoseconds: 500)
        #expect(client.peer.pointee.restsUntil == stage.now.monotonic + 500)
        stage.rest(client, after: part, nanoseconds: 500)
        #expect(client.peer.pointee.restsUntil == 0)
    }

    @Test("of one account come one after the other: many connections get no more than one would")
    func account() {
        let stage = Stage()
        let (one, two, other) = (stage.connect(uid: 1), stage.connect(uid: 1), stage.connect(uid: 2))
        for client in [one, two, other] { stage.rest(client, after: part + 1, nanoseconds: 500) }
        #expect(one.peer.pointee.restsUntil == stage.now.monotonic + 500)
        #expect(two.peer.pointee.restsUntil == stage.now.monotonic + 1000)
        #expect(other.peer.pointee.restsUntil == stage.now.monotonic + 500)
        // What is over is not counted again.
        stage.advance(milliseconds: 1)
        stage.rest(one, after: part + 1, nanoseconds: 500)
        #expect(one.peer.pointee.restsUntil == stage.now.monotonic + 500)
    }
}
