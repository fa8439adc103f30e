// The will: a post that the daemon makes when this connection is lost without goodbye. A new connection knows nothing of
// it, so it is made again each time, before anything else is sent.

import NotifyWire

/// What a request does with the will once the daemon has accepted it.
enum WillChange: Sendable {
    case keep
    case forget
}

extension Conversation {
    /// The daemon has accepted a request: if it was about the will, that is known by now.
    mutating func noteWill(_ request: Requests.Request) {
        switch request.will {
        case .keep: will = (request.id, request.line)
        case .forget: will = nil
        case nil: break
        }
    }

    /// On a new connection. The line is the one that was accepted on an earlier one, its id included: no other has that.
    mutating func remakeWill() {
        if let will { outbox.append(will.line) }
    }
}
