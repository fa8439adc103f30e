// Numbers in the order in which they came, from any thread.

import Synchronization

final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var values: [Int] { numbers.withLock { $0 } }
}
