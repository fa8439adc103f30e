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

    @Test func `a burst is indexed a hundred at a time, and drawn when it has become quiet`() async throws {
        let clock = ManualClock()
        let center = NotifyCenter.inProcess(clock: clock)
        let notes = Notes()
        let (toIndex, toDraw) = (center.messages(for: RecordDidChange.self), center.messages(for: RecordDidChange.self))
        let indexing = Task { await index(toIndex, clock: clock) { await notes.add($0) } }
        let drawing = Task { await draw(toDraw, clock: clock) { await notes.draw($0) } }
        for id in 1...250 { try await center.post(RecordDidChange(id: id)) }

        // Full batches do not wait for the clock; the list does.
        while await notes.batches.count < 2 { await Task.yield() }
        #expect(await notes.batches == [Set(1...100), Set(101...200)])
        #expect(await notes.drawn.isEmpty)
        while await notes.drawn.last != 250 {
            await clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        while await !notes.batches.contains(where: { $0.contains(250) }) {
            await clock.advance(by: .milliseconds(200))
            await Task.yield()
        }
        #expect(await notes.batches.dropFirst(2).reduce(into: Set()) { $0.formUnion($1) } == Set(201...250))
        indexing.cancel()
        drawing.cancel()
    }
}
