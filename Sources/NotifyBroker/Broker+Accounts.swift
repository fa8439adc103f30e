// Whose account something goes on, and what is refused because it is full.

import NotifyWire

extension Broker {
    /// The owner's account; made if there is none.
    mutating func account(of owner: Account.Owner) -> AccountRef {
        if let known = accounts.find(owner) { return known }
        let account = accounts.make(owner, limits, hasAll: owner == .uid(identity.uid))
        account.pointee.apply(limits, at: now.monotonic)
        return account
    }

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
            "limit 'connects_per_s_per_uid' of \(account.pointee.owner.text) is \(account.pointee.connects.rate)",
            retry: wait)
    }

    /// The daemon's limits have changed.
    mutating func applyLimits() {
        accounts.pools.pointee.limits = limits
        for account in accounts.all { account.pointee.apply(limits, at: now.monotonic) }
    }
}
