// What was lost or skipped, counted where it happens and in the center's sum.

import Synchronization

final class Counters: Sendable {
    private let droppedCount = Atomic<UInt64>(0)
    private let undecodableCount = Atomic<UInt64>(0)
    private let sum: Counters?

    init(sum: Counters?) {
        self.sum = sum
    }

    var dropped: UInt64 { droppedCount.load(ordering: .relaxed) }
    var undecodable: UInt64 { undecodableCount.load(ordering: .relaxed) }

    func addDropped(_ count: Int) {
        droppedCount.wrappingAdd(UInt64(count), ordering: .relaxed)
        sum?.addDropped(count)
    }

    func addUndecodable() {
        undecodableCount.wrappingAdd(1, ordering: .relaxed)
        sum?.addUndecodable()
    }
}
