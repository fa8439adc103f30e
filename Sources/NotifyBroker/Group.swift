// Subscriptions that share their messages: each goes to one of them, the one with the fewest waiting.

import NotifyWire

typealias GroupRef = UnsafeMutablePointer<Group>

struct Group {
    /// Groups of different users are different ones: nobody takes messages away from somebody else.
    struct Key: Hashable {
        let uid: UInt32
        let pattern: [UInt8]
        let name: [UInt8]
    }

    let key: Key
    private(set) var members: [SubscriptionRef] = []
    /// Whose turn it is among those with as few waiting messages.
    private var turn = 0
    /// The `pos` of the message that was given to a member last, so that it is given to one only.
    var position: UInt64 = 0

    mutating func add(_ subscription: SubscriptionRef) {
        subscription.pointee.extras?.pointee.place = members.count
        members.append(subscription)
    }

    mutating func remove(_ subscription: SubscriptionRef) {
        guard let place = subscription.pointee.extras?.pointee.place else { return }
        let last = members.removeLast()
        guard place < members.count else { return }
        members[place] = last
        last.pointee.extras?.pointee.place = place
    }

    /// The one with the least to do among those that may have the message; how many were looked at is added to `work`.
    mutating func choose(_ work: inout Int, where mayHave: (SubscriptionRef) -> Bool) -> SubscriptionRef? {
        var best: (member: SubscriptionRef, load: UInt32, place: Int)?
        for offset in 0..<members.count {
            work += 1
            let place = (turn + offset) % members.count
            let member = members[place]
            let load = Self.load(member)
            if load < best?.load ?? .max, mayHave(member) { best = (member, load, place) }
            if best?.load == 0 { break }
        }
        guard let best else { return nil }
        turn = (best.place + 1) % members.count
        return best.member
    }

    /// Who was chosen last.
    var chosen: SubscriptionRef? { members.isEmpty ? nil : members[(turn + members.count - 1) % members.count] }

    /// Who does not read has something to do, even if nothing of this subscription waits.
    private static func load(_ member: SubscriptionRef) -> UInt32 {
        max(member.pointee.waitingMessages, member.pointee.peer.pointee.isBlocked ? 1 : 0)
    }

    static func make(_ key: Key) -> GroupRef {
        let group = GroupRef.allocate(capacity: 1)
        group.initialize(to: Group(key: key))
        return group
    }

    static func destroy(_ group: GroupRef) {
        group.deinitialize(count: 1)
        group.deallocate()
    }
}
