// All that the daemon and the library do by the time, by the time of the test.

import FoundationEssentials
import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TimeTests {
    let daemon = InProcessDaemon()
    var clock: ManualClock { daemon.clock }

    @Test func `a message is posted at its time of day`() async throws {
        let center = daemon.makeCenter()
        let reminders = center.record(Reminder.self)
        try await center.post(Reminder(), options: .at(clock.date.addingTimeInterval(3600)))
        await clock.advance(by: .seconds(3599))
        #expect(reminders.messages.isEmpty)
        await clock.advance(by: .seconds(1))
        #expect(reminders.messages.count == 1)
    }

    @Test func `a message says when it was accepted`() async throws {
        let center = daemon.makeCenter()
        let reminders = center.record(Reminder.self)
        await clock.advance(by: .seconds(10))
        try await center.post(Reminder())
        await daemon.settle()
        guard case .message(_, let info)? = reminders.events.first else {
            Issue.record("a message was posted")
            return
        }
        #expect(info.time == clock.date)
        #expect(info.timestamp == "2001-09-09T01:46:50.000000Z")
    }

    @Test func `a retained message lives as long as it may`() async throws {
        let center = daemon.makeCenter()
        let options = NotifyCenter.PostOptions(retain: true, timeToLive: .seconds(5))
        try await center.post(Reminder(), options: options)
        await clock.advance(by: .seconds(4.999))
        #expect(try await center.retained(on: Reminder.channel) != nil)
        await clock.advance(by: .milliseconds(1))
        #expect(try await center.retained(on: Reminder.channel) == nil)
    }

    @Test func `a burst is held back and its last message comes`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        let options = NotifyCenter.PostOptions(coalesceWithin: .milliseconds(100))
        for count in 1...3 { try await center.post(CartDidChange(itemCount: count), options: options) }
        await clock.advance(by: .milliseconds(99))
        #expect(changes.messages.isEmpty)
        await clock.advance(by: .milliseconds(1))
        #expect(changes.messages == [CartDidChange(itemCount: 3)])
    }

    @Test func `a subscription gets at most one message in its interval`() async throws {
        let center = daemon.makeCenter()
        let messages = center.rawMessages(matching: "shop.>", options: .init(minimumInterval: .seconds(1)))
        let counts = Count()
        let task = Task(executorPreference: daemon.executor) { for await _ in messages { counts.up() } }
        for count in 1...5 { try await center.post(CartDidChange(itemCount: count)) }
        await daemon.settle()
        #expect(counts.value == 1)
        await clock.advance(by: .seconds(1))
        #expect(counts.value == 2)
        task.cancel()
    }

    @Test func `history reaches back a minute`() async throws {
        let center = daemon.makeCenter()
        try await center.post(Reminder(text: "old"))
        await clock.advance(by: .seconds(30))
        try await center.post(Reminder(text: "new"))
        await clock.advance(by: .seconds(30))
        let reminders = center.record(Reminder.self, replay: .last(10))
        await daemon.settle()
        #expect(reminders.messages.map(\.text) == ["new"])
        #expect(reminders.gaps.map(\.reason) == [.history])
    }

    @Test func `a long history comes whole`() async throws {
        let center = daemon.makeCenter()
        let payload = Array("\"\(String(repeating: "w", count: 1000))\"".utf8)
        for number in 0..<400 { try await center.post(payload: payload, to: .init(validating: "long.\(number % 10)")) }
        let counts = Count()
        let messages = center.rawMessages(matching: "long.*", options: .init(replay: .last(64)))
        let task = Task(executorPreference: daemon.executor) { for await _ in messages { counts.up() } }
        await daemon.settle()
        #expect(counts.value == 400)
        task.cancel()
    }

    @Test func `enqueued messages need no time`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        for count in 1...1000 { try center.enqueue(CartDidChange(itemCount: count)) }
        let pending = try await center.submit(CartDidChange(itemCount: 1001))
        _ = try await pending.value
        await daemon.settle()
        #expect(changes.messages.map(\.itemCount) == Array(1...1001))
        #expect(clock.now.offset == .zero)
    }

    @Test func `debouncing goes by the same clock`() async throws {
        let center = daemon.makeCenter()
        let settled = center.messages(for: CartDidChange.self).debounce(for: .milliseconds(300), clock: clock)
        let counts = Record()
        let task = Task(executorPreference: daemon.executor) {
            for await change in settled { counts.add(change.itemCount) }
        }
        for count in 1...3 {
            try await center.post(CartDidChange(itemCount: count))
            await clock.advance(by: .milliseconds(299))
        }
        #expect(counts.values.isEmpty)
        await clock.advance(by: .milliseconds(1))
        #expect(counts.values == [3])
        task.cancel()
    }

    @Test func `batches are filled or come when their time is over`() async throws {
        let center = daemon.makeCenter()
        let batches = center.messages(for: CartDidChange.self).batches(ofCount: 3, or: .seconds(1), clock: clock)
        let sizes = Record()
        let task = Task(executorPreference: daemon.executor) { for await batch in batches { sizes.add(batch.count) } }
        for count in 1...4 { try await center.post(CartDidChange(itemCount: count)) }
        await daemon.settle()
        #expect(sizes.values == [3])
        await clock.advance(by: .seconds(1))
        #expect(sizes.values == [3, 1])
        task.cancel()
    }

    @Test func `several daemons go by one clock`() async throws {
        let other = InProcessDaemon(clock: clock)
        let centers = [daemon.makeCenter(), other.makeCenter()]
        let records = centers.map { $0.record(Reminder.self) }
        for (index, center) in centers.enumerated() {
            try await center.post(Reminder(), options: .delayed(by: .seconds(index + 1)))
        }
        await clock.advance(by: .seconds(1))
        #expect(records.map(\.messages.count) == [1, 0])
        await clock.advance(by: .seconds(1))
        #expect(records.map(\.messages.count) == [1, 1])
    }
}
