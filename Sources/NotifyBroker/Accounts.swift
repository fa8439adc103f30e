// All accounts. One is made when its owner comes, and forgotten some time after nothing is left of it: whenever another
// one is made a few are looked at, so that uids without number, one after the other, cost bounded memory.

import NotifyWire

struct Accounts: ~Copyable {
    private var byOwner: [Account.Owner: AccountRef] = [:]
    private(set) var all: [AccountRef] = []
    private var cursor = 0
    let pools: UnsafeMutablePointer<Pools>
    /// Accounts that were made since some were looked at.
    private var made = 0

    /// Accounts looked at for each that is made.
    private static let looks = 4

    init(_ limits: Limits) { pools = Pools.make(limits) }

    deinit {
        for account in all { Self.destroy(account) }
        pools.deallocate()
    }

    private static func destroy(_ account: AccountRef) {
        account.deinitialize(count: 1)
        account.deallocate()
    }

    func find(_ owner: Account.Owner) -> AccountRef? { byOwner[owner] }

    mutating func make(_ owner: Account.Owner, _ limits: Limits, hasAll: Bool) -> AccountRef {
        let account = AccountRef.allocate(capacity: 1)
        account.initialize(to: Account(owner, limits, hasAll: hasAll, pools))
        account.pointee.index = all.count
        all.append(account)
        byOwner[owner] = account
        made += 1
        return account
    }

    /// To be called when nothing of a wake-up points to an account any more.
    @inline(__always)
    mutating func forgetSome(at now: UInt64) {
        if _slowPath(made > 0) { lookAtSome(at: now) }
    }

    @inline(never)
    private mutating func lookAtSome(at now: UInt64) {
        var left = made * Self.looks
        made = 0
        while left > 0, !all.isEmpty {
            left -= 1
            if cursor >= all.count { cursor = 0 }
            if all[cursor].pointee.isForgettable(at: now) { forget(all[cursor]) } else { cursor += 1 }
        }
    }

    private mutating func forget(_ account: AccountRef) {
        byOwner[account.pointee.owner] = nil
        let last = all.removeLast()
        if last != account {
            last.pointee.index = account.pointee.index
            all[account.pointee.index] = last
        }
        Self.destroy(account)
    }
}
