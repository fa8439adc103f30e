// The heap of what happens by itself, against a sorted list.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Deadlines")
struct DeadlineTests {
    @Test("are taken when they are due, and not a moment before")
    func edge() {
        var deadlines = Deadlines<Int>()
        #expect(deadlines.next == nil && deadlines.takeDue(at: .max) == nil)
        _ = deadlines.add(7, at: 100)
        #expect(deadlines.next == 100)
        #expect(deadlines.takeDue(at: 99) == nil)
        #expect(deadlines.takeDue(at: 100) == 7)
        #expect(deadlines.isEmpty && deadlines.takeDue(at: .max) == nil)
    }

    @Test("of the same time are taken in the order they were added or moved there")
    func order() {
        var deadlines = Deadlines<Int>()
        let moved = deadlines.add(0, at: 5)
        for number in 1...50 { _ = deadlines.add(number, at: 10) }
        deadlines.move(moved, to: 10)
        #expect(deadlines.time(of: moved) == 10)
        for number in Array(1...50) + [0] { #expect(deadlines.takeDue(at: 10) == number) }
    }

    @Test("that are cancelled never come, and cancelling nothing does nothing")
    func cancel() {
        var deadlines = Deadlines<Int>()
        var keys = (0..<10).map { deadlines.add($0, at: UInt64($0)) }
        for index in [0, 9, 4, 5] { deadlines.cancel(&keys[index]) }
        #expect(keys[4].isNone)
        deadlines.cancel(&keys[4])
        var none = Deadlines<Int>.Key.none
        deadlines.cancel(&none)
        var left: [Int] = []
        while let number = deadlines.takeDue(at: .max) { left.append(number) }
        #expect(left == [1, 2, 3, 6, 7, 8])
    }

    @Test("in any number and order are those of a sorted list", arguments: 1...5)
    func model(seed: UInt64) {
        var random = SplitMix(state: seed)
        var deadlines = Deadlines<Int>()
        var model: [(number: Int, time: UInt64, order: Int, key: Deadlines<Int>.Key)] = []
        var now: UInt64 = 0
        for step in 0..<3000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let time = now + UInt64.random(in: 0..<100, using: &random)
                model.append((step, time, step, deadlines.add(step, at: time)))
            case 5 where !model.isEmpty:
                let index = Int.random(in: 0..<model.count, using: &random)
                deadlines.cancel(&model[index].key)
                model.remove(at: index)
            case 6 where !model.isEmpty:
                let index = Int.random(in: 0..<model.count, using: &random)
                (model[index].time, model[index].order) = (now + UInt64.random(in: 0..<100, using: &random), step)
                deadlines.move(model[index].key, to: model[index].time)
            default:
                now += UInt64.random(in: 0..<10, using: &random)
                let due = model.filter { $0.time <= now }.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
                model.removeAll { $0.time <= now }
                var taken: [Int] = []
                while let number = deadlines.takeDue(at: now) { taken.append(number) }
                #expect(taken == due.map(\.number))
            }
            #expect(deadlines.count == model.count)
            #expect(deadlines.next == model.map(\.time).min())
        }
    }

    @Test("of a crowd come in order, without those that were cancelled")
    func crowd() {
        var deadlines = Deadlines<Int>()
        var keys = (0..<100_000).map { deadlines.add($0, at: UInt64(100_000 - $0)) }
        for index in stride(from: 0, to: 100_000, by: 2) { deadlines.cancel(&keys[index]) }
        #expect(deadlines.count == 50_000)
        for number in stride(from: 99_999, to: 0, by: -2) { #expect(deadlines.takeDue(at: .max) == number) }
    }
}
