// Posts that ask for more than to be delivered now, to everybody, once.

import NotifyWire

extension Broker {
    mutating func postOnTerms(_ request: RequestRef, from peer: PeerRef) {
        if !ChannelName.isReserved(request.pointee.channel),
            let refusal = check(.post, on: request.pointee.channel, peer)
        {
            return refuse(refusal, post: request, peer)
        }
        let key = request.pointee.terms.dedup.isEmpty ? nil : DedupTable.Key(request, uid: peer.pointee.uid)
        // Before anything else is looked at: whoever asks again is answered the same, whatever has changed since.
        if let answer = key.flatMap({ firstAnswer(to: $0) }) {
            // The first may not have been written.
            if let refusal = checkStore(request.pointee.channel) { return refuse(refusal, post: request, peer) }
            if _slowPath(hasTraces) { traceEnd("duplicate", of: request, from: peer) }
            return say(answer, isDuplicate: true, to: peer, request)
        }
        let refusal = key.flatMap { checkRoom(for: [$0], on: peer.pointee.account) }
        switch refusal.map({ .failure($0) }) ?? take(request, from: peer) {
        case .failure(let refusal): refuse(refusal, post: request, peer)
        case .success(let answer):
            if let key { remember(key, answer, on: peer.pointee.account) }
            say(answer, to: peer, request)
        }
    }

    private mutating func take(_ request: RequestRef, from peer: PeerRef) -> Result<Answer, Refusal> {
        if !request.pointee.present.isDisjoint(with: .scheduling) {
            return schedule(request, from: peer).map { .scheduled($0) }
        }
        if request.pointee.present.contains(.coalesce) {
            return coalesce(request, from: peer).map { .held(hasReplaced: $0) }
        }
        if let refusal = checkPost(request, peer) { return .failure(refusal) }
        if !held.coalesced.isEmpty {
            channels.find(request.pointee.channel).map { overtake($0, request.pointee.subject) }
        }
        if let refusal = checkConditions(request, peer) { return .failure(refusal) }
        return .success(.posted(acceptOnTerms(request, on: makeChannel(request.pointee.channel), from: peer)))
    }

    private mutating func say(
        _ answer: Answer, isDuplicate: Bool = false, to peer: PeerRef, _ request: RequestRef
    ) {
        let isStored = channels.find(request.pointee.channel)?.pointee.isPersistent ?? false
        guard request.pointee.wantsReply || isStored else { return }
        let start = outbox.replies.count
        if request.pointee.wantsReply {
            ControlLine.beginReply(to: &outbox.replies, id: request.pointee.id)
            outbox.replies.append(",")
            append(answer, isDuplicate: isDuplicate)
            ControlLine.endReply(to: &outbox.replies)
        }
        if isStored { sayStored(from: start, to: peer) } else { sayReply(from: start, to: peer) }
    }

    mutating func append(_ answer: Answer, isDuplicate: Bool) {
        switch answer {
        case .posted(let receipt):
            ControlLine.appendReceiptBody(
                to: &outbox.replies, sequence: receipt.sequence, position: receipt.position, matched: receipt.matched,
                dropped: receipt.dropped)
        case .scheduled(let number):
            outbox.replies.append("\"schedule\":")
            outbox.replies.append(number)
        case .held(let hasReplaced):
            outbox.replies.append("\"held\":true,\"replaced\":")
            outbox.replies.append(hasReplaced ? "true" : "false")
        }
        if isDuplicate { outbox.replies.append(",\"duplicate\":true") }
    }

    /// `accept` with what the post's terms say about its message.
    ///
    /// - Parameter late: nanoseconds since it should have been made.
    mutating func acceptOnTerms(
        _ request: RequestRef, on channel: ChannelRef, from peer: PeerRef, late: UInt64 = 0
    ) -> Receipt {
        let timeToLive = request.pointee.terms.timeToLive
        // At 0 it would never expire.
        expires = timeToLive == 0 ? 0 : max(1, now.monotonic + timeToLive - min(late, now.monotonic + timeToLive))
        mark = Mark(request.pointee.terms.priority)
        defer { (expires, mark) = (0, Mark()) }
        return accept(request, on: channel, from: peer)
    }
}
