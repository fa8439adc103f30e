// A batch: several posts in one piece, all or none, nothing in between.

package import NotifyWire

extension Broker {
    /// A batch: all of its posts or none. `posts` have been parsed; they are in the order of the line.
    package mutating func handle(batch posts: [Request], id: ByteSlice, from peer: PeerRef) {
        if isShuttingDown { return refuse(Refusal(.shuttingDown, "the daemon is stopping"), batch: posts, id, peer) }
        if peer.pointee.isEnding { return }
        let refusal =
            checkRights(of: posts, peer) ?? checkNewChannels(of: posts) ?? checkDeliveries(of: posts)
            ?? checkAnswer(to: posts, id, peer)
        if let refusal { return refuse(refusal, batch: posts, id, peer) }
        if !held.coalesced.isEmpty {
            for post in posts { channels.find(post.channel).map { overtake($0, post.subject) } }
        }
        switch checkConditions(of: posts, from: peer) {
        case .failure(let refusal): refuse(refusal, batch: posts, id, peer)
        case .success(let verdicts):
            if let refusal = check(posts, verdicts, peer) { return refuse(refusal, batch: posts, id, peer) }
            make(posts, verdicts, id, peer)
        }
    }

    private mutating func check(_ posts: [Request], _ verdicts: Verdicts, _ peer: PeerRef) -> Refusal? {
        var retained = 0
        for (number, post) in posts.enumerated() {
            guard verdicts.isMade(number) else {
                // The first of the two may not have been written.
                if let refusal = checkStore(post.channel) { return Self.refusal(refusal, ofPost: number) }
                continue
            }
            var refusal = withUnsafePointer(to: post) { checkPost($0, peer) }
            let account = peer.pointee.account
            if post.retain { retained += max(0, withUnsafePointer(to: post) { retainedGrowth($0, account) }) }
            if refusal == nil { refusal = account.pointee.refusal(.retainedBytes, retained) }
            if let refusal { return Self.refusal(refusal, ofPost: number) }
        }
        return nil
    }

    private mutating func make(_ posts: [Request], _ verdicts: Verdicts, _ id: ByteSlice, _ peer: PeerRef) {
        // The reply is written at the end: what the posts have to say on the way must not stand inside it.
        var answers: [Answer] = []
        isInBatch = true
        defer { isInBatch = false }
        for (number, post) in posts.enumerated() {
            if let known = verdicts.answers[number] ?? verdicts.doubles[number].map({ answers[$0] }) {
                answers.append(known)
                continue
            }
            let receipt = withUnsafePointer(to: post) { acceptOnTerms($0, on: makeChannel(post.channel), from: peer) }
            answers.append(.posted(receipt))
            if let key = verdicts.keys[number] { remember(key, .posted(receipt), on: peer.pointee.account) }
        }
        let isStored = posts.contains { channels.find($0.channel)?.pointee.isPersistent == true }
        let start = outbox.replies.count
        guard !id.isEmpty else {
            if isStored { sayStored(from: start, to: peer) }
            return
        }
        ControlLine.beginReply(to: &outbox.replies, id: id)
        outbox.replies.append(",\"results\":[")
        for (number, answer) in answers.enumerated() {
            outbox.replies.append(number == 0 ? "{" : ",{")
            append(answer, isDuplicate: !verdicts.isMade(number))
            outbox.replies.append("}")
        }
        outbox.replies.append("]")
        ControlLine.endReply(to: &outbox.replies)
        if isStored { sayStored(from: start, to: peer) } else { sayReply(from: start, to: peer) }
    }

    /// First of all: what is refused otherwise tells something of the channels.
    private mutating func checkRights(of posts: [Request], _ peer: PeerRef) -> Refusal? {
        for (number, post) in posts.enumerated() where !ChannelName.isReserved(post.channel) {
            if let refusal = check(.post, on: post.channel, peer) { return Self.refusal(refusal, ofPost: number) }
        }
        return nil
    }

    /// All channels of the batch that are not there yet must find a place.
    private mutating func checkNewChannels(of posts: [Request]) -> Refusal? {
        guard channels.count + posts.count > 2 * limits.channels else { return nil }
        var new = Set<[UInt8]>()
        for post in posts where channels.find(post.channel) == nil { new.insert([UInt8](post.channel)) }
        guard channels.count + new.count > 2 * limits.channels else { return nil }
        return channelQuota
    }

    /// An answer is never dropped: there must be room for it before anything is done.
    private func checkAnswer(to posts: [Request], _ id: ByteSlice, _ peer: PeerRef) -> Refusal? {
        let count = id.isEmpty ? 0 : posts.count * Limits.batchAnswer
        return count > Limits.shortAnswer && count > peer.pointee.room ? tooLong(count, peer) : nil
    }

    /// A batch is not interrupted, so what it may cause is bounded: others must have their turn.
    private mutating func checkDeliveries(of posts: [Request]) -> Refusal? {
        var deliveries = 0
        var places = 0
        for post in posts where places <= Limits.batchPlaces {
            if let known = channels.find(post.channel) {
                if !patterns.isFresh(known) { places += patterns.refresh(known) }
                deliveries += known.pointee.exact.count + patterns.matches(of: known).count
            } else {
                let wild = patterns.matches(of: post.channel)
                deliveries += wild.count
                places += wild.places
            }
        }
        spend(Limits.workPerPlace * places)
        if places > Limits.batchPlaces {
            return Refusal(
                .quotaExceeded,
                "one batch may look at \(Limits.batchPlaces) places in the tree of patterns; this one would at more")
        }
        guard deliveries > Limits.batchDeliveries else { return nil }
        return Refusal(
            .quotaExceeded,
            "one batch may cause \(Limits.batchDeliveries) deliveries; this one would cause \(deliveries)")
    }
}
