// How often something was called, from any thread.

import Synchronization

final class Count: Sendable {
    private let count = Atomic<Int>(0)

    func up() { count.wrappingAdd(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}
