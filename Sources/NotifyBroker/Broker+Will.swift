// `will`: a post that is made if its connection ends without `bye`, however it ends. It is kept like other posts that are
// made later, so that nothing can refuse it then.

import NotifyWire

extension Broker {
    /// Keeps the post in place of the will that there was; without a post, forgets it.
    mutating func will(_ request: Request, from peer: PeerRef) {
        guard request.present.contains(.channel) else {
            forgetWill(of: peer)
            return acknowledge(request, peer)
        }
        let refusal = withUnsafePointer(to: request) { request -> Refusal? in
            if let refusal = checkHold(request, peer, replacing: peer.pointee.will) { return refusal }
            let will = hold(request, by: HeldPost.Poster(peer))
            forgetWill(of: peer)
            peer.pointee.will = will
            return nil
        }
        if let refusal { return refuse(refusal, request.id, peer) }
        acknowledge(request, peer)
    }

    mutating func forgetWill(of peer: PeerRef) {
        guard let will = peer.pointee.will else { return }
        peer.pointee.will = nil
        release(will)
    }

    /// The peer is gone. When the daemon stops, nobody has died: the will is not made then.
    mutating func executeWill(of peer: PeerRef) {
        if isShuttingDown { return forgetWill(of: peer) }
        guard let will = peer.pointee.will else { return }
        peer.pointee.will = nil
        news.append(.will(will))
    }
}
