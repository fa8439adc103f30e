// What has come from a client and cannot be handled yet: the beginning of a line, or requests that wait for their turn or
// for answers to be read. It is kept on the account of its user, in shares, and whoever has no room for more cannot stay:
// to skip the line instead would leave a request without its answer, as nobody knows which one it was.

import NotifyWire

extension Broker {
    /// So many bytes are kept now of what came from the peer. Returns false if that is more than it may have: it has been
    /// told, and ends.
    package mutating func keepInput(_ bytes: Int, of peer: PeerRef) -> Bool {
        let more = bytes - peer.pointee.inputBytes
        if let refusal = peer.pointee.account.pointee.refusal(input: more, on: peer.pointee.inputBytes) {
            peer.pointee.inputBytes = 0
            refuse(refusal, .empty, peer)
            end(peer, reason: refusal.code.rawValue)
            return false
        }
        peer.pointee.inputBytes = bytes
        return true
    }

    /// Nothing is kept any more.
    package mutating func forgetInput(of peer: PeerRef) { peer.pointee.inputBytes = 0 }
}
