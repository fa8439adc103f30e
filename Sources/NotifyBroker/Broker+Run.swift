// A stream of posts that differ in nothing but their payloads. Whatever depends on the poster, the channel and its
// subscriptions alone was decided for the first of them and holds for those that follow: for each of these its line is
// left to write, and what it adds to all counts and queues is added for all of them at the end.
//
// A run ends where anything else begins: another request, a limit, the end of what was read. It does nothing that
// posting one by one would not do.

package import NotifyWire

extension Broker {
    /// A post with the envelope of the last one. After it nothing may be called but this for the same peer, and
    /// `endRun`.
    @inline(__always)
    package mutating func handleRepeated(_ request: RequestRef, from peer: PeerRef) {
        // Each of those that are to be answered is answered by itself.
        guard request.pointee.id.isEmpty else {
            endRun()
            return handle(request, from: peer)
        }
        if run.state == .on {
            if goOn(request, peer) { return }
            endRun()
        } else if run.state == .ready, beginRun(request, peer) {
            if goOn(request, peer) { return }
            endRun()
        }
        handle(request, from: peer)
        if run.state == .none { run.state = .ready }
    }

    /// Everything but a repeated post follows.
    @inline(__always)
    package mutating func endRun() {
        if run.state == .on { addUp() }
        if run.state == .ready { run.state = .none }
    }

    // MARK: One more

    @inline(__always)
    private mutating func goOn(_ request: RequestRef, _ peer: PeerRef) -> Bool {
        let payload = request.pointee.payload
        guard request.pointee.envelope == run.envelope, run.peer == peer,
            run.messagesLeft > 0, _fastPath(run.blocked == 0) || allStayBlocked(),
            template.appendAgain(to: &outbox.messages, payload: payload, atMost: run.bytesLeft)
        else { return false }
        let count = outbox.appendLineLikeLast()
        run.posts += 1
        run.payloadBytes += payload.count
        run.messagesLeft -= 1
        run.bytesLeft -= count
        if _slowPath(run.blocked > 0) { letItWait() }
        return true
    }

    // MARK: For those who do not read

    /// A queue may lose all that waits in it to a limit: then its peer is written to.
    /// Asked for as a change: the broker would be copied otherwise.
    private mutating func allStayBlocked() -> Bool {
        for index in 0..<run.blocked where !blockedOfRun[index].pointee.peer.pointee.isBlocked { return false }
        return !wantsWrite
    }

    @inline(never)
    private mutating func letItWait() {
        guard let line = outbox.lines.last else { return }
        position = line.position
        line.channel.pointee.sequence = line.sequence
        counters.deliveries += UInt64(run.blocked)
        spend(Limits.workPerWait * run.blocked)
        for index in 0..<run.blocked {
            _ = wait(from: line.start, to: line.end, line.channel, line.sequence, for: blockedOfRun[index])
        }
    }

    // MARK: Beginning

    /// Whether the post before, by the same peer, stands for this one and for more.
    @inline(never)
    private mutating func beginRun(_ request: RequestRef, _ peer: PeerRef) -> Bool {
        // Written since, or not written: the next one is posted by itself, and may begin one.
        guard let line = outbox.lines.last, line.position == position else {
            run.state = .none
            return false
        }
        guard isSteady(request, peer, line), let left = roomLeft(of: line, peer) else {
            run.state = .impossible
            return false
        }
        run = Run(
            state: .on, envelope: request.pointee.envelope, peer: peer, start: line.end,
            messagesLeft: left.messages, bytesLeft: left.bytes, blocked: blockedOfRun.count)
        return true
    }

    /// Whether the next post, if nothing but its payload is another, comes to the same as the one that wrote this line.
    private func isSteady(_ request: RequestRef, _ peer: PeerRef, _ line: Outbox.Line) -> Bool {
        guard request.pointee.envelope != 0, request.pointee.envelope == usual.envelope,
            peer.pointee.profile == usual.profile, usual.channel == line.channel,
            templateKind
                == TemplateKind(envelope: usual.envelope, client: peer.pointee.client, number: line.number)
        else { return false }
        // One line for all, and everybody who gets it is known.
        guard copyCount == 1, line.isFirst, template.stands(at: line.sequence, line.position),
            patterns.isFresh(line.channel), !line.channel.pointee.isWide
        else {
            return false
        }
        return !wantsWrite && !isShuttingDown && !peer.pointee.isEnding && !line.channel.pointee.isPersistent
            && held.coalesced.isEmpty && conflating == 0 && blocking == 0 && !hasTraces
    }

    /// What may follow without anybody's limit being reached; nil if some subscription is not simply written to, or waits.
    private mutating func roomLeft(of line: Outbox.Line, _ peer: PeerRef) -> (messages: Int, bytes: Int)? {
        let channel = line.channel
        var messages = Int.max
        var bytes = Limits.logBytes - outbox.messageBytes
        blockedOfRun.removeAll()
        let isSimple = channel.pointee.allMatches { subscription in
            guard subscription.pointee.number == line.number, subscription.pointee.extras == nil,
                subscription.pointee.peer != peer
            else { return false }
            if subscription.pointee.peer.pointee.isBlocked {
                blockedOfRun.append(subscription)
                return true
            }
            messages = min(
                messages, Int(subscription.pointee.limitMessages) - 1 - Int(subscription.pointee.pendingMessages))
            bytes = min(bytes, Int(subscription.pointee.limitBytes) - 1 - Int(subscription.pointee.pendingBytes))
            return subscription.pointee.gaps == nil && subscription.pointee.wake == outbox.wake
        }
        let workPerPost = channel.pointee.exact.count + Limits.workPerWait * blockedOfRun.count
        messages = min(messages, (Limits.workPerTurn - work) / max(1, workPerPost))
        return isSimple && messages > 0 ? (messages, bytes) : nil
    }

    // MARK: Adding up

    @inline(never)
    private mutating func addUp() {
        run.state = .ready
        guard run.posts > 0, let line = outbox.lines.last, let poster = run.peer else { return }
        let channel = line.channel
        let (posts, start) = (run.posts, run.start)
        position = line.position
        channel.pointee.sequence = line.sequence
        let traffic = channel.pointee.useTraffic()
        traffic.pointee.lastPosition = line.position
        traffic.pointee.bytes += UInt64(run.payloadBytes)
        counters.posts += UInt64(posts)
        poster.pointee.posts += UInt64(posts)
        var readers = 0
        var waiting = 0
        _ = channel.pointee.allMatches { subscription in
            // In the order in which they were found.
            if waiting < run.blocked, blockedOfRun[waiting] == subscription {
                waiting += 1
                return true
            }
            readers += 1
            subscription.pointee.pendingMessages += UInt32(posts)
            subscription.pointee.pendingBytes += UInt32(line.end - start)
            subscription.pointee.delivered += UInt64(posts)
            outbox.append(start, line.end, isReply: false, to: subscription.pointee.peer)
            return true
        }
        traffic.pointee.deliveries += UInt64(posts * (readers + run.blocked))
        counters.deliveries += UInt64(posts * readers)
        spend(posts * channel.pointee.exact.count)
    }
}
