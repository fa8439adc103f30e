// What somebody uses, over all connections and after them: the uid that the kernel names, or a unit to which the
// configuration gives an account of its own. Every peer points to its account, and so does whatever outlives a connection:
// posts that are made later, retained messages, histories, `dedup` keys.

import NotifyWire

typealias AccountRef = UnsafeMutablePointer<Account>

package struct Account {
    package enum Owner: Hashable, Sendable {
        case uid(UInt32)
        case unit(String)

        /// As errors and the log call it.
        package var text: String {
            switch self {
            case .uid(let uid): "uid \(uid)"
            case .unit(let unit): "unit \(unit)"
            }
        }
    }

    package let owner: Owner
    /// The daemon's, with what the configuration's quotas say otherwise for this one.
    private(set) var limits: Limits
    /// The daemon's own user needs to leave nothing to others: it could stop the daemon just as well.
    var hasAll: Bool
    private let pools: UnsafeMutablePointer<Pools>
    private(set) var used = ByResource(0)
    /// What may wait for each of its connections, whatever others have.
    private var floor = 0
    private var inputFloor = 0
    /// What waits for its connections, shared among them.
    var queue = Pool()
    /// What has come of lines of its connections that are not handled yet, shared among them.
    var input = Pool()
    var histories = HistoryList()
    var rates = Rates()
    var connects = TokenBucket()

    /// Somebody of it has had so much done that others come first until then, by the monotonic clock.
    var restsUntil: UInt64 = 0
    /// Posts of connections that have gone, and what came from them.
    var postsOfGone: UInt64 = 0
    var bytesInOfGone: UInt64 = 0
    var refused: UInt64 = 0
    var rateLimited: UInt64 = 0
    /// Its place among all accounts.
    var index = -1
    /// What says otherwise.
    private var quota: QuotaRule?

    init(_ owner: Owner, _ limits: Limits, hasAll: Bool, _ pools: UnsafeMutablePointer<Pools>) {
        (self.owner, self.limits, self.hasAll, self.pools) = (owner, limits, hasAll, pools)
    }

    /// Other limits count from now on. Nothing is taken away, but what has too much gets no more.
    mutating func apply(_ quota: QuotaRule?, _ common: Limits, at now: UInt64) {
        let limits = quota?.limits(insteadOf: common) ?? common
        self.quota = quota
        guard limits != self.limits || floor == 0 else { return }
        self.limits = limits
        let all = pools.pointee.limits
        floor = min(limits.queuedBytesPerUID / limits.clientsPerUID, all.queuedBytes / all.clients)
        inputFloor = min(limits.inputBytesPerUID / limits.clientsPerUID, all.inputBytes / all.clients)
        let connects = limits.connectsPerSecondPerUID
        self.connects.change(rate: connects, burst: connects * limits.burstSeconds, at: now)
        rates.change(
            messages: limits.messagesPerSecondPerUID, bytes: limits.bytesPerSecondPerUID, limits, at: now)
    }

    @inline(__always)
    mutating func charge(_ resource: Resource, _ amount: Int) {
        pools.pointee.shares[resource].change(&used[resource], by: amount)
    }

    /// Why it may not have so much more; nil: it may.
    ///
    /// - Parameter replaced: so much of others goes in exchange.
    func refusal(_ resource: Resource, _ more: Int, replacing replaced: Int = 0) -> Refusal? {
        if more <= 0 || allows(more, resource, replaced) && used[resource] + more <= resource.bound(limits) {
            return nil
        }
        if used[resource] + more > resource.bound(limits) {
            return Refusal(
                .quotaExceeded,
                limit("\(resource.name)", ending: "_per_uid", of: owner.text, is: resource.bound(limits)))
        }
        let total = resource.total(pools.pointee.limits)
        let whose =
            pools.pointee.shares[resource].used + more > total + replaced
            ? "" : ", and \(owner.text) has its share of what is left"
        return Refusal(.quotaExceeded, "limit '\(resource.name)' of the daemon is \(total)\(whose)")
    }

    /// A limit, whose it is and how much, by the key that says so: that of the account's quota, which is told with its
    /// place, or one in `limits`, where those of an account have an ending.
    func limit(_ name: String, ending: String = "", of whose: String, is value: Int) -> String {
        if let quota, quota.says(name) {
            return "limit '\(name)' of \(whose) is \(value) (\(quota.origin))"
        }
        return "limit '\(name)\(ending)' of \(whose) is \(value)"
    }

    // Otherwise the account is copied for it.
    @inline(__always)
    private func allows(_ more: Int, _ resource: Resource, _ replaced: Int = 0) -> Bool {
        let total = resource.total(pools.pointee.limits) + replaced
        let pool = pools.pointee.shares[resource]
        return hasAll ? pool.used + more <= total : pool.allows(more, on: used[resource], of: total)
    }

    // MARK: What waits

    /// Whether so much more may wait for a connection for which `share` waits already: by its own bound, as a share of
    /// what its account may have, and by the account's share of what there is for all.
    @inline(__always)
    func hasRoom(for more: Int, on share: Int) -> Bool {
        // If all connections that there may be came to this, it would be as much again.
        if share + more <= floor { return true }
        return queue.allows(more, on: share, of: limits.queuedBytesPerUID) && allows(more, .queuedBytes)
    }

    /// How much more may wait for a connection for which `share` waits already.
    func room(on share: Int) -> Int {
        let total = pools.pointee.limits.queuedBytes
        let pool = pools.pointee.shares[.queuedBytes]
        let common = hasAll ? total - pool.used : pool.most(on: used[.queuedBytes], of: total)
        return max(floor - share, min(queue.most(on: share, of: limits.queuedBytesPerUID), common), 0)
    }

    /// Why so much more that has come from a connection may not be kept, of which `share` is kept already; nil: it may.
    func refusal(input more: Int, on share: Int) -> Refusal? {
        if more <= 0 || share + more <= inputFloor { return nil }
        let bound = limits.inputBytesPerUID
        if used[.inputBytes] + more > bound || input.allows(more, on: share, of: bound) {
            return refusal(.inputBytes, more)
        }
        return Refusal(
            .quotaExceeded,
            limit("input_bytes", ending: "_per_uid", of: owner.text, is: bound)
                + ", and this connection has its share of what is left")
    }

    /// Nothing is there that is on it.
    var isEmpty: Bool {
        for resource in Resource.allCases where used[resource] != 0 { return false }
        return histories.oldest == nil
    }

    /// Nothing is lost when it is forgotten: its rates would be the same for a new one.
    mutating func isForgettable(at now: UInt64) -> Bool {
        isEmpty && connects.isFull(at: now) && rates.isFull(at: now)
    }
}
