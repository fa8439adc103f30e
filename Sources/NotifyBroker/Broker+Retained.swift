// A channel's last value: `get` and `clear`.

import NotifyWire

extension Broker {
    mutating func get(_ request: Request, from peer: PeerRef) {
        if let fault = ChannelName.fault(in: request.channel) {
            return refuse(.invalidChannel(request.channel, fault), request.id, peer)
        }
        if let refusal = check(.listen, on: request.channel, peer) { return refuse(refusal, request.id, peer) }
        guard request.wantsReply else { return }
        if channels.find(request.channel)?.pointee.isPersistent == true { holdBackIfPending(peer) }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        outbox.replies.append(",\"message\":")
        if let channel = channels.find(request.channel), let retained = retained(on: channel) {
            outbox.replies.append("{")
            outbox.replies.append(retained.pointee.body)
        } else {
            outbox.replies.append("null")
        }
        ControlLine.endReply(to: &outbox.replies)
        sayAnswer(from: start, to: peer)
    }

    /// The channel's last value, unless its time to live is over.
    mutating func retained(on channel: ChannelRef) -> UnsafeMutablePointer<RetainedMessage>? {
        guard let retained = channel.pointee.retained else { return nil }
        let expiry = retained.pointee.expiry
        if expiry.isNone || deadlines.time(of: expiry) > now.monotonic { return retained }
        forgetRetained(channel)
        return nil
    }

    mutating func clear(_ request: Request, from peer: PeerRef) {
        if let fault = ChannelName.fault(in: request.channel) {
            return refuse(.invalidChannel(request.channel, fault), request.id, peer)
        }
        if ChannelName.isReserved(request.channel) {
            return refuse(Self.reserved(request.channel), request.id, peer)
        }
        if let refusal = check(.post, on: request.channel, peer) { return refuse(refusal, request.id, peer) }
        if let refusal = checkStore(request.channel) { return refuse(refusal, request.id, peer) }
        if let channel = channels.find(request.channel) {
            forgetRetained(channel)
            if channel.pointee.isPersistent { return acknowledgeStored(request, peer) }
        }
        acknowledge(request, peer)
    }
}
