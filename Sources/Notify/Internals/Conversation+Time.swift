// What happens because time has passed.

extension Conversation {
    /// When `tick` must be called next.
    var nextDeadline: UInt64? {
        var list: [UInt64?] = [requests.nextDeadline, drainUntil]
        switch phase {
        case .idle, .open: break
        case .connecting(_, let retryAt): list.append(retryAt)
        case .greeting(let deadline): list.append(deadline)
        case .pausing(let until, _): list.append(until)
        case .closed: return nil
        }
        return list.compactMap { $0 }.min()
    }

    /// Time has passed. `silent` is what to say of a daemon that does not answer.
    mutating func tick(_ now: UInt64, silent: NotifyError) {
        if !isOpen {
            for request in requests.overdueForConnection(now) { fail(request, absence ?? silent) }
        }
        switch phase {
        case .connecting(let deadline, let retryAt?) where retryAt <= now:
            if now >= deadline { return lost(silent, now) }
            enter(.connecting(deadline: deadline, retryAt: nil))
            effects.append(.connect)
        case .greeting(let deadline) where deadline <= now: lost(silent, now)
        case .pausing(let until, _) where until <= now:
            if isUnwanted { rest() } else { connect(now) }
        default: break
        }
        // Last: a daemon that does not even greet is told as such.
        for waiter in requests.overdueForAnswer(now) {
            effects.append(.resolve(waiter, .failure(NotifyError(.timedOut, "the daemon did not answer in time"))))
        }
        finishDraining(now)
    }
}
