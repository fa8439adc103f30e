// Traces: a subscription to `$notifyd.trace.PATTERN` is told of each post that matches the pattern what became of it. It
// stands in a list of its own, so that it matches nothing itself, and whoever is not traced pays for one look at a flag.
//
// What is told goes to a queue like other messages, with gaps where its reader is slow. Traces are not traced.

import NotifyWire

extension Broker {
    /// Who traces, what is to be told, and what is known of the post that is being made.
    struct Tracing {
        var traces: [SubscriptionRef] = []
        /// Events in the news.
        var pending = 0
        /// Events for which there was no room, by whom they were for.
        var missed: [TraceEvent.Reader: UInt64] = [:]
        /// The channel of the post that is being made, if it is traced, and who has lost it, and why.
        var channel: ChannelRef?
        var losses: [SubscriptionRef: GapReason] = [:]
    }

    private static let prefix: StaticString = "$notifyd.trace."
    /// What all traces tell on.
    static let traceChannel: StaticString = "$notifyd.trace"

    static func isTrace(_ pattern: ByteSlice) -> Bool {
        pattern.count > prefix.utf8CodeUnitCount
            && ByteSlice(pattern.base, prefix.utf8CodeUnitCount).equals(prefix)
    }

    /// What a trace with this pattern is about.
    static func traced(_ pattern: ByteSlice) -> ByteSlice {
        let start = prefix.utf8CodeUnitCount
        return ByteSlice(pattern.base + start, pattern.count - start)
    }

    // MARK: They come and go

    mutating func checkTrace(_ request: Request, _ peer: PeerRef) -> Refusal? {
        let pattern = Self.traced(request.channel)
        let profile = peer.pointee.profile
        spend(profile.pointee.cost)
        if !profile.pointee.mayOnSome([.observe], of: pattern) {
            let rule = profile.pointee.rule(denying: .observe, onAllOf: pattern)
            note(.observe, pattern, rule, peer.pointee.client, peer.pointee.pid, profile)
            return Self.denied(.observe, pattern)
        }
        if request.present.contains(.group) { return .invalidField(.group, "a trace shares nothing") }
        if request.wishes.minimumInterval > 0 { return .invalidField(.minimumInterval, "a trace leaves nothing out") }
        if request.wishes.policy == .block { return .invalidField(.buffer, "policy: a trace holds nobody up") }
        return peer.pointee.account.pointee.refusal(.traces, 1)
    }

    mutating func addTrace(_ subscription: SubscriptionRef) {
        tracing.traces.append(subscription)
        subscription.pointee.peer.pointee.account.pointee.charge(.traces, 1)
        hasTraces = true
    }

    /// Of the past nothing is told: whatever was asked for, this is all of it.
    mutating func endReplay(ofTrace subscription: SubscriptionRef) {
        let start = outbox.replies.count
        ControlLine.appendLive(to: &outbox.replies, sub: subscription.pointee.number, position: position)
        sayReply(from: start, to: subscription.pointee.peer)
    }

    mutating func removeTrace(_ subscription: SubscriptionRef) {
        tracing.traces.removeAll { $0 == subscription }
        subscription.pointee.peer.pointee.account.pointee.charge(.traces, -1)
        hasTraces = !tracing.traces.isEmpty
        tracing.missed[TraceEvent.Reader(subscription)] = nil
    }

    /// Those that are told of the channel.
    func readers(of name: ByteSlice, where isWanted: (SubscriptionRef) -> Bool = { _ in true }) -> [TraceEvent.Reader] {
        if ChannelName.isReserved(name) { return [] }
        let traces = tracing.traces.filter { trace in
            let pattern = Self.traced(trace.pointee.pattern)
            return (pattern.equals(name) || PatternName.matches(pattern, name)) && isWanted(trace)
                && trace.pointee.peer.pointee.profile.pointee.may(.observe, on: name)
        }
        return traces.map(TraceEvent.Reader.init)
    }

    // MARK: Told

    mutating func tell(_ content: TraceEvent.Content, _ readers: [TraceEvent.Reader]) {
        if readers.isEmpty { return }
        if case .loss(let loss) = content, mergeWithLast(loss) { return }
        guard tracing.pending < Limits.tracesKept else {
            for reader in readers { tracing.missed[reader, default: 0] += 1 }
            return
        }
        tracing.pending += 1
        // It may name very many receivers, and is copied for each reader: the poster's turn is over the sooner.
        if case .text(let bytes) = content { spend(bytes.count / 16 + readers.count * (64 + bytes.count / 64)) }
        news.append(.trace(TraceEvent(content: content, readers: readers)))
    }

    /// One after the other, losses are one event.
    private mutating func mergeWithLast(_ loss: TraceEvent.Loss) -> Bool {
        guard case .trace(var event)? = news.last, case .loss(var last) = event.content, last.takes(loss.to, of: loss)
        else { return false }
        event.content = .loss(last)
        news[news.count - 1] = .trace(event)
        return true
    }

    mutating func publish(_ event: TraceEvent) {
        tracing.pending -= 1
        deliver(event)
        guard tracing.pending == 0, !tracing.missed.isEmpty else { return }
        let missed = tracing.missed.sorted { ($0.key.slot, $0.key.sub) < ($1.key.slot, $1.key.sub) }
        tracing.missed = [:]
        for (reader, count) in missed { deliver(TraceEvent(content: .missed(count), readers: [reader])) }
    }

    /// A message of the daemon's own channel for them alone: no history keeps it for others.
    private mutating func deliver(_ event: TraceEvent) {
        let traces = event.readers.compactMap { reader in
            peer(at: reader.slot).flatMap { $0.pointee.client == reader.client ? $0 : nil }?.pointee
                .subscription(reader.sub)
        }.filter { Self.isTrace($0.pointee.pattern) && $0.pointee.extras?.pointee.hasOverflowed != true }
        if traces.isEmpty { return }
        var log = ByteLog(capacity: 1024)
        log.append(Self.traceChannel)
        let nameEnd = log.count
        event.append(to: &log)
        var request = Request()
        request.op = .post
        request.channel = log.slice(from: 0, to: nameEnd)
        request.payload = log.slice(from: nameEnd, to: log.count)
        withUnsafePointer(to: request) { deliver($0, to: traces) }
    }

    private mutating func deliver(_ request: RequestRef, to traces: [SubscriptionRef]) {
        let channel = makeChannel(request.pointee.channel)
        position += 1
        channel.pointee.sequence += 1
        channel.pointee.lastPosition = position
        channel.pointee.lastPosted = now.monotonic
        let daemon = stand(for: 0, pid: identity.pid, uid: identity.uid, on: account(of: .uid(identity.uid)))
        writeSender(daemon)
        senderAccount = daemon.pointee.account
        copyCount = 0
        let first = outbox.lines.count
        for trace in traces { _ = give(request, on: channel, to: trace) }
        for index in first..<outbox.lines.count { outbox.lines[index].isFirst = false }
    }
}
