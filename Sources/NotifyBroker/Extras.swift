// What few subscriptions have: more wishes than a channel, or a queue that is not simply in order. Apart, because most
// have none of it, and ten thousand of those are one client's right.

import NotifyWire

struct Extras {
    // Only messages with exactly these; nil: any.
    var type: [UInt8]?
    var subject: [UInt8]?
    var fromUID: UInt32?
    var isFiltered: Bool { type != nil || subject != nil || fromUID != nil }

    var policy = BufferPolicy.newest
    /// Policy `fail`: it has lost a message, and ends in this wake-up.
    var hasOverflowed = false

    // The last waiting lines of their priorities. Those of low priority come after them.
    var lastHigh: WaitingRef?
    var lastNormal: WaitingRef?

    /// Policy `latest`: what waits, by what it is about.
    var latest: [Topic: WaitingRef] = [:]
    /// At most one message of a channel and subject in so many nanoseconds; 0: no such limit.
    var interval: UInt64 = 0
    var paces: [Topic: PaceRef] = [:]

    /// Policy `block`: who waits for room, until when, and whether that was in vain.
    var posters: [PeerRef] = []
    var patience = Deadlines<Due>.Key.none
    var isImpatient = false
    /// Who posted the last message that filled the queue, as far as this filling of the outbox is concerned.
    var filler: (wake: UInt64, poster: PeerRef)?

    var group: GroupRef?
    /// Where it stands among the members of its group.
    var place = 0

    /// Messages that later ones took the place of.
    var coalesced: UInt64 = 0
}

extension Subscription {
    var policy: BufferPolicy { extras?.pointee.policy ?? .newest }

    /// Whether it must know what messages are about.
    var conflates: Bool { policy == .latest || extras.map { $0.pointee.interval > 0 } == true }

    /// Makes `extras` if there are none.
    mutating func needExtras() -> UnsafeMutablePointer<Extras> {
        if let extras { return extras }
        let fresh = UnsafeMutablePointer<Extras>.allocate(capacity: 1)
        fresh.initialize(to: Extras(lastNormal: newest))
        extras = fresh
        return fresh
    }
}
