// Posts that ask for more than to be delivered now, to everybody, once.

import NotifyWire

extension Broker {
    mutating func postOnTerms(_ request: RequestRef, from peer: PeerRef) {
        let outcome: Result<Answer, Refusal>
        if !request.pointee.present.isDisjoint(with: .scheduling) {
            outcome = schedule(request, from: peer).map { .scheduled($0) }
        } else if request.pointee.present.contains(.coalesce) {
            outcome = coalesce(request, from: peer).map { .held(hasReplaced: $0) }
        } else if let refusal = checkPost(request) {
            outcome = .failure(refusal)
        } else {
            let channel = makeChannel(request.pointee.channel)
            outcome = .success(.posted(acceptOnTerms(request, on: channel, from: peer)))
        }
        switch outcome {
        case .failure(let refusal): refuse(refusal, request.pointee.id, peer)
        case .success(let answer): say(answer, to: peer, request)
        }
    }

    /// What became of a post, as its reply tells.
    enum Answer {
        case posted(Receipt)
        case scheduled(UInt64)
        case held(hasReplaced: Bool)
    }

    private mutating func say(_ answer: Answer, to peer: PeerRef, _ request: RequestRef) {
        guard request.pointee.wantsReply else { return }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.pointee.id)
        outbox.replies.append(",")
        append(answer)
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    private mutating func append(_ answer: Answer) {
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
    }

    /// `accept` with what the post's terms say about its message.
    mutating func acceptOnTerms(_ request: RequestRef, on channel: ChannelRef, from peer: PeerRef) -> Receipt {
        if !held.coalesced.isEmpty { overtake(channel, request.pointee.subject) }
        let timeToLive = request.pointee.terms.timeToLive
        expires = timeToLive == 0 ? 0 : now.monotonic + timeToLive
        defer { expires = 0 }
        return accept(request, on: channel, from: peer)
    }
}
