// A clock that moves when it is told to.

import FoundationEssentials
import NotifyTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
final class ManualClockTests: Sendable {
    let clock = ManualClock()
    private let log = Mutex<[String]>([])

    private func note(_ word: String) {
        log.withLock { $0.append("\(word) at \(clock.now.offset / .seconds(1))") }
    }

    @Test func `sleepers wake in the order of their deadlines, each at its own time`() async throws {
        await withTaskGroup { group in
            for seconds in [3, 1, 2] {
                group.addTask(executorPreference: clock.executor) { [self] in
                    try? await clock.sleep(for: .seconds(seconds))
                    note("\(seconds)")
                }
            }
            await clock.advance(by: .seconds(2))
            await clock.advance(by: .seconds(0.5))
            #expect(log.withLock { $0 } == ["1 at 1.0", "2 at 2.0"])
            group.cancelAll()
        }
        #expect(log.withLock { $0 } == ["1 at 1.0", "2 at 2.0", "3 at 2.5"])
    }

    @Test func `a sleep into the past returns at once`() async throws {
        try await clock.sleep(until: clock.now)
        #expect(clock.now.offset == .zero)
    }

    @Test func `sleeping in a cancelled task throws, and is over`() async {
        let first = Task(executorPreference: clock.executor) { [clock] in try await clock.sleep(for: .seconds(1)) }
        await clock.settle()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test func `whoever sleeps again while the clock moves is woken in time`() async {
        let ticks = Count()
        let task = Task(executorPreference: clock.executor) { [clock] in
            for _ in 1...10 {
                try await clock.sleep(for: .seconds(1))
                ticks.up()
            }
        }
        await clock.advance(by: .seconds(9.5))
        #expect(ticks.value == 9)
        await clock.advance(by: .seconds(0.5))
        #expect(ticks.value == 10)
        _ = await task.result
    }

    @Test func `tenths of a second add up to seconds`() async throws {
        for _ in 1...10 { await clock.advance(by: .seconds(0.1)) }
        #expect(clock.now.offset == .seconds(1))
    }

    @Test func `the time of day moves along`() async {
        let start = clock.date
        await clock.advance(by: .seconds(1.5))
        #expect(clock.date.timeIntervalSince(start) == 1.5)
        await clock.advance(to: .init(offset: .seconds(2)))
        #expect(clock.now.offset == .seconds(2))
    }
}
