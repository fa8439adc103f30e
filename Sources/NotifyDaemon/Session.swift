// A peer's socket and what has come through it so far.

import NotifyBroker
import NotifyTransport
import NotifyWire

struct Session {
    /// -1: no session in this place.
    var descriptor: Int32 = -1
    var peer: PeerRef?
    var input = InboundBuffer()
    var splitter = LineSplitter()
    /// What the event loop watches for.
    var interest: Readiness = []
    /// Requests wait until the peer has read its answers.
    var isPaused = false
    /// Requests wait until others have had their turn.
    var isOnHold = false

    var isOpen: Bool { descriptor >= 0 }
}
