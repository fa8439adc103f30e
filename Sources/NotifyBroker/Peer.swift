// A client as the broker sees it: who it is, its subscriptions, and what waits to be written to it.

import NotifyWire

package typealias PeerRef = UnsafeMutablePointer<Peer>

package struct Peer {
    package let slot: Int
    /// Its number for others to see; never used again.
    package let client: UInt64
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
    package var name = ""
    /// Wall clock, nanoseconds since 1970.
    let connected: Int64

    var subscriptions: SubscriptionRef?
    var subscriptionCount = 0
    /// No number below this one is free.
    var numberHint: UInt32 = 1
    /// Subscriptions by number; only kept when there are too many to look through.
    var byNumber: [UInt32: SubscriptionRef] = [:]

    /// Ranges of the log written for it in wake-up `wake`.
    var wake: UInt64 = 0
    var firstRange = 0
    var lastRange = 0

    /// What the kernel did not take, oldest first.
    var waiting: WaitingRef? {
        didSet { isBlocked = waiting != nil }
    }
    var lastWaiting: WaitingRef?
    /// Bytes of `waiting` that have been sent already.
    var waitingOffset = 0
    var waitingMessageBytes = 0
    var waitingReplyBytes = 0 {
        didSet { isPaused = waitingReplyBytes > Limits.replyBytes }
    }

    /// Nothing more comes from it, or is wanted from it; it ends when everything is written.
    package internal(set) var isEnding = false
    /// It closed its side for writing.
    package internal(set) var inputEnded = false

    /// It reads nothing any more.
    package internal(set) var isDeaf = false

    var posts: UInt64 = 0
    /// Of subscriptions that have ended; those that are there count for themselves.
    var delivered: UInt64 = 0
    var dropped: UInt64 = 0

    /// It is in the outbox's list of peers for what waits.
    var isOverdue = false

    // Stored, not computed: the daemon asks for them in every wake-up, from another module.

    /// Something waits for the peer to read.
    package private(set) var isBlocked = false

    /// It asks and does not read the answers: its requests wait.
    package private(set) var isPaused = false

    static let fewSubscriptions = 8

    func subscription(_ number: UInt32) -> SubscriptionRef? {
        if subscriptionCount > Self.fewSubscriptions { return byNumber[number] }
        var next = subscriptions
        while let subscription = next {
            if subscription.pointee.number == number { return subscription }
            next = subscription.pointee.nextOfPeer
        }
        return nil
    }

    mutating func add(_ subscription: SubscriptionRef) {
        subscription.pointee.nextOfPeer = subscriptions
        subscriptions?.pointee.previousOfPeer = subscription
        subscriptions = subscription
        subscriptionCount += 1
        if subscriptionCount == Self.fewSubscriptions + 1 {
            var next = subscriptions
            while let each = next {
                byNumber[each.pointee.number] = each
                next = each.pointee.nextOfPeer
            }
        } else if subscriptionCount > Self.fewSubscriptions {
            byNumber[subscription.pointee.number] = subscription
        }
    }

    mutating func remove(_ subscription: SubscriptionRef) {
        let (previous, next) = (subscription.pointee.previousOfPeer, subscription.pointee.nextOfPeer)
        if let previous { previous.pointee.nextOfPeer = next } else { subscriptions = next }
        next?.pointee.previousOfPeer = previous
        if subscriptionCount > Self.fewSubscriptions { byNumber[subscription.pointee.number] = nil }
        subscriptionCount -= 1
        if subscriptionCount == Self.fewSubscriptions { byNumber = [:] }
        numberHint = min(numberHint, subscription.pointee.number)
    }

    /// The lowest number that no subscription of this peer has.
    mutating func nextNumber() -> UInt32 {
        while subscription(numberHint) != nil { numberHint += 1 }
        return numberHint
    }
}
