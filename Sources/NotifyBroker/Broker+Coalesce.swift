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
        let post = hold(request, by: HeldPost.Poster(peer))
        post.pointee.kind = .coalesce
        var time = now.monotonic + (request.pointee.terms.coalesce ?? 0)
        if let older {
            time = min(time, older.pointee.isOverdue ? now.monotonic : deadlines.time(of: older.pointee.deadline))
            held.remove(older)
            cancelDeadline(of: older)
        }
        post.pointee.deadline = deadlines.add(.held(post), at: time)
        held.coalesced[HeldPosts.Topic(post.pointee.channel, post.pointee.subject)] = post
        store(post)
        if let older {
            if _slowPath(hasTraces) {
                let poster = poster(of: older.pointee.poster)
                older.pointee.withRequest { traceEnd("replaced", of: $0, from: poster) }
            }
            release(older)
        }
        return .success(older != nil)
    }

    /// Whatever is held back of this channel and subject is made now.
    @inline(never)
    mutating func overtake(_ channel: ChannelRef, _ subject: ByteSlice) {
        // If it must wait for the store, whatever would overtake it is refused.
        guard let post = held.coalesced[HeldPosts.Topic(channel, subject)], !mustWait(post) else { return }
        makeNow(post)
    }

    /// Nothing is held back any more: the daemon stops. What the store has and cannot take as a message is left to the
    /// next life.
    mutating func makeAllCoalesced() {
        for post in held.coalesced.values.sorted(by: { dueTime(of: $0) < dueTime(of: $1) }) where !mustWait(post) {
            makeNow(post)
        }
    }
}
