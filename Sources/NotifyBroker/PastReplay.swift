// What a subscription is still to get of the past. Nothing is copied before its peer can take it, so that a slow reader
// costs no more than a cursor for each channel; and nothing is kept for it: what a history loses meanwhile is told.
//
// It outlives its subscription, if that ends in good order.

import NotifyWire

typealias PastReplayRef = UnsafeMutablePointer<PastReplay>

struct PastReplay {
    let number: UInt32
    let filter: PastFilter
    /// nil: it has ended.
    var subscription: SubscriptionRef?
    let wanted: Replay
    /// It is of one channel alone.
    let isAlone: Bool
    /// What is missing was not told already, of all channels together.
    let tellsGaps: Bool
    /// The number of the access rules by which the channels were chosen.
    let rights: UInt64
    /// The last `pos` of the past.
    let end: UInt64
    var heap = PastHeap()

    /// What it takes while it waits.
    var bytes: Int { MemoryLayout<PastReplay>.size + heap.bytes }

    static func make(
        for subscription: SubscriptionRef, _ wanted: Replay, tellsGaps: Bool = true, end: UInt64
    ) -> PastReplayRef {
        let replay = PastReplayRef.allocate(capacity: 1)
        replay.initialize(
            to: PastReplay(
                number: subscription.pointee.number, filter: PastFilter(subscription), subscription: subscription,
                wanted: wanted, isAlone: subscription.pointee.channel != nil, tellsGaps: tellsGaps,
                rights: subscription.pointee.peer.pointee.profile.pointee.number, end: end))
        return replay
    }

    static func destroy(_ replay: PastReplayRef) {
        replay.pointee.heap.unpin()
        replay.deinitialize(count: 1)
        replay.deallocate()
    }
}

/// Which messages of the past a subscription wants.
struct PastFilter {
    let type: [UInt8]?
    let subject: [UInt8]?
    let uid: UInt32?
    let echo: Bool

    init(_ subscription: SubscriptionRef) {
        let extras = subscription.pointee.extras
        type = extras?.pointee.type
        subject = extras?.pointee.subject
        uid = extras?.pointee.fromUID
        echo = subscription.pointee.echo
    }

    var passesAll: Bool { echo && type == nil && subject == nil && uid == nil }
}
