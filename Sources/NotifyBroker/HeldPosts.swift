// All posts that are made later, and what they take: bounded, for each account and in all.

import NotifyWire

struct HeldPosts: ~Copyable {
    /// One post at a time is held back for each of these.
    struct Topic: Hashable {
        let channel: ChannelRef
        let subject: [UInt8]

        init(_ channel: ChannelRef, _ subject: ByteSlice) {
            (self.channel, self.subject) = (channel, [UInt8](subject))
        }
    }

    /// By their number.
    var scheduled: [UInt64: HeldRef] = [:]
    var lastNumber: UInt64 = 0
    var coalesced: [Topic: HeldRef] = [:]
    private(set) var count = 0
    private(set) var bytes = 0

    /// - Parameter retained: what is kept free for its retained message.
    mutating func charge(_ held: HeldRef, retained: Int) {
        count += 1
        bytes += held.pointee.cost
        let account = held.pointee.poster.account
        account.pointee.charge(.scheduledPosts, 1)
        account.pointee.charge(.scheduledBytes, held.pointee.cost)
        account.pointee.charge(.retainedBytes, retained)
    }

    mutating func credit(_ held: HeldRef, retained: Int) {
        count -= 1
        bytes -= held.pointee.cost
        let account = held.pointee.poster.account
        account.pointee.charge(.scheduledPosts, -1)
        account.pointee.charge(.scheduledBytes, -held.pointee.cost)
        account.pointee.charge(.retainedBytes, -retained)
    }

    /// Takes the post out of its table.
    mutating func remove(_ held: HeldRef) {
        if held.pointee.kind == .coalesce {
            coalesced[Topic(held.pointee.channel, held.pointee.subject)] = nil
        } else {
            scheduled[held.pointee.number] = nil
        }
    }

    deinit {
        for held in scheduled.values { HeldPost.destroy(held) }
        for held in coalesced.values { HeldPost.destroy(held) }
    }
}
