// Persistent channels: what the broker wants on disk goes to the store, and what the disk says comes back.

import NotifyBroker
import NotifyStore
import NotifyTransport

extension Hub {
    /// Opens the store if the configuration has persistent channels; a daemon without them has nothing to do with it.
    static func openStore(
        _ configuration: Configuration, freshEpoch: String, _ log: Log
    ) -> (keeper: StoreKeeper, state: StoredState)? {
        guard configuration.channelRules.contains(where: \.persist) else { return nil }
        let directory = StateDirectory.path(configured: configuration.stateDirectory)
        let store = Store(directory: directory, freshEpoch: freshEpoch)
        let state = store.load(now: SystemCalls.wallNanoseconds())
        for note in store.takeNotes() { log.error(note) }
        return (StoreKeeper(store), state)
    }

    /// Numbers are reserved before the first is given away. If they cannot be, they are not those of the life that the
    /// store tells of.
    func startStore() {
        guard let keeper else { return }
        submit(to: keeper)
        keeper.wait()
        storeAnswered()
        if hasFailedToStore { broker.pointee.beginEpoch(Self.randomEpoch()) }
    }

    /// Has the next piece written, if none is being written. Posts that come meanwhile are written together with the one
    /// after it.
    func commit() {
        guard let keeper else { return }
        if broker.pointee.hasMuchUnstored, !broker.pointee.hasUnstored {
            keeper.wait()
            storeAnswered()
        }
        // A store that fails is tried again in its own time.
        if broker.pointee.hasUnstored, service.retryStore == nil { submit(to: keeper) }
    }

    func submit(to keeper: StoreKeeper) {
        service.retryStore = nil
        let operations = broker.pointee.takeOperations()
        nonisolated(unsafe) let hub = self
        let loop = loop
        keeper.commit(operations, now: SystemCalls.wallNanoseconds()) {
            loop.execute {
                hub.beginWakeUp()
                hub.storeAnswered()
                hub.loop.goOn(hub.id)
            }
        }
    }

    func storeAnswered() {
        guard let answer = keeper?.takeAnswer() else { return }
        for note in answer.notes { log.error(note) }
        if let failure = answer.failure {
            log.limited(
                .error, "the store cannot be written, posts on persistent channels are refused: \(failure)", every: 60)
            service.retryStore = SystemCalls.monotonicNanoseconds() + ServiceState.storeRetryInterval
        } else if hasFailedToStore {
            log.notice("the store can be written again")
        }
        hasFailedToStore = answer.failure != nil
        broker.pointee.settle(failure: answer.failure)
    }

    /// Its time has come to be tried again.
    func keepStore(_ now: UInt64) {
        guard let keeper else { return }
        if let retry = service.retryStore, retry <= now { submit(to: keeper) }
    }

    /// What histories have lost of themselves is told now and then.
    func trimStore() {
        if let keeper, service.retryStore == nil, broker.pointee.hasTrimmed { submit(to: keeper) }
    }

    func end() {
        closeStore()
        finish()
    }

    private func closeStore() {
        guard let keeper else { return }
        keeper.wait()
        storeAnswered()
        let operations = broker.pointee.takeOperations()
        let answer = keeper.close(
            operations, position: broker.pointee.position, schedule: broker.pointee.lastSchedule,
            now: SystemCalls.wallNanoseconds())
        for note in answer.notes { log.error(note) }
        if let failure = answer.failure { log.error("the store cannot be closed in good order: \(failure)") }
        broker.pointee.settle(failure: answer.failure)
        self.keeper = nil
    }
}
