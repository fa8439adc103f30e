// What happens because time has passed.

extension Conversation {
    /// When `tick` must be called next.
    @inline(__always)
    var nextDeadline: UInt64? {
        if isClosed { return nil }
        // In pairs: of more, an array would be made, at every post.
        var next = min(
            min(requests.nextDeadline ?? .max, silent.pingAt ?? .max), min(held.next ?? .max, drainUntil ?? .max))
        if let again = refusedSubscriptions.next { next = min(next, again) }
        if !isOpen {
            switch phase {
            case .connecting(_, let retryAt): next = min(next, retryAt ?? .max)
            case .greeting(let deadline): next = min(next, deadline)
            case .pausing(let until, _): next = min(next, until)
            case .idle, .open, .closed: break
            }
        }
        return next == .max ? nil : next
    }

    /// Time has passed. `silent` is what to say of a daemon that does not answer.
    mutating func tick(_ now: UInt64, silent: NotifyError) {
        releaseHeld(now)
        if isOpen {
            pingBehindSilent(now)
            askAgain(now)
        } else {
            for request in requests.overdueForConnection(now) {
                let error = absence ?? silent
                fail(request, request.isInDoubt ? Self.uncertain(error) : error)
            }
        }
        switch phase {
        case .connecting(let deadline, let retryAt?) where retryAt <= now:
            if now >= deadline { return lost(silent, now) }
            enter(.connecting(deadline: deadline, retryAt: nil))
            effects.append(.connect)
        case .greeting(let deadline) where deadline <= now: lost(silent, now)
        case .pausing(_, let error) where meetBy.map { $0 <= now } == true: failToMeet(error, now)
        case .pausing(let until, _) where until <= now: retry(now)
        default: break
        }
        // Last: a daemon that does not even greet is told as such.
        for request in requests.overdueForAnswer(now) {
            let doubt = request.repetition == .always ? "" : ": it may or may not have done what was asked"
            fail(request, NotifyError(.timedOut, "the daemon did not answer in time\(doubt)"))
        }
        finishDraining(now)
    }
}
