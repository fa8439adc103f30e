// Posts that ask for more than to be delivered now, to everybody, once.

import NotifyWire

extension Broker {
    mutating func postOnTerms(_ request: RequestRef, from peer: PeerRef) {
        if let refusal = checkPost(request) { return refuse(refusal, request.pointee.id, peer) }
        let receipt = acceptOnTerms(request, on: makeChannel(request.pointee.channel), from: peer)
        sayReceipt(receipt, request, to: peer)
    }

    /// `accept` with what the post's terms say about its message.
    mutating func acceptOnTerms(_ request: RequestRef, on channel: ChannelRef, from peer: PeerRef) -> Receipt {
        let timeToLive = request.pointee.terms.timeToLive
        expires = timeToLive == 0 ? 0 : now.monotonic + timeToLive
        defer { expires = 0 }
        return accept(request, on: channel, from: peer)
    }
}
