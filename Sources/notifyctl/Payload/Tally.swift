// How many posts were accepted: counted by the task that takes receipts, told by whoever has to end the program.

import Synchronization

/// Counts accepted posts.
final class Tally: Sendable {
    private let accepted = Atomic<Int>(0)

    func add() { accepted.add(1, ordering: .relaxed) }

    var text: String {
        switch accepted.load(ordering: .relaxed) {
        case 1: "1 post was accepted"
        case let count: "\(count) posts were accepted"
        }
    }
}
