// Posts without a receipt, as transcripts: what vouches for them, and what becomes of them when nothing does.

import Testing

@testable import Notify

struct SilentPostTests {
    /// Two such posts are more than may wait for a ping.
    private let large = "\"" + String(repeating: "x", count: 33 << 10) + "\""

    @Test func `a ping follows half a second after the first of them, and its answer vouches for all before it`() throws
    {
        var it = try Transcript.open()
        try it.enqueue()
        it.now = 100
        try it.enqueue()
        #expect(it.lines() == ["post", "post"])
        #expect(it.machine.nextDeadline == 500_000_000)
        it.now = 500
        it.tick()
        #expect(it.lines() == ["ping"])
        try it.enqueue()
        it.answer(101)
        #expect(it.machine.silent.pendingBytes > 0)
        #expect(it.machine.nextDeadline == 1_000_000_000)
        it.now = 1000
        it.tick()
        it.answer(102)
        #expect(it.machine.silent.pendingBytes == 0)
        #expect(it.machine.nextDeadline == nil)
        #expect(it.effects() == [])
    }

    @Test func `a ping follows at once when many bytes wait, one at a time`() throws {
        var it = try Transcript.open()
        try it.enqueue(large)
        #expect(it.lines() == ["post"])
        for _ in 1...3 { try it.enqueue(large) }
        #expect(it.lines() == ["post", "ping", "post", "post"])
        it.answer(101)
        #expect(it.lines() == ["ping"])
        it.answer(102)
        #expect(it.machine.silent.pendingBytes == 0)
        #expect(it.lines() == [])
    }

    @Test func `what is not vouched for takes room`() throws {
        var it = try Transcript.open()
        while it.machine.hasRoom { try it.enqueue(large) }
        _ = it.lines()
        for id: UInt64 in [101, 102] { it.answer(id) }
        let hasMuchRoom = it.machine.hasMuchRoom
        #expect(hasMuchRoom)
    }

    @Test func `at a loss those that did not go out are sent again in their order, the others are told`() throws {
        var it = try Transcript.open()
        try it.enqueue()
        #expect(it.lines() == ["post"])
        try it.enqueue("2")
        try it.post(7)
        try it.enqueue("3")
        it.lose()
        #expect(it.effects() == ["disconnect", "unheard not_connected", "state disconnected not_connected"])
        it.now = 3000
        it.tick()
        it.greet()
        var text = ""
        it.machine.outbox.flush { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes.count
        }
        let payloads = text.split(separator: "\n").map { $0.suffix(2).first }
        #expect(payloads == ["2", "1", "3"])
        #expect(text.contains("\"id\":7"))
    }

    @Test func `what was vouched for is not told at a loss`() throws {
        var it = try Transcript.open()
        try it.enqueue()
        it.now = 500
        it.tick()
        _ = it.lines()
        it.answer(101)
        it.lose()
        #expect(it.effects() == ["disconnect", "state disconnected not_connected"])
    }

    @Test func `those that waited for the daemon go out in their place among the others`() throws {
        var it = Transcript()
        try it.enqueue("2")
        try it.post(1)
        _ = it.effects()
        it.greet()
        #expect(it.lines() == ["post", "post"])
        it.now = 500
        it.tick()
        #expect(it.lines() == ["ping"])
    }

    @Test func `a shutdown asks at once, and waits for the answer`() throws {
        var it = try Transcript.open()
        try it.enqueue()
        _ = it.lines()
        it.machine.shutDown(it.time, deadline: 5_000_000_000)
        #expect(it.lines() == ["ping"])
        #expect(it.effects() == [])
        #expect(throws: NotifyError.self) { try it.enqueue() }
        it.answer(101)
        it.machine.finishDraining(it.time)
        #expect(it.lines() == ["bye"])
        #expect(it.effects() == ["disconnect", "state closed -"])
    }
}
