// Shutting down in good order, and the end.

import NotifyWire

extension Conversation {
    /// Ends everything. Waiters get `error`, or that the center was shut down.
    mutating func close(_ error: NotifyError?) {
        if case .closed = phase { return }
        effects.append(.disconnect)
        let reason = error ?? NotifyError(.closed, "the center was shut down")
        for request in requests.disconnect(flushed: outbox.flushed, 0, connectBy: 0, silent: unconfirmed()) {
            fail(request, Self.uncertain(reason))
        }
        for request in requests.removeWaiting() { fail(request, request.isInDoubt ? Self.uncertain(reason) : reason) }
        for _ in held.remove(dueBy: .max) { effects.append(.unheard(reason)) }
        for (_, consumer) in table.consumers { effects.append(.end(consumer, error)) }
        table = Table()
        enter(.closed(error))
        effects.append(.state(.closed(error)))
    }

    /// No new requests; ends when all are answered, at the latest at `deadline`.
    mutating func shutDown(_ now: UInt64, deadline: UInt64) {
        if case .closed = phase { return }
        if drainUntil == nil { releaseAllHeld(now) }
        drainUntil = min(drainUntil ?? deadline, deadline)
        pingBehindSilent(now)
        finishDraining(now)
    }

    /// Departs once everything is answered.
    mutating func finishDraining(_ now: UInt64) {
        guard let drainUntil else { return }
        let isDone = now >= drainUntil || (requests.isEmpty && silent.isEmpty)
        if isDone { depart() }
    }

    /// Says bye and ends everything.
    mutating func depart() {
        if isOpen { outbox.append(ClientLine.ask(.bye, id: ids())) }
        close(nil)
    }
}
