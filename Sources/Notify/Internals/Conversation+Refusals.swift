// Subscriptions that were there before, and that the daemon cannot take back at the moment: after a reconnect very many
// clients may ask at once, for more than it takes in a second or has room for. They are asked for again until it can, one
// at a time; what they miss meanwhile is told or replayed as what they missed without a connection.

/// Which subscriptions wait to be asked for again, and until when.
struct RefusedSubscriptions: Sendable {
    /// Their numbers, the next one first. Some may be gone by now.
    private var waiting = Fifo<UInt64>()
    /// When the next one is asked for; nil: none waits, or one is on its way.
    private(set) var next: UInt64?
    /// The request for the one that is on its way.
    private var asked: UInt64?
    private var failures = 0

    /// The daemon has refused the one of this request.
    mutating func add(_ number: UInt64, of request: UInt64, _ now: UInt64, retryAfter: UInt64?, random: Double) {
        waiting.append(number)
        if asked == request { asked = nil }
        if asked != nil { return }
        failures += 1
        let pause =
            if let retryAfter {
                // A little later, as others have been told the same.
                retryAfter &+ UInt64(random * Double(min(retryAfter, Backoff.first)))
            } else {
                Backoff.delayOfRefused(failures: failures, random: random)
            }
        next = max(next ?? 0, now &+ pause)
    }

    /// The daemon has accepted the one of this request.
    mutating func accepted(_ request: UInt64, _ now: UInt64) {
        guard asked == request else { return }
        asked = nil
        failures = 0
        next = waiting.isEmpty ? nil : now
    }

    /// Takes the one that is to be asked for now.
    mutating func take(_ now: UInt64, where isThere: (UInt64) -> Bool) -> UInt64? {
        guard let time = next, time <= now else { return nil }
        next = nil
        while let number = waiting.popFirst() {
            if isThere(number) { return number }
        }
        return nil
    }

    mutating func sent(by request: UInt64) { asked = request }
}

extension Conversation {
    /// Whether the subscription of this request, which the daemon has refused, is asked for again later.
    mutating func postpone(_ number: UInt64, of request: UInt64, _ error: NotifyError, _ now: UInt64) -> Bool {
        guard let entry = table.entries[number], Self.passes(error, wasThere: entry.wasAccepted) else { return false }
        // Once, however often it is tried.
        if !entry.isRefused { effects.append(.unheard(error)) }
        table.update(number) { entry in
            entry.isSent = false
            entry.isRefused = true
        }
        refusedSubscriptions.add(
            number, of: request, now, retryAfter: error.retryAfter?.nanoseconds, random: random())
        return true
    }

    /// Asks for one that was refused, if it is time.
    mutating func askAgain(_ now: UInt64) {
        guard isOpen, let number = refusedSubscriptions.take(now, where: { table.entries[$0]?.isRefused == true })
        else { return }
        let id = ids()
        refusedSubscriptions.sent(by: id)
        sendSubscription(number, id: id)
    }

    /// Whether it may be different the next time. Whoever asks for something new hears of it instead, except that the
    /// daemon is about to go: then the next one is asked.
    private static func passes(_ error: NotifyError, wasThere: Bool) -> Bool {
        switch error.code {
        case .shuttingDown: true
        case .rateLimited, .quotaExceeded, .storageFailed: wasThere
        default: false
        }
    }
}
