// `min_interval_ms`: of each channel and subject a subscription gets at most one message in an interval. What comes
// sooner is held, the latest in place of the one before it, and goes when the interval is over: the last of a burst
// needs no other message to push it.

import NotifyWire

typealias PaceRef = UnsafeMutablePointer<Pace>

/// One channel and subject of one subscription, for as long as less than the interval has passed since a message of it
/// went. It stands in the subscription's table, with a deadline for the end of the interval.
struct Pace {
    let subscription: SubscriptionRef
    let topic: Topic
    var deadline = Deadlines<Due>.Key.none
    /// The message that is held.
    var line: WaitingRef?

    /// For the order in which messages were held.
    var held: UInt64 = 0

    static func make(_ subscription: SubscriptionRef, _ topic: Topic) -> PaceRef {
        topic.channel.pointee.pins += 1
        let pace = PaceRef.allocate(capacity: 1)
        pace.initialize(to: Pace(subscription: subscription, topic: topic))
        return pace
    }

    static func destroy(_ pace: PaceRef) {
        pace.pointee.topic.channel.pointee.pins -= 1
        if let line = pace.pointee.line { Waiting.destroy(line) }
        pace.deallocate()
    }
}
