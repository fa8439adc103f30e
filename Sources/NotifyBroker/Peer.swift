// A client as the broker sees it: who it is, its subscriptions, and what waits to be written to it.

import NotifyWire

package typealias PeerRef = UnsafeMutablePointer<Peer>

/// Ten thousand idle ones are a common sight: what fits in 32 bits takes no more.
package struct Peer {
    /// Its number for others to see; never used again.
    package let client: UInt64
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
    let account: AccountRef
    package let slot: Int
    private var extras: UnsafeMutablePointer<Extras>?
    /// Wall clock, nanoseconds since 1970.
    let connected: Int64
    /// What it may do.
    var profile: AccessProfileRef

    var subscriptions: SubscriptionRef?
    private var subscriptionCount32: UInt32 = 0
    var subscriptionCount: Int { Int(subscriptionCount32) }
    /// No number below this one is free.
    var numberHint: UInt32 = 1

    /// Ranges of the log written for it in wake-up `wake`.
    var wake: UInt64 = 0
    var firstRange: Int32 = 0
    var lastRange: Int32 = 0

    /// What the kernel did not take, oldest first.
    var waiting: WaitingRef? {
        didSet { isBlocked = waiting != nil }
    }
    var lastWaiting: WaitingRef?
    /// Bytes of `waiting` that have been sent already.
    private var waitingOffset32: UInt32 = 0
    private var waitingMessageBytes32: UInt32 = 0
    private var waitingReplyBytes32: UInt32 = 0
    private var notes32: UInt32 = 0
    private var inputBytes32: UInt32 = 0
    /// Full queues that it must wait for before it is read from again.
    var holds: UInt32 = 0 {
        didSet { isPaused = holds > 0 || hasTooManyReplies }
    }

    /// The last mark in `waiting` is for this piece of what goes to the store; 0: there is none.
    var heldPiece: UInt32 = 0

    /// Nothing more comes from it, or is wanted from it; it ends when everything is written.
    package internal(set) var isEnding = false
    /// It closed its side for writing.
    package internal(set) var inputEnded = false

    /// It reads nothing any more.
    package internal(set) var isDeaf = false

    /// It ends in good order: by `bye`.
    var saidBye = false

    /// Subscriptions of it may have lost something that is to be told as soon as nothing waits.
    var hasUntold = false

    /// It is in the outbox's list of peers for what waits.
    var isOverdue = false

    // Stored, not computed: the daemon asks for them in every wake-up, from another module.

    /// Something waits for the peer to read.
    package private(set) var isBlocked = false

    /// It asks and does not read the answers, or posts to a full queue that blocks: its requests wait.
    package private(set) var isPaused = false

    /// What comes from it counts against rates.
    package private(set) var isMetered = false

    var posts: UInt64 = 0
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
    /// When something came from it last, by the monotonic clock; 0: never.
    var lastHeard: UInt64 = 0

    static let fewSubscriptions = 8

    init(
        slot: Int, client: UInt64, pid: Int32, uid: UInt32, gid: UInt32, profile: AccessProfileRef, account: AccountRef,
        connected: Int64
    ) {
        (self.slot, self.account) = (slot, account)
        (self.client, self.pid, self.uid, self.gid, self.connected) = (client, pid, uid, gid, connected)
        self.profile = profile
    }

    var waitingOffset: Int {
        get { Int(waitingOffset32) }
        set { waitingOffset32 = UInt32(newValue) }
    }

    /// Gaps and topics that are kept for its subscriptions; bounded by `Limits.notesPerClient`.
    var notes: Int {
        get { Int(notes32) }
        set { notes32 = UInt32(newValue) }
    }

    /// Of messages that may be dropped; bounded by `Limits.clientQueueBytes`.
    var waitingMessageBytes: Int {
        get { Int(waitingMessageBytes32) }
        set {
            charge(newValue - waitingMessageBytes)
            waitingMessageBytes32 = UInt32(newValue)
        }
    }

    /// Of lines that are not dropped.
    var waitingReplyBytes: Int {
        get { Int(waitingReplyBytes32) }
        set {
            charge(newValue - waitingReplyBytes)
            waitingReplyBytes32 = UInt32(newValue)
            isPaused = holds > 0 || hasTooManyReplies
        }
    }

    /// Its answers wait until they are read, so it asks for no more when its account has no room for one more. As long as
    /// none waits it may ask: what it reads is seen, but not that others have made room.
    private var hasTooManyReplies: Bool {
        let waiting = waitingReplyBytes
        return waiting > Limits.replyBytes
            || waiting > 0 && !account.pointee.hasRoom(for: Limits.shortAnswer, on: waiting + waitingMessageBytes)
    }

    /// How much may be answered to it in one piece before it is seen what of that it takes.
    var answersPerPiece: Int {
        if account.pointee.used[.queuedBytes] == 0 { return Limits.answersPerPiece }
        let share = waitingReplyBytes + waitingMessageBytes
        return account.pointee.hasRoom(for: Limits.answersPerPiece, on: share) ? Limits.answersPerPiece : 0
    }

    /// What is kept of what came from it: of a line that is not complete, or requests that wait.
    package internal(set) var inputBytes: Int {
        get { Int(inputBytes32) }
        set {
            var share = inputBytes
            account.pointee.charge(.inputBytes, newValue - share)
            account.pointee.input.change(&share, by: newValue - share)
            inputBytes32 = UInt32(newValue)
        }
    }

    /// Whether one more message of so many bytes may wait for it: what cannot be dropped takes from its share, too.
    func hasRoom(for count: Int) -> Bool {
        waitingMessageBytes + count <= account.pointee.limits.clientQueueBytes
            && account.pointee.hasRoom(for: count, on: waitingMessageBytes + waitingReplyBytes)
    }

    /// How much more may wait for it, of what cannot be dropped.
    var room: Int {
        let share = waitingMessageBytes + waitingReplyBytes
        return min(account.pointee.limits.clientQueueBytes, account.pointee.room(on: share))
    }

    private func charge(_ amount: Int) {
        var share = waitingMessageBytes + waitingReplyBytes
        account.pointee.queue.change(&share, by: amount)
        account.pointee.charge(.queuedBytes, amount)
    }

    // MARK: What an idle one with one subscription does not have

    private struct Extras {
        var name = ""
        /// Subscriptions by number; only kept when there are too many to look through.
        var byNumber: [UInt32: SubscriptionRef] = [:]
        var delivered: UInt64 = 0
        var dropped: UInt64 = 0
        var will: HeldRef?
        var rates = Rates()
        var restsUntil: UInt64 = 0
    }

    private mutating func change(_ body: (inout Extras) -> Void) {
        let extras = extras ?? .allocate(capacity: 1)
        if self.extras == nil { extras.initialize(to: Extras()) }
        self.extras = extras
        body(&extras.pointee)
    }

    /// Its owner calls this at the end.
    mutating func freeExtras() {
        extras?.deinitialize(count: 1)
        extras?.deallocate()
        extras = nil
    }

    /// What it calls itself; empty unless it has said so.
    package var name: String {
        get { extras?.pointee.name ?? "" }
        set { change { $0.name = newValue } }
    }

    /// Delivered to subscriptions that have ended; those that are there count for themselves.
    var delivered: UInt64 { extras?.pointee.delivered ?? 0 }
    var dropped: UInt64 { extras?.pointee.dropped ?? 0 }

    mutating func countDelivered(_ messages: UInt64) {
        if messages > 0 { change { $0.delivered += messages } }
    }

    mutating func countDropped() { change { $0.dropped += 1 } }

    /// Posted if it ends without `bye`.
    var will: HeldRef? {
        get { extras?.pointee.will }
        set { change { $0.will = newValue } }
    }

    /// Its turn was so long that others come first until then, by the monotonic clock; 0: it was not.
    package internal(set) var restsUntil: UInt64 {
        get { extras?.pointee.restsUntil ?? 0 }
        set { if newValue > 0 || restsUntil > 0 { change { $0.restsUntil = newValue } } }
    }

    /// Its own rates.
    var rates: Rates {
        get { extras?.pointee.rates ?? Rates() }
        set { if isMetered { change { $0.rates = newValue } } }
    }

    mutating func meter(messages: Int, bytes: Int, _ limits: Limits, isCounted: Bool, at now: UInt64) {
        isMetered = isMetered || isCounted || messages > 0 || bytes > 0
        if isMetered { change { $0.rates.change(messages: messages, bytes: bytes, limits, at: now) } }
        isMetered = isCounted || messages > 0 || bytes > 0
    }

    // MARK: Subscriptions

    func subscription(_ number: UInt32) -> SubscriptionRef? {
        if subscriptionCount > Self.fewSubscriptions { return extras?.pointee.byNumber[number] }
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
        subscriptionCount32 += 1
        if subscriptionCount == Self.fewSubscriptions + 1 {
            var next = subscriptions
            while let each = next {
                change { $0.byNumber[each.pointee.number] = each }
                next = each.pointee.nextOfPeer
            }
        } else if subscriptionCount > Self.fewSubscriptions {
            change { $0.byNumber[subscription.pointee.number] = subscription }
        }
    }

    mutating func remove(_ subscription: SubscriptionRef) {
        let (previous, next) = (subscription.pointee.previousOfPeer, subscription.pointee.nextOfPeer)
        if let previous { previous.pointee.nextOfPeer = next } else { subscriptions = next }
        next?.pointee.previousOfPeer = previous
        if subscriptionCount > Self.fewSubscriptions { change { $0.byNumber[subscription.pointee.number] = nil } }
        subscriptionCount32 -= 1
        if subscriptionCount == Self.fewSubscriptions { change { $0.byNumber = [:] } }
        numberHint = min(numberHint, subscription.pointee.number)
    }

    /// Its subscriptions that are members of groups.
    var groupMembers: [SubscriptionRef] {
        var members: [SubscriptionRef] = []
        var next = subscriptions
        while let subscription = next {
            if subscription.pointee.extras?.pointee.group != nil { members.append(subscription) }
            next = subscription.pointee.nextOfPeer
        }
        return members
    }

    /// The lowest number that no subscription of this peer has.
    mutating func nextNumber() -> UInt32 {
        while subscription(numberHint) != nil { numberHint += 1 }
        return numberHint
    }
}
