// What follows a burst of changes, with a clock that the test moves.

import Notify
import NotifyTesting
import Testing

@testable import RecordIndex

@Suite(.timeLimit(.minutes(1))) struct FollowersTests {
    actor Notes {
        private(set) var batches: [Set<Int>] = []
        private(set) var drawn: [Int] = []
        func add(_ batch: Set<Int>) { batches.append(batch) }
        func draw(_ id: Int) { drawn.append(id) }
    }

    @Test func `a burst is indexed a hundred at a time, and drawn once, when it has become quiet`() async throws {
        let clock = ManualClock()
        let center = NotifyCenter.inProcess(clock: clock)
        let notes = Notes()
        let (toIndex, toDraw) = (center.messages(for: RecordDidChange.self), center.messages(for: RecordDidChange.self))
        let following = [
            Task(executorPreference: clock.executor) { await index(toIndex, clock: clock) { await notes.add($0) } },
            Task(executorPreference: clock.executor) { await draw(toDraw, clock: clock) { await notes.draw($0) } },
        ]
        for id in 1...250 { try await center.post(RecordDidChange(id: id)) }

        // Full batches do not wait for the clock; the rest and the list do.
        await center.settle()
        #expect(await notes.batches == [Set(1...100), Set(101...200)])
        #expect(await notes.drawn.isEmpty)
        await clock.advance(by: .milliseconds(99))
        #expect(await notes.drawn.isEmpty)
        await clock.advance(by: .milliseconds(1))
        #expect(await notes.drawn == [250])
        await clock.advance(by: .milliseconds(99))
        #expect(await notes.batches.count == 2)
        await clock.advance(by: .milliseconds(1))
        #expect(await notes.batches.last == Set(201...250))
        #expect(await notes.drawn == [250])
        for task in following { task.cancel() }
    }
}
