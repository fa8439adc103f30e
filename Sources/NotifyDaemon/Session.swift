// A peer's socket and what has come through it so far.

import NotifyBroker
import NotifyTransport
import NotifyWire

struct Session {
    var peer: PeerRef?
    var input = InboundBuffer()
    var splitter = LineSplitter()
    /// -1: no session in this place.
    var descriptor: Int32 = -1
    /// What the event loop watches for.
    var interest: Readiness = []
    /// Requests wait until the peer has read its answers.
    var isPaused = false
    /// Requests wait until others have had their turn.
    var isOnHold = false

    init() {}

    init(descriptor: Int32, peer: PeerRef, interest: Readiness) {
        (self.descriptor, self.peer, self.interest) = (descriptor, peer, interest)
    }

    var isOpen: Bool { descriptor >= 0 }
}
