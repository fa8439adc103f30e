// What posts may ask for, and what their receipts say of it.

import Foundation
import NotifyTestSupport
import NotifyWire
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(2)))
struct PostOptionTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    @discardableResult
    private func post(_ number: Int, _ options: NotifyCenter.PostOptions) async throws -> NotifyCenter.PostReceipt {
        try await center.post(Tick(number: number), options: options)
    }

    private func code(_ options: NotifyCenter.PostOptions) async -> NotifyError? {
        do {
            _ = try await post(0, options)
            return nil
        } catch {
            return error as? NotifyError
        }
    }

    @Test func `a condition on the sequence compares and sets`() async throws {
        #expect(try await post(1, .onlyIf(sequence: 0)).sequence == 1)
        let conflict = await code(.onlyIf(sequence: 0))
        #expect(conflict?.code == .conflict)
        #expect(conflict?.sequence == 1)
        #expect(try await post(2, .onlyIf(sequence: 1)).sequence == 2)
    }

    @Test func `of many who compare and set at once one wins each turn`() async throws {
        let wins = await withTaskGroup(of: Int.self) { group in
            for _ in 1...4 {
                group.addTask {
                    let center = NotifyCenter.patient(at: daemon.socketPath)
                    var wins = 0
                    for sequence in 0..<20 {
                        do {
                            try await center.post(Tick(number: 0), options: .onlyIf(sequence: UInt64(sequence)))
                            wins += 1
                        } catch let error as NotifyError {
                            #expect(error.code == .conflict)
                        } catch {
                            Issue.record(error)
                        }
                    }
                    return wins
                }
            }
            return await group.reduce(0, +)
        }
        let last = try await center.channels(matching: "clock.tick").elements.first?.seq
        #expect(last == UInt64(wins))
        #expect(wins >= 20)
    }

    @Test func `a post that requires subscribers fails without any`() async throws {
        let options = NotifyCenter.PostOptions(requireSubscribers: true)
        #expect(await code(options)?.code == .noSubscribers)
        let messages = center.messages(for: Tick.self)
        #expect(try await post(1, options).matched == 1)
        withExtendedLifetime(messages) {}
    }

    @Test func `a second post with the same key is not delivered, and its receipt is the first one's`() async throws {
        var ticks = center.messages(for: Tick.self).makeAsyncIterator()
        let key = NotifyCenter.PostOptions(deduplicationKey: "k")
        let first = try await post(1, key)
        #expect(!first.isDuplicate)
        let second = try await post(2, key)
        #expect(second.isDuplicate)
        #expect((second.sequence, second.position, second.matched) == (first.sequence, first.position, 1))
        try await post(3, .init(deduplicationKey: "other"))
        #expect(await ticks.next()?.number == 1)
        #expect(await ticks.next()?.number == 3)
    }

    @Test func `a delayed post comes later, or never when it is taken back`() async throws {
        var ticks = center.messages(for: Tick.self).makeAsyncIterator()
        let delayed = try await post(1, .delayed(by: .milliseconds(50)))
        #expect(delayed.sequence == 0)
        let cancelled = try await post(2, .delayed(by: .seconds(3600)))
        let number = try #require(cancelled.schedule)
        #expect(delayed.schedule != number)
        try await center.cancel(schedule: number)
        let error = await #expect(throws: NotifyError.self) { try await center.cancel(schedule: number) }
        #expect(error?.code == .unknownSchedule)
        // One that is past is posted at once.
        try await post(3, .at(Date(timeIntervalSinceNow: -1)))
        let numbers = [await ticks.next()?.number, await ticks.next()?.number]
        #expect(Set(numbers) == [1, 3])
        #expect(try await post(4, .at(Date(timeIntervalSinceNow: 3600))).schedule != nil)
        #expect(try await center.statistics().posts == 2)
    }

    @Test func `of posts that may be held back the last one comes`() async throws {
        var ticks = center.messages(for: Tick.self).makeAsyncIterator()
        let options = NotifyCenter.PostOptions(coalesceWithin: .seconds(3600))
        let first = try await post(1, options)
        #expect(first.isHeld && !first.hasReplaced)
        let second = try await post(2, options)
        #expect(second.isHeld && second.hasReplaced)
        // One that may not be held back comes after those that were.
        try await post(3, .init())
        #expect(await ticks.next()?.number == 2)
        #expect(await ticks.next()?.number == 3)
    }

    @Test func `what has expired is kept no more`() async throws {
        try await post(1, .init(retain: true, timeToLive: .seconds(3600)))
        #expect(try await center.retained(on: Tick.channel) != nil)
        try await post(2, .init(retain: true, timeToLive: .milliseconds(1)))
        while try await center.retained(on: Tick.channel) != nil { await Task.yield() }
    }

    @Test func `options that exclude each other or are out of range are refused here`() throws {
        let second = Duration.seconds(1)
        let bad: [NotifyCenter.PostOptions] = [
            .init(delay: second, at: Date()), .init(delay: second, coalesceWithin: second),
            .init(at: Date(), coalesceWithin: second), .init(timeToLive: .zero), .init(timeToLive: .seconds(-1)),
            .init(delay: .milliseconds(-1)), .init(delay: .seconds(3_155_760_001)), .init(deduplicationKey: ""),
            .init(deduplicationKey: String(repeating: "k", count: 129)), .init(ifSequence: UInt64(Int64.max) + 1),
        ]
        for options in bad {
            let error = #expect(throws: NotifyError.self) { try options.onWire() }
            #expect(error?.code == .invalidArgument)
        }
        let good = NotifyCenter.PostOptions(
            timeToLive: .nanoseconds(1), delay: .seconds(3_155_760_000),
            deduplicationKey: String(repeating: "k", count: 128), ifSequence: UInt64(Int64.max))
        let terms = try #require(try good.onWire()).terms
        // Rounded up: nothing happens too early.
        #expect(terms.timeToLive == 1)
        #expect(terms.delay == 3_155_760_000_000)
    }
}
