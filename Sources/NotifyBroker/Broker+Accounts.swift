// Whose account something goes on, and by which limits.

package import NotifyWire

extension Broker {
    /// The account of everything that somebody of this identity does from now on.
    mutating func account(of identity: Identity) -> AccountRef {
        let rule = quotas.first(for: identity)
        let account = account(of: rule?.who.unit.map { .unit($0) } ?? .uid(identity.uid))
        // Processes of one user may be of different groups: the newest counts.
        apply(rule, to: account)
        return account
    }

    /// The owner's account; made if there is none.
    mutating func account(of owner: Account.Owner) -> AccountRef {
        if let known = accounts.find(owner) { return known }
        let account = accounts.make(owner, limits, hasAll: owner == .uid(identity.uid))
        apply(ruleOfAll(owner), to: account)
        return account
    }

    /// The rule that counts for the owner, whatever connections there are.
    private func ruleOfAll(_ owner: Account.Owner) -> QuotaRule? {
        switch owner {
        case .uid(let uid): quotas.first(for: Identity(uid: uid, gid: .max))
        case .unit(let unit): quotas.first { $0.who.unit == unit }
        }
    }

    private func apply(_ rule: QuotaRule?, to account: AccountRef) {
        account.pointee.apply(rule, limits, at: now.monotonic)
    }

    /// Others count from now on; whoever is there stays on the account on which they came.
    package mutating func setQuotas(_ rules: [QuotaRule]) {
        quotas = rules
        applyLimits()
    }

    /// The limits have changed. Nothing is taken from anybody, but who has too much gets no more.
    mutating func applyLimits() {
        accounts.pools.pointee.limits = limits
        for account in accounts.all { apply(ruleOfAll(account.pointee.owner), to: account) }
        for case let peer? in peers {
            let account = peer.pointee.account
            if case .uid = account.pointee.owner, !quotas.isEmpty {
                let rule = quotas.first(for: peer.pointee.profile.pointee.identity)
                if rule?.who.unit == nil { apply(rule, to: account) }
            }
            meter(peer)
        }
    }

    /// Whether what comes from the peer is counted, and against which rates of its own.
    func meter(_ peer: PeerRef) {
        let account = peer.pointee.account
        let limits = account.pointee.limits
        peer.pointee.meter(
            messages: limits.messagesPerSecondPerClient, bytes: limits.bytesPerSecondPerClient, limits,
            isCounted: !account.pointee.rates.isOff, at: now.monotonic)
    }

    // MARK: Rates

    /// Whether one more connection may come in.
    mutating func checkConnection(_ account: AccountRef) -> Refusal? {
        if let refusal = account.pointee.refusal(.clients, 1) { return refusal }
        let wait = account.pointee.connects.wait(for: 1, at: now.monotonic)
        guard wait > 0 else {
            account.pointee.connects.take(1)
            return nil
        }
        account.pointee.rateLimited += 1
        return Refusal(
            .rateLimited,
            account.pointee.limit(
                "connects_per_s", ending: "_per_uid", of: account.pointee.owner.text,
                is: account.pointee.connects.rate),
            retry: wait)
    }

    /// Counts a line of a peer that is metered, with as many messages: every line counts, whatever it says. Returns why it
    /// is not handled.
    package mutating func admit(_ messages: Int = 1, bytes: Int, from peer: PeerRef) -> Refusal? {
        let account = peer.pointee.account
        let own = peer.pointee.rates.excess(messages: messages, bytes: bytes, at: now.monotonic)
        let common = account.pointee.rates.excess(messages: messages, bytes: bytes, at: now.monotonic)
        guard own != nil || common != nil else {
            peer.pointee.rates.take(messages: messages, bytes: bytes)
            account.pointee.rates.take(messages: messages, bytes: bytes)
            return nil
        }
        account.pointee.rateLimited += 1
        let wait = max(own?.wait ?? 0, common?.wait ?? 0)
        if let own {
            let limit = account.pointee.limit("\(own.name)_per_client", of: "this connection", is: own.rate)
            return Refusal(.rateLimited, limit, retry: wait)
        }
        return common.map {
            let limit = account.pointee.limit(
                "\($0.name)", ending: "_per_uid", of: account.pointee.owner.text, is: $0.rate)
            return Refusal(.rateLimited, limit, retry: wait)
        }
    }

    // MARK: Answers

    /// `sayReply` for an answer that may be long, and is never dropped: it is refused if there is no room for it, should the
    /// peer not read it.
    mutating func sayAnswer(from start: Int, to peer: PeerRef) {
        let count = outbox.replies.count - start
        guard count > Limits.shortAnswer, count > peer.pointee.room else { return sayReply(from: start, to: peer) }
        let id = [UInt8](ControlLine.id(of: outbox.replies.slice(from: start, to: outbox.replies.count)))
        outbox.replies.truncate(to: start)
        id.withUnsafeBufferPointer { bytes in
            refuse(tooLong(count, peer), bytes.baseAddress.map { ByteSlice($0, bytes.count) } ?? .empty, peer)
        }
    }

    func tooLong(_ count: Int, _ peer: PeerRef) -> Refusal {
        let account = peer.pointee.account
        return Refusal(
            .quotaExceeded,
            account.pointee.limit(
                "queued_bytes", ending: "_per_uid", of: account.pointee.owner.text,
                is: account.pointee.limits.queuedBytesPerUID)
                + ": the answer may have \(count) bytes, and no more than \(peer.pointee.room) may wait for this "
                + "connection")
    }

    // MARK: The log

    /// Keeps it for the log.
    mutating func note(_ refusal: Refusal, of peer: PeerRef) {
        guard refusal.code == .quotaExceeded || refusal.code == .rateLimited, excesses.count < Excess.limit else {
            return
        }
        let (client, pid, uid) = (peer.pointee.client, peer.pointee.pid, peer.pointee.uid)
        excesses.append(Excess(client: client, pid: pid, uid: uid, reason: refusal.message))
    }

    package var hasExcesses: Bool { mutating get { !excesses.isEmpty } }

    package mutating func takeExcesses() -> [Excess] {
        defer { excesses = [] }
        return excesses
    }
}
