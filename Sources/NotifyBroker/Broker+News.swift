// What happened by itself in a wake-up and is to be posted: wills, and the messages on the daemon's own channels. They are
// collected, because peers come, go and fall behind in the middle of other things, and published before the next write.
//
// What nobody listens to is not posted, takes no number and costs next to nothing.

import NotifyWire

enum News {
    case will(HeldRef)
    case connected(Acquaintance)
    case disconnected(Acquaintance, name: String, reason: StaticString)
    case slow(SlowSubscription)
    case reload(succeeded: Bool)
    case trace(TraceEvent)
}

/// Who somebody was, for when it is told.
struct Acquaintance {
    let client: UInt64
    let pid: Int32
    let uid: UInt32

    init(_ peer: PeerRef) {
        (client, pid, uid) = (peer.pointee.client, peer.pointee.pid, peer.pointee.uid)
    }
}

extension Broker {
    /// To be called before what this wake-up has said is written. Writing may bring further news. What is too much for
    /// one turn is left for later wake-ups, so that others have theirs: thousands may go at once.
    package mutating func publishNews() {
        guard _slowPath(!news.isEmpty) else { return }
        var published = 0
        while published < news.count, !wantsWrite {
            spend(Limits.workPerDeadline)
            publish(news[published])
            published += 1
        }
        news.removeFirst(published)
        newsWait = !news.isEmpty
    }

    /// The configuration was read anew, or refused.
    package mutating func announceReload(succeeded: Bool) {
        if succeeded { counters.reloads += 1 } else { counters.failedReloads += 1 }
        if ownSubscriptions > 0 { news.append(.reload(succeeded: succeeded)) }
    }

    mutating func announceArrival(of peer: PeerRef) {
        if ownSubscriptions > 0 { news.append(.connected(Acquaintance(peer))) }
    }

    mutating func announceDeparture(of peer: PeerRef) {
        guard ownSubscriptions > 0 else { return }
        let reason: StaticString = peer.pointee.saidBye ? "bye" : "closed"
        news.append(.disconnected(Acquaintance(peer), name: peer.pointee.name, reason: reason))
    }

    /// Who listens to the daemon's own channels and falls behind is not told there: it would be told of that, too.
    mutating func announceSlowness(of subscription: SubscriptionRef) {
        guard ownSubscriptions > 0, !ChannelName.isReserved(subscription.pointee.pattern) else { return }
        news.append(.slow(SlowSubscription(subscription)))
    }

    private mutating func publish(_ news: News) {
        switch news {
        case .will(let will): make(will)
        case .trace(let event): publish(event)
        case .connected(let who): publish("$notifyd.client.connected") { Self.append(who, to: &$0) }
        case .disconnected(let who, let name, let reason):
            publish("$notifyd.client.disconnected") { log in
                Self.append(who, to: &log)
                if !name.isEmpty { ControlLine.appendMember(to: &log, "name", text: name) }
                log.append(",\"reason\":\"")
                log.append(reason)
                log.append("\"")
            }
        case .slow(let slow):
            publish("$notifyd.slow") { log in
                Self.append(slow.client, slow.pid, slow.uid, to: &log)
                ControlLine.appendMember(to: &log, "sub", UInt64(slow.sub))
                ControlLine.appendMember(to: &log, "channel", text: slow.pattern)
            }
        case .reload(let succeeded):
            publish("$notifyd.reload") { log in
                log.append("\"ok\":")
                log.append(succeeded ? "true" : "false")
            }
        }
    }

    /// Posts an object with these members on one of the daemon's own channels, from the daemon.
    private mutating func publish(_ name: StaticString, _ members: (inout ByteLog) -> Void) {
        var log = ByteLog(capacity: 1024)
        log.append(name)
        let nameEnd = log.count
        log.append("{")
        members(&log)
        log.append("}")
        var request = Request()
        request.op = .post
        request.channel = log.slice(from: 0, to: nameEnd)
        request.payload = log.slice(from: nameEnd, to: log.count)
        guard isHeard(request.channel) else { return }
        let channel = makeChannel(request.channel)
        let daemon = stand(for: 0, pid: identity.pid, uid: identity.uid, on: account(of: .uid(identity.uid)))
        _ = withUnsafePointer(to: request) { accept($0, on: channel, from: daemon) }
    }

    private mutating func isHeard(_ name: ByteSlice) -> Bool {
        if let channel = channels.find(name), !channel.pointee.exact.isEmpty { return true }
        return patterns.contains(name) { _ in true }.isThere
    }

    private static func append(_ who: Acquaintance, to log: inout ByteLog) {
        append(who.client, who.pid, who.uid, to: &log)
    }

    private static func append(_ client: UInt64, _ pid: Int32, _ uid: UInt32, to log: inout ByteLog) {
        log.append("\"client\":")
        log.append(client)
        ControlLine.appendMember(to: &log, "pid", UInt64(max(0, pid)))
        ControlLine.appendMember(to: &log, "uid", UInt64(uid))
    }
}
