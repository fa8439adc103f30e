// Enqueued posts that replace each other before they are sent.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(1)))
struct CoalescingTests {
    // MARK: The state machine

    private func hold(
        _ it: inout Transcript, _ payload: String, _ subject: NotifyCenter.Subject? = nil, for milliseconds: UInt64,
        _ scope: NotifyCenter.Coalescing.Scope = .channelAndSubject
    ) throws {
        let draft = draft(subject)
        let line = Array("{\"op\":\"post\",\"payload\":\"\(payload)\"}\n".utf8)
        try it.machine.hold(line, .init(draft, scope), for: milliseconds * 1_000_000, it.time)
    }

    private func draft(_ subject: NotifyCenter.Subject? = nil) -> PostDraft {
        PostDraft(channel: "a", type: nil, subject: subject, payload: [], terms: nil)
    }

    /// The payloads of the posts written since the last call.
    private func payloads(_ it: inout Transcript) -> [String] {
        var text = ""
        it.machine.outbox.flush { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes.count
        }
        return text.split(separator: "\n").filter { $0.contains("post") }.map { line in
            line.split(separator: "\"").last { $0 != "}" }.map(String.init) ?? ""
        }
    }

    @Test func `the last one goes when the time of the first is over`() throws {
        var it = try Transcript.open()
        try hold(&it, "1", for: 10)
        it.now = 9
        try hold(&it, "2", for: 10)
        #expect(it.machine.nextDeadline == 10_000_000)
        it.tick()
        #expect(payloads(&it) == [])
        it.now = 10
        it.tick()
        #expect(payloads(&it) == ["2"])
        it.now = 100
        it.tick()
        #expect(payloads(&it) == [])
    }

    @Test func `subjects do not replace each other, unless the whole channel is meant`() throws {
        var it = try Transcript.open()
        try hold(&it, "x1", "x", for: 10)
        try hold(&it, "none", for: 10)
        try hold(&it, "x2", "x", for: 10)
        try hold(&it, "c1", "x", for: 10, .channel)
        try hold(&it, "c2", "y", for: 10, .channel)
        it.now = 10
        it.tick()
        #expect(payloads(&it) == ["x2", "none", "c2"])
    }

    @Test func `they go in the order of their times`() throws {
        var it = try Transcript.open()
        for (number, time) in [30, 10, 20, 10].enumerated() {
            try hold(&it, "\(number)", .init(rawValue: "s\(number)"), for: UInt64(time))
        }
        it.now = 20
        it.tick()
        #expect(payloads(&it) == ["1", "3", "2"])
        #expect(it.machine.nextDeadline.map { $0 > 20_000_000 } == true)
        it.now = 30
        it.tick()
        #expect(payloads(&it) == ["0"])
    }

    @Test func `what is older goes first when another post goes to the same channel and subject`() throws {
        var it = try Transcript.open()
        try hold(&it, "x", "x", for: 10)
        try hold(&it, "y", "y", for: 10)
        try hold(&it, "c", for: 10, .channel)
        it.machine.releaseHeld(before: draft("x"), it.time)
        #expect(payloads(&it).sorted() == ["c", "x"])
        it.machine.releaseHeld(before: draft("x"), it.time)
        it.now = 10
        it.tick()
        #expect(payloads(&it) == ["y"])
    }

    @Test func `a shutdown sends them, an end without one loses them and says so`() throws {
        var it = try Transcript.open()
        try hold(&it, "1", for: 10)
        it.machine.shutDown(it.time, deadline: it.time + 1000)
        #expect(payloads(&it) == ["1"])
        it = try Transcript.open(reconnects: false)
        try hold(&it, "1", for: 10)
        it.lose()
        #expect(it.effects().filter { $0.hasPrefix("unheard") } == ["unheard not_connected"])
        #expect(throws: NotifyError.self) { try hold(&it, "2", for: 10) }
    }

    @Test func `they count as what waits, each once`() throws {
        var it = try Transcript.open()
        for _ in 1...3 { try hold(&it, String(repeating: "x", count: 3 << 20), for: 10) }
        #expect(it.machine.hasRoom)
        try hold(&it, String(repeating: "x", count: 1 << 20), "s", for: 10)
        #expect(!it.machine.hasRoom)
        it.now = 10
        it.tick()
        #expect(it.machine.held.bytes == 0)
    }

    // MARK: The center

    @Test func `of a burst one message is sent, the last`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        var ticks = center.messages(for: Tick.self).makeAsyncIterator()
        let hour = NotifyCenter.Coalescing.onChannelAndSubject(within: .seconds(3600))
        for number in 1...100 {
            try center.enqueue(Tick(number: number), subject: number % 2 == 0 ? "even" : "odd", coalescing: hour)
        }
        // Nothing was sent until now; a post about one subject lets that one's go before it.
        try await center.post(Tick(number: 101), subject: "even")
        #expect(await ticks.next()?.number == 100)
        #expect(await ticks.next()?.number == 101)
        await center.shutdown()
        #expect(await ticks.next()?.number == 99)
        #expect(await ticks.next() == nil)
    }

    @Test func `what is held back goes by itself, and at a shutdown`() async throws {
        let daemon = try await DaemonProcess()
        let witness = NotifyCenter.patient(at: daemon.socketPath)
        let center = NotifyCenter.patient(at: daemon.socketPath)
        var ticks = witness.messages(for: Tick.self).makeAsyncIterator()
        try await witness.ready()
        for number in 1...3 {
            try center.enqueue(Tick(number: number), coalescing: .onChannel(within: .milliseconds(10)))
        }
        #expect(await ticks.next()?.number == 3)
        try center.enqueue(
            payload: #"{"number":4}"#.utf8, to: Tick.channel, coalescing: .onChannel(within: .seconds(3600)))
        await center.shutdown()
        #expect(await ticks.next()?.number == 4)
    }

    @Test func `to be held back for no time stops the program with a sentence`() async {
        await #expect(processExitsWith: .failure) {
            _ = NotifyCenter.Coalescing.onChannel(within: .zero)
        }
        _ = NotifyCenter.Coalescing.onChannel(within: .nanoseconds(1))
    }
}
