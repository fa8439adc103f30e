// Posts whose answer was lost with the connection: sent again under the same key, where the daemon knows it.

import Foundation
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(2)))
struct ResendTests {
    private func key(_ line: String?) -> String? {
        guard let line, let range = line.firstRange(of: "\"dedup\":\"") else { return nil }
        return String(line[range.upperBound...].prefix { $0 != "\"" })
    }

    // MARK: The state machine

    @Test func `a post with a key is sent again by the next connection of the same epoch`() throws {
        var it = try Transcript.open()
        try it.post(1, .keyed)
        #expect(it.lines() == ["post"])
        it.lose()
        #expect(it.effects() == ["disconnect", "state disconnected not_connected"])
        it.now = 3000
        it.tick()
        it.greet()
        #expect(it.lines() == ["post"])
        it.answer(1, position: 7)
        #expect(it.effects().last == "1 ok pos 7")
    }

    @Test(arguments: [("e2", nil), ("e1", 7)] as [(String, UInt64?)])
    func `not by one of another epoch or process, which does not know the key; one that was not sent is`(
        epoch: String, started: UInt64?
    ) throws {
        var it = try Transcript.open()
        try it.post(1, .keyed)
        #expect(it.lines(flushing: 3) == ["post"])
        try it.post(2, .keyed)
        it.lose()
        it.now = 3000
        it.tick()
        _ = it.effects()
        it.greet(epoch: epoch, started: started)
        #expect(it.effects().contains("1 failed not_connected"))
        #expect(it.lines() == ["post"])
        it.answer(2)
        #expect(it.effects() == ["2 ok pos 0"])
    }

    @Test(arguments: [(59_999 as UInt64, true), (60_000, false)])
    func `and not when the daemon may have forgotten the key`(lostAt: UInt64, isSentAgain: Bool) throws {
        var it = try Transcript.open()
        try it.post(1, .keyed)
        _ = it.lines()
        it.now = lostAt
        it.lose()
        #expect(it.effects().contains("1 failed not_connected") == !isSentAgain)
    }

    @Test func `one that waits to be sent again and gives up says that it may have been accepted`() throws {
        for ending in 0...2 {
            var it = try Transcript.open()
            try it.post(1, .keyed)
            _ = it.lines()
            it.lose()
            it.machine.effects = []
            switch ending {
            case 0:
                it.now = 5000
                it.machine.tick(it.time, silent: NotifyError(.notConnected, "does not answer"))
            case 1: it.machine.close(nil)
            default:
                let wasUnsent = it.machine.requests.withdraw(1)
                #expect(!wasUnsent)
                continue
            }
            let messages = it.machine.effects.compactMap { effect -> String? in
                guard case .resolve(1, .failure(let error)) = effect else { return nil }
                return error.message
            }
            #expect(messages.count == 1)
            #expect(messages.first?.contains("may or may not have been accepted") == true)
        }
    }

    @Test func `keys differ, and there are no more of them than the daemon can be expected to remember`() {
        let keys = PostKeys()
        let first = (0..<1001).map { _ in keys.next(5) }
        #expect(Set(first.compactMap(\.self)).count == 1000)
        #expect(first.last == .some(nil))
        #expect(keys.next(5 + 9_999_999) == nil)
        #expect(keys.next(5 + 10_000_000) != nil)
        #expect(keys.next(5 + 10_000_000) == nil)
    }

    // MARK: A scripted daemon

    @Test func `the second one carries the key of the first, and its receipt is no duplicate to who posted it`()
        async throws
    {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let receipt = Task { [center] in try await center.post(Tick(number: 1)) }
        let first = await peer.acceptAndGreet()
        let line = try #require(await first.line())
        #expect(key(line) != nil)
        first.hangUp()
        let second = await peer.acceptAndGreet()
        let again = try #require(await second.line())
        #expect(again == line)
        let id = try #require(again.firstRange(of: "\"id\":")).upperBound
        await second.send(
            #"{"op":"ok","id":\#(again[id...].prefix { $0.isNumber }),"seq":4,"pos":9,"matched":2,"dropped":1,"duplicate":true}"#
        )
        #expect(
            try await receipt.value
                == NotifyCenter.PostReceipt(sequence: 4, position: 9, matched: 2, dropped: 1))
    }

    @Test func `a key that the daemon has no room for is given up, not the post`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let receipt = Task { [center] in try await center.post(Tick(number: 1)) }
        let connection = await peer.acceptAndGreet()
        for turn in 1...2 {
            let line = try #require(await connection.line())
            #expect((key(line) == nil) == (turn == 2))
            let start = try #require(line.firstRange(of: "\"id\":")).upperBound
            let id = line[start...].prefix { $0.isNumber }
            await connection.send(
                turn == 1
                    ? #"{"op":"error","id":\#(id),"code":"quota_exceeded","message":"no room"}"#
                    : #"{"op":"ok","id":\#(id),"seq":1,"pos":1,"matched":0,"dropped":0}"#)
        }
        #expect(try await receipt.value.sequence == 1)
    }

    // MARK: The real one

    @Test func `posts over a connection that is lost again and again are all accepted, each once`() async throws {
        let daemon = try await DaemonProcess()
        let relay = try CuttableRelay(to: daemon.socketPath)
        let witness = NotifyCenter.patient(at: daemon.socketPath)
        var ticks = witness.messages(for: Tick.self).makeAsyncIterator()
        try await witness.ready()
        let poster = NotifyCenter.patient(at: relay.path)
        let posting = Task {
            for number in 1...100 { try await poster.post(Tick(number: number)) }
        }
        for number in 1...100 {
            #expect(await ticks.next()?.number == number)
            // The answer is on its way, or not even that.
            if number % 3 == 0 { relay.cut() }
        }
        try await posting.value
        #expect(poster.diagnostics.disconnects > 0)
        try await witness.post(Tick(number: 101))
        #expect(await ticks.next()?.number == 101)
    }
}
