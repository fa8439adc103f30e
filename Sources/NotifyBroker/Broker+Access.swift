// Where rights are asked for, and what happens when one is missing. A right counts when something is asked, and, of what is
// made or delivered later, again at that time: a post when it is made, a message when it is matched. What was matched while
// the right was there is delivered.

import NotifyWire

extension Broker {
    // MARK: May it?

    @inline(__always)
    func mayPost(_ peer: PeerRef, on channel: ChannelRef) -> Bool {
        let profile = peer.pointee.profile
        if profile.pointee.mayPostAnywhere || channel.pointee.lastPoster == profile.pointee.number { return true }
        return mayPostAfterLook(profile, on: channel)
    }

    @inline(never)
    private func mayPostAfterLook(_ profile: AccessProfileRef, on channel: ChannelRef) -> Bool {
        guard profile.pointee.may(.post, on: channel.pointee.name) else { return false }
        channel.pointee.lastPoster = profile.pointee.number
        return true
    }

    /// Why this peer may not do this; nil when it may. A name that is none is somebody else's to refuse.
    mutating func check(_ right: Right, on name: ByteSlice, _ peer: PeerRef) -> Refusal? {
        let profile = peer.pointee.profile
        let right = AccessRules.right(for: right, on: name)
        if right == .post && profile.pointee.mayPostAnywhere || right == .listen && profile.pointee.mayListenAnywhere {
            return nil
        }
        spend(profile.pointee.cost)
        let decision = profile.pointee.decide(right, on: name)
        if decision.isAllowed || PatternName.fault(in: name) != nil { return nil }
        note(right, name, decision.rule, peer.pointee.client, peer.pointee.pid, profile)
        return Self.denied(right, name)
    }

    /// The same for what a subscription needs: it has to be for some channel at least.
    mutating func checkListening(to request: Request, _ peer: PeerRef) -> Refusal? {
        let rights = Self.rights(for: request.wishes.policy)
        guard PatternName.hasWildcards(request.channel) else {
            for right in rights {
                if let refusal = check(right, on: request.channel, peer) { return refusal }
            }
            return nil
        }
        let profile = peer.pointee.profile
        if request.wishes.policy != .block, profile.pointee.mayListenAnywhere, !ChannelName.isReserved(request.channel)
        {
            return nil
        }
        spend(profile.pointee.cost)
        for right in rights where !profile.pointee.mayOnSome([right], of: request.channel) {
            let right = AccessRules.right(for: right, on: request.channel)
            let rule = profile.pointee.rule(denying: right, onAllOf: request.channel)
            note(right, request.channel, rule, peer.pointee.client, peer.pointee.pid, profile)
            return Self.denied(right, request.channel)
        }
        return nil
    }

    /// What a subscription with this policy needs for each channel.
    static func rights(for policy: BufferPolicy) -> [Right] { policy == .block ? [.listen, .block] : [.listen] }

    // MARK: Denied

    static func denied(_ right: Right, _ name: ByteSlice) -> Refusal {
        Refusal(.denied, "channel '\(name.excerpt)': the access rules deny the right '\(right.name)'")
    }

    /// Counts it, and keeps it for the log.
    mutating func note(
        _ right: Right, _ name: ByteSlice, _ rule: AccessRule?, _ client: UInt64, _ pid: Int32,
        _ profile: AccessProfileRef
    ) {
        counters.denied += 1
        guard denials.count < Denial.limit else { return }
        denials.append(
            Denial(
                client: client, pid: pid, identity: profile.pointee.identity, right: right, channel: name.excerpt,
                rule: rule))
    }

    package var hasDenials: Bool { mutating get { !denials.isEmpty } }

    package mutating func takeDenials() -> [Denial] {
        defer { denials = [] }
        return denials
    }

    // MARK: Profiles

    /// It is known now of which unit the peer is.
    package mutating func setUnit(_ unit: String?, of peer: PeerRef) {
        let old = peer.pointee.profile
        var identity = old.pointee.identity
        identity.unit = unit
        guard identity != old.pointee.identity else { return }
        peer.pointee.profile = access.use(identity)
        release(old)
        patterns.forgetMatches()
    }

    mutating func release(_ profile: AccessProfileRef) {
        if access.release(profile) { usual = Usual() }
    }
}

extension Subscription {
    /// Whether it gets what is posted on this channel, which its pattern matches.
    func mayGet(_ name: ByteSlice, search: UInt64) -> Bool {
        let profile = peer.pointee.profile
        let isBlocking = policy == .block
        if !isBlocking, profile.pointee.mayListenAnywhere, !ChannelName.isReserved(name) { return true }
        return profile.pointee.mayGet(name, blocking: isBlocking, search: search)
    }

    func mayGet(_ name: ByteSlice) -> Bool {
        let profile = peer.pointee.profile
        if policy == .block, !profile.pointee.may(.block, on: name) { return false }
        return profile.pointee.mayListen(to: name)
    }
}
