// Posts that are made later: what may be kept, and how one is made when its time has come. Whatever could refuse it then
// is checked when it is taken in, and kept free for it: nobody would hear of a refusal later.

import NotifyWire

extension Broker {
    /// Scheduled posts that are given up if the daemon stops.
    package var scheduledCount: Int {
        mutating get { held.scheduled.values.reduce(0) { $0 + ($1.pointee.isStored ? 0 : 1) } }
    }

    /// The last number that was given to a post that is made later.
    package var lastSchedule: UInt64 { mutating get { held.lastNumber } }

    /// Whether one more post may be kept, `replaced` out of the way.
    mutating func checkHold(_ request: RequestRef, _ peer: PeerRef, replacing replaced: HeldRef? = nil) -> Refusal? {
        if let refusal = checkPost(request, peer) { return refusal }
        let account = peer.pointee.account
        let cost = HeldPost.cost(of: request)
        guard let replaced else {
            return account.pointee.refusal(.scheduledPosts, 1) ?? account.pointee.refusal(.scheduledBytes, cost)
        }
        if replaced.pointee.poster.account == account {
            return account.pointee.refusal(.scheduledBytes, cost - replaced.pointee.cost)
        }
        return account.pointee.refusal(.scheduledPosts, 1, replacing: 1)
            ?? account.pointee.refusal(.scheduledBytes, cost, replacing: replaced.pointee.cost)
    }

    /// Keeps the post of a request that `checkHold` has nothing against.
    mutating func hold(_ request: RequestRef, by poster: HeldPost.Poster) -> HeldRef {
        let post = HeldPost.make(request, on: makeChannel(request.pointee.channel), from: poster)
        poster.profile.pointee.uses += 1
        held.charge(post, retained: Self.reserved(for: post))
        return post
    }

    /// Its time has come: the post is made, and kept no more.
    ///
    /// - Parameter late: nanoseconds since it came.
    mutating func make(_ post: HeldRef, late: UInt64 = 0) {
        let channel = post.pointee.channel
        // The rules may have changed since it was taken in.
        guard mayMake(post) else { return release(post) }
        let poster = poster(of: post.pointee.poster)
        // The numbers of clients begin anew with each life of the daemon: this one's may be somebody else's, too.
        let isForeign = post.pointee.poster.isOfEarlierLife
        if isForeign { senderClient = .max }
        _ = post.pointee.withRequest { acceptOnTerms($0, on: channel, from: poster, late: late) }
        if isForeign {
            senderClient = .max
            messagesOfEarlierLife.insert(position)
        }
        release(post)
    }

    private mutating func mayMake(_ post: HeldRef) -> Bool {
        let (profile, name) = (post.pointee.poster.profile, post.pointee.channel.pointee.name)
        let decision = profile.pointee.decide(.post, on: name)
        if decision.isAllowed { return true }
        note(.post, name, decision.rule, post.pointee.poster.client, post.pointee.poster.pid, profile)
        return false
    }

    /// The post is not made, or made already. It stands in no table any more.
    mutating func release(_ post: HeldRef) {
        if post.pointee.isStored { storage.add(.release(number: post.pointee.number)) }
        held.credit(post, retained: Self.reserved(for: post))
        post.pointee.channel.pointee.pins -= 1
        post.pointee.channel.pointee.lastUsed = now.monotonic
        hastenSweep()
        release(post.pointee.poster.profile)
        HeldPost.destroy(post)
    }

    /// What is kept free for a retained message, in bytes.
    private static func reserved(for post: HeldRef) -> Int {
        post.pointee.retain ? post.pointee.withRequest { retainedSize($0) } : 0
    }

    /// The peer, if it is still there; else somebody who looks like it.
    mutating func poster(of poster: HeldPost.Poster) -> PeerRef {
        if let peer = peer(at: poster.slot), peer.pointee.client == poster.client { return peer }
        return stand(for: poster.client, pid: poster.pid, uid: poster.uid, on: poster.account)
    }

    /// A peer with no connection, for a message of somebody who has none; valid until the next call.
    mutating func stand(for client: UInt64, pid: Int32, uid: UInt32, on account: AccountRef) -> PeerRef {
        standIn.deinitialize(count: 1)
        standIn.initialize(
            to: Peer(
                slot: 0, client: client, pid: pid, uid: uid, gid: uid, profile: nobody, account: account, connected: 0))
        return standIn
    }
}
