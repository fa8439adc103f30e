// The first daemon. One that is just about to go when we come takes the connection and says goodbye, or hangs up: nothing
// has been lost by that, and behind the same socket the next one may be starting. So it is tried again, also by a center
// that does not come back after a loss, until the time for a connection is over. Nobody there is another matter: that
// ends it at once.

import NotifyWire

extension Conversation {
    /// Whether a connection that was lost is tried again as the first one.
    func meetsAgain(_ error: NotifyError, _ now: UInt64) -> Bool {
        guard !hasServed, let meetBy, now < meetBy else { return false }
        // Who was refused, or has found somebody who is no daemon, would hear the same again.
        guard error.code == .notConnected || error.code == .shuttingDown else { return false }
        switch phase {
        case .greeting, .open: return settings.reconnects || !isUnwanted
        default: return false
        }
    }

    /// The pause before the next try is over, and with it the time for the first connection.
    mutating func failToMeet(_ error: NotifyError, _ now: UInt64) {
        meetBy = nil
        if settings.reconnects { retry(now) } else { close(error) }
    }

    /// The daemon has answered a request: from now on a connection can be lost.
    mutating func noteService() {
        if hasServed { return }
        (hasServed, meetBy) = (true, nil)
    }
}
