// Posts that are made later on persistent channels: the store has each from its acceptance on, until the message that it
// became stands there in its place, written in the same piece. So it is made once, or not yet, whenever the daemon ends.

import NotifyWire

extension Broker {
    /// A post that was just taken in, and has its deadline, goes to the store if its channel does.
    mutating func store(_ post: HeldRef) {
        guard post.pointee.channel.pointee.isPersistent else { return }
        if post.pointee.number == 0 { post.pointee.number = nextNumber() }
        post.pointee.isStored = true
        let poster = post.pointee.poster
        storage.add(
            .hold(
                StoredPost(
                    number: post.pointee.number, kind: post.pointee.kind ?? .delay, due: dueTime(of: post),
                    client: poster.client, pid: poster.pid, uid: poster.uid, line: line(of: post))))
        if storage.bytes > Limits.unstoredBytes { wantsWrite = true }
    }

    private mutating func line(of post: HeldRef) -> [UInt8] {
        scratch.clear(keeping: 64 << 10)
        post.pointee.withRequest { PostLine.append(to: &scratch, $0) }
        return [UInt8](scratch.slice)
    }

    /// Channels have become persistent, or are no longer.
    mutating func changePersistenceOfHeld() {
        for post in Array(held.scheduled.values) + Array(held.coalesced.values) {
            let persists = post.pointee.channel.pointee.isPersistent
            if persists, !post.pointee.isStored { store(post) }
            if !persists, post.pointee.isStored {
                post.pointee.isStored = false
                storage.add(.release(number: post.pointee.number))
            }
        }
    }

    // MARK: The next life

    mutating func restore(_ posts: [StoredPost], _ identity: (UInt32) -> Identity) {
        var parser = RequestParser()
        var profiles: [UInt32: AccessProfileRef] = [:]
        for post in posts {
            let profile = profiles[post.uid] ?? access.use(identity(post.uid))
            profiles[post.uid] = profile
            restore(post, profile, &parser)
        }
        for profile in profiles.values { release(profile) }
    }

    private mutating func restore(
        _ stored: StoredPost, _ profile: AccessProfileRef, _ parser: inout RequestParser
    ) {
        let line = stored.line + [UInt8(ascii: "\n")] + [UInt8](repeating: 0, count: 16)
        line.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress,
                case .request = parser.parse(start, start + stored.line.count), parser.request.op == .post,
                ChannelName.fault(in: parser.request.channel) == nil
            else { return storage.add(.release(number: stored.number)) }
            let poster = HeldPost.Poster(of: stored, profile, account(of: .uid(stored.uid)))
            let post = hold(parser.requestRef, by: poster)
            post.pointee.number = stored.number
            post.pointee.kind = stored.kind
            post.pointee.isStored = post.pointee.channel.pointee.isPersistent
            // The configuration has changed: it is made, if the daemon lives so long.
            if !post.pointee.isStored { storage.add(.release(number: stored.number)) }
            if stored.kind == .coalesce {
                held.coalesced[HeldPosts.Topic(post.pointee.channel, post.pointee.subject)] = post
            } else {
                held.scheduled[stored.number] = post
            }
            plan(post, at: stored.due)
        }
    }

    /// A delay goes on as the wall clock says, this once.
    private mutating func plan(_ post: HeldRef, at due: Int64) {
        if due <= now.wall, post.pointee.isStored {
            putOff(post, since: due)
        } else if post.pointee.kind == .at {
            makeAppointment(post, at: due)
        } else {
            post.pointee.deadline = deadlines.add(.held(post), at: now.monotonic + UInt64(max(0, due - now.wall)))
        }
    }
}
