// `coalesce_ms`: a post is held back for a while, and a newer one of its channel and subject takes its place. It goes out
// when the first of them has waited as long as it may, or before any other post of that channel and subject: what is
// newer never comes before what is older.

import NotifyWire

extension Broker {
    /// Whether an older one was replaced, or why the post is refused.
    mutating func coalesce(_ request: RequestRef, from peer: PeerRef) -> Result<Bool, Refusal> {
        let known = channels.find(request.pointee.channel)
        let older = known.flatMap { held.coalesced[HeldPosts.Topic($0, request.pointee.subject)] }
        if let refusal = checkHold(request, peer, replacing: older) { return .failure(refusal) }
        let post = hold(request, from: peer)
        let latest = now.monotonic + (request.pointee.terms.coalesce ?? 0)
        if let older {
            let time = min(latest, deadlines.time(of: older.pointee.deadline))
            takeBack(older)
            post.pointee.deadline = deadlines.add(.coalesced(post), at: time)
            release(older)
        } else {
            post.pointee.deadline = deadlines.add(.coalesced(post), at: latest)
        }
        held.coalesced[HeldPosts.Topic(post.pointee.channel, post.pointee.subject)] = post
        return .success(older != nil)
    }

    mutating func makeCoalesced(_ post: HeldRef) {
        takeBack(post)
        make(post)
    }

    /// Whatever is held back of this channel and subject is made now.
    @inline(never)
    mutating func overtake(_ channel: ChannelRef, _ subject: ByteSlice) {
        guard let post = held.coalesced[HeldPosts.Topic(channel, subject)] else { return }
        makeCoalesced(post)
    }

    /// Nothing is held back any more: the daemon stops.
    mutating func makeAllCoalesced() {
        for post in held.coalesced.values.sorted(by: { isDueBefore($0, $1) }) { makeCoalesced(post) }
    }

    private func isDueBefore(_ one: HeldRef, _ other: HeldRef) -> Bool {
        deadlines.time(of: one.pointee.deadline) < deadlines.time(of: other.pointee.deadline)
    }

    private mutating func takeBack(_ post: HeldRef) {
        held.coalesced[HeldPosts.Topic(post.pointee.channel, post.pointee.subject)] = nil
        deadlines.cancel(&post.pointee.deadline)
    }
}
