// The store on a thread of its own: the event loop does not wait for the disk. One piece is written at a time.

import Dispatch
import NotifyBroker
import NotifyLock
import NotifyStore

final class StoreKeeper: Sendable {
    /// How a commit ended.
    struct Answer {
        /// nil: it is on disk.
        var failure: String?
        var notes: [String]
    }

    private let queue = DispatchQueue(label: "notifyd.store")
    /// The queue's, from the first commit on.
    private nonisolated(unsafe) let store: Store
    private let answer = Locked<Answer?>(nil)

    init(_ store: Store) { self.store = store }

    /// Writes the operations and calls `then` on the store's own thread.
    func commit(_ operations: [StoreOperation], now: Int64, then: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            let outcome = attempt { () throws(StoreFault) in try store.commit(operations, now: now) }
            answer.withLock { $0 = outcome }
            then()
        }
    }

    /// How the commit ended; nil: it has not, or was asked for already.
    func takeAnswer() -> Answer? {
        answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }

    /// Returns when nothing is being written.
    func wait() { queue.sync {} }

    /// Writes the last operations and ends in good order.
    func close(_ operations: [StoreOperation], position: UInt64, schedule: UInt64, now: Int64) -> Answer {
        queue.sync {
            attempt { () throws(StoreFault) in
                try store.commit(operations, now: now)
                try store.close(position: position, schedule: schedule, now: now)
            }
        }
    }

    private func attempt(_ body: () throws(StoreFault) -> Void) -> Answer {
        do throws(StoreFault) {
            try body()
            return Answer(failure: nil, notes: store.takeNotes())
        } catch {
            return Answer(failure: error.description, notes: store.takeNotes())
        }
    }
}
