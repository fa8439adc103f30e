// The histories that are on one account, because its owner posted to their channels last: the one that was added to longest
// ago first, and what they take together.

import NotifyWire

struct HistoryList {
    private(set) var oldest: ChannelRef?
    private var newest: ChannelRef?
    fileprivate(set) var bytes = 0
    // Where its account stands in `Histories`.
    fileprivate var rank = -1
    fileprivate var next: AccountRef?
    fileprivate var previous: AccountRef?

    fileprivate mutating func append(_ channel: ChannelRef, _ history: HistoryRef) {
        history.pointee.next = nil
        history.pointee.previous = newest
        if let newest { newest.pointee.history?.pointee.next = channel } else { oldest = channel }
        newest = channel
    }

    fileprivate mutating func unlink(_ history: HistoryRef) {
        let (previous, next) = (history.pointee.previous, history.pointee.next)
        if let previous { previous.pointee.history?.pointee.next = next } else { oldest = next }
        if let next { next.pointee.history?.pointee.previous = previous } else { newest = previous }
    }

    func isNewest(_ channel: ChannelRef) -> Bool { newest == channel }
}

/// The histories of all accounts. The accounts stand in lists by how much they use, one for each power of two: so one that
/// uses at least half as much as any other is found at once, and whoever uses less than half of its equal part of all
/// loses nothing to others.
struct Histories {
    private(set) var bytes = 0
    private var ranks = InlineArray<64, AccountRef?>(repeating: nil)
    /// Bit n: somebody has rank n.
    private var taken: UInt64 = 0

    /// One of those that use the most.
    var largest: AccountRef? { taken == 0 ? nil : ranks[63 - taken.leadingZeroBitCount] }

    /// Changes the channel's history, and keeps account of it.
    mutating func change(_ channel: ChannelRef, _ body: (HistoryRef) -> Void) {
        guard let history = channel.pointee.history else { return }
        let before = history.pointee.weight
        body(history)
        changed(history, from: before)
    }

    /// The history took so many bytes before it was changed.
    mutating func changed(_ history: HistoryRef, from before: Int) {
        guard let account = history.pointee.account else { return }
        charge(account, history.pointee.weight - before)
        if history.pointee.count == 0 {
            account.pointee.histories.unlink(history)
            history.pointee.account = nil
        }
    }

    /// The owner of the account has posted to the channel: its history is on that account from now on.
    mutating func moveToBack(_ channel: ChannelRef, of account: AccountRef) {
        guard let history = channel.pointee.history else { return }
        if let before = history.pointee.account {
            if before == account, account.pointee.histories.isNewest(channel) { return }
            before.pointee.histories.unlink(history)
            if before != account {
                charge(before, -history.pointee.weight)
                charge(account, history.pointee.weight)
            }
        } else {
            charge(account, history.pointee.weight)
        }
        history.pointee.account = account
        account.pointee.histories.append(channel, history)
    }

    /// Nothing of the channel's past is kept any more.
    mutating func empty(_ channel: ChannelRef) {
        change(channel) { $0.pointee.removeAll() }
    }

    private mutating func charge(_ account: AccountRef, _ amount: Int) {
        bytes += amount
        account.pointee.histories.bytes += amount
        let rank = 63 - account.pointee.histories.bytes.leadingZeroBitCount
        if _slowPath(rank != account.pointee.histories.rank) { move(account, to: rank) }
    }

    @inline(never)
    private mutating func move(_ account: AccountRef, to rank: Int) {
        let (old, previous, next) = (
            account.pointee.histories.rank, account.pointee.histories.previous, account.pointee.histories.next
        )
        if old >= 0 {
            if let previous { previous.pointee.histories.next = next } else { ranks[old] = next }
            if let next { next.pointee.histories.previous = previous }
            if ranks[old] == nil { taken &= ~(1 << UInt64(old)) }
        }
        account.pointee.histories.rank = rank
        account.pointee.histories.previous = nil
        account.pointee.histories.next = rank < 0 ? nil : ranks[rank]
        guard rank >= 0 else { return }
        ranks[rank]?.pointee.histories.previous = account
        ranks[rank] = account
        taken |= 1 << UInt64(rank)
    }

    static func make() -> UnsafeMutablePointer<Histories> {
        let histories = UnsafeMutablePointer<Histories>.allocate(capacity: 1)
        histories.initialize(to: Histories())
        return histories
    }
}
