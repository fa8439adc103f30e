// Sequences: buffers, gaps, iterators, cancellation.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IterationTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    private func post(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers { try await center.post(Tick(number: number)) }
        // The last message came before this answer.
        try await center.ready()
    }

    @Test(arguments: [(3, 0), (4, 1), (5, 2)])
    func `a full buffer drops the oldest and counts them`(count: Int, dropped: UInt64) async throws {
        let messages = center.messages(for: Tick.self, bufferSize: 3)
        try await post(1...count)
        #expect(messages.droppedCount == dropped)
        var iterator = messages.makeAsyncIterator()
        for number in count - 2...count { #expect(await iterator.next() == Tick(number: number)) }
        #expect(center.diagnostics.dropped == dropped)
    }

    @Test func `events show the gap in its place`() async throws {
        var events = center.events(for: Tick.self, buffer: .bufferingNewest(2)).makeAsyncIterator()
        try await post(1...5)
        guard case .gap(let gap)? = try await events.next() else {
            Issue.record("no gap")
            return
        }
        #expect(gap == NotifyCenter.Gap(channel: Tick.channel, from: 1, to: 3, count: 3, reason: .overflow))
        for number in 4...5 {
            guard case .message(let tick, _)? = try await events.next() else {
                Issue.record("no message")
                return
            }
            #expect(tick.number == number)
        }
    }

    @Test func `a second iterator has its own buffer from then on`() async throws {
        let messages = center.messages(for: Tick.self)
        var first = messages.makeAsyncIterator()
        try await post(1...2)
        var second = messages.makeAsyncIterator()
        try await post(3...4)
        for number in 1...4 { #expect(await first.next()?.number == number) }
        for number in 3...4 { #expect(await second.next()?.number == number) }
    }

    @Test func `iteration in a cancelled task ends`() async throws {
        let messages = center.messages(for: Tick.self)
        try await post(1...1)
        let count = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in messages { count += 1 }
            return count
        }.value
        #expect(count == 0)
    }

    @Test func `cancelling while waiting ends the iteration, and the subscription with it`() async throws {
        let center = center
        let task = Task {
            var received = 0
            for await _ in center.messages(for: Tick.self) { received += 1 }
            return received
        }
        while try await center.subscriptions().elements.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == 0)
        try await center.ready()
        #expect(try await center.subscriptions().elements.isEmpty)
    }

    @Test func `a sequence that nobody keeps leaves no subscription`() async throws {
        for _ in 1...3 {
            let messages = center.messages(for: Tick.self)
            _ = messages.droppedCount
        }
        _ = center.events(for: Tick.self).makeAsyncIterator()
        #expect(try await center.subscriptions().elements.isEmpty)
    }

    @Test func `withMessages begins after the daemon's word and unsubscribes`() async throws {
        let other = NotifyCenter.patient(at: daemon.socketPath)
        let (escaped, sum) = try await center.withMessages(for: Tick.self) { ticks in
            #expect(try await other.subscriptions().elements.count == 1)
            for number in 1...3 { try await other.post(Tick(number: number)) }
            var sum = 0
            for await tick in ticks {
                sum += tick.number
                if tick.number == 3 { break }
            }
            return (ticks, sum)
        }
        #expect(sum == 6)
        try await center.ready()
        #expect(try await center.subscriptions().elements.isEmpty)
        // The sequence ends with its scope.
        for await _ in escaped { Issue.record("nothing can come") }
    }

    @Test func `withMessages throws what its body throws, and unsubscribes`() async throws {
        struct Mine: Error {}
        await #expect(throws: Mine.self) {
            try await center.withMessages(for: Tick.self) { _ in throw Mine() }
        }
        #expect(try await center.subscriptions().elements.isEmpty)
    }

    @Test func `consumers of the same thing share one subscription and one decoding`() async throws {
        let observed = Order(until: 10)
        let first = center.messages(for: Counted.self)
        let second = center.events(for: Counted.self)
        let token = center.addObserver(for: Counted.self, bufferSize: 100) { await observed.note($0.number) }
        let other = center.messages(of: "s", for: Counted.self)
        try await center.ready()
        #expect(try await center.subscriptions().elements.count == 2)
        let before = Counted.decodings.value
        for number in 1...10 { try await center.post(Counted(number: number)) }
        var one = first.makeAsyncIterator()
        var two = second.makeAsyncIterator()
        for number in 1...10 {
            #expect(await one.next()?.number == number)
            guard case .message(let message, _)? = try await two.next() else {
                Issue.record("no message")
                return
            }
            #expect(message.number == number)
        }
        #expect(await observed.result() == (10, true))
        #expect(Counted.decodings.value - before == 10)
        token.cancel()
        withExtendedLifetime(other) {}
    }

    @Test func `a smaller buffer is shared with a larger one that is there, not the other way round`() async throws {
        let small = center.messages(for: Tick.self, bufferSize: 1)
        #expect(try await center.subscriptions().elements.map(\.messages) == [1])
        let large = center.messages(for: Tick.self, bufferSize: 3)
        let between = center.messages(for: Tick.self, bufferSize: 2)
        let oldest = center.events(for: Tick.self, buffer: .bufferingOldest(1))
        let subscriptions = try await center.subscriptions().elements
        #expect(subscriptions.map(\.messages).sorted() == [1, 1, 3])
        #expect(subscriptions.map(\.policy).sorted() == ["newest", "newest", "oldest"])
        try await post(1...4)
        await center.shutdown()
        // Each has its own buffer.
        for (messages, expected) in [(small, [4]), (large, [2, 3, 4]), (between, [3, 4])] {
            var numbers: [Int] = []
            for await tick in messages { numbers.append(tick.number) }
            #expect(numbers == expected)
        }
        withExtendedLifetime(oldest) {}
    }

    @Test func `a shared subscription stays as it is until the last has gone, then the next one has its own size`()
        async throws
    {
        var large: NotifyCenter.Messages<Tick>? = center.messages(for: Tick.self, bufferSize: 9)
        var small: NotifyCenter.Messages<Tick>? = center.messages(for: Tick.self, bufferSize: 2)
        withExtendedLifetime((large, small)) {}
        large = nil
        #expect(try await center.subscriptions().elements.map(\.messages) == [9])
        small = nil
        let next = center.messages(for: Tick.self, bufferSize: 3)
        #expect(try await center.subscriptions().elements.map(\.messages) == [3])
        withExtendedLifetime(next) {}
    }

    @Test func `a hundred tasks cancelled while messages pour in leave nothing`() async throws {
        let poster = NotifyCenter.patient(at: daemon.socketPath)
        let pouring = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await poster.post(Tick(number: number))
            }
        }
        for _ in 1...25 {
            let tasks = (0..<8).map { index in
                Task { [center] in
                    var last = 0
                    for await tick in center.messages(for: Tick.self, bufferSize: 100) {
                        #expect(tick.number > last)
                        last = tick.number
                        if index == 0 { break }
                    }
                }
            }
            _ = await tasks[0].value
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
        pouring.cancel()
        _ = await pouring.result
        #expect(try await center.subscriptions().elements.isEmpty)
    }
}

/// A message that counts how often it was decoded.
private struct Counted: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "counted"
    static let decodings = Counter()
    var number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        Self.decodings.add()
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
    }
}

/// Counts, from anywhere.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() { lock.withLock { count += 1 } }
    var value: Int { lock.withLock { count } }
}
