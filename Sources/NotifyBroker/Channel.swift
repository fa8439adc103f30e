// A named channel: its numbering, who subscribed to exactly it, and its retained message.

import NotifyWire

typealias ChannelRef = UnsafeMutablePointer<Channel>

struct Channel {
    private let nameBase: UnsafePointer<UInt8>
    /// The `seq` of the last message.
    var sequence: UInt64
    /// Subscriptions whose pattern is this name.
    var exact = RefVector<Subscription>()
    /// Subscriptions with wildcards that match, as of `wildVersion` of the pattern index.
    var wild = RefVector<Subscription>()
    var wildVersion: UInt64 = 0
    var retained: UnsafeMutablePointer<RetainedMessage>?
    /// nil until the first message is kept, if the numbering began at 0.
    var history: HistoryRef?
    /// The `pos` of the last message; 0 before the first.
    var lastPosition: UInt64 = 0
    /// Monotonic times of the last post, and of the last of whatever else keeps the channel in use.
    var lastPosted: UInt64 = 0
    var lastUsed: UInt64
    /// The number of the last access profile that was allowed to post here.
    var lastPoster: UInt64 = 0
    /// What was posted on it since it is known: the `seq` before that, the bytes of the payloads, and to how many
    /// subscriptions it went.
    let base: UInt64
    var bytes: UInt64 = 0
    var deliveries: UInt64 = 0
    /// Waiting messages and gaps that name this channel.
    var pins: UInt32 = 0
    /// More match than are kept here: they stand in the pattern index.
    var isWide = false
    /// What is posted on it goes to the store.
    var isPersistent = false
    /// It is in the list of channels of which the store has to be told what they have lost.
    var isTouched = false
    /// Which of the configuration's rules counts for it.
    var rule: UInt8 = 0
    /// At most `ChannelName.maximumBytes`.
    private let nameCount: UInt8

    init(name: ByteSlice, sequence: UInt64, lastUsed: UInt64) {
        nameBase = name.base
        nameCount = UInt8(name.count)
        (self.sequence, base, self.lastUsed) = (sequence, sequence, lastUsed)
    }

    var name: ByteSlice { ByteSlice(nameBase, Int(nameCount)) }

    /// Nothing would be lost but the numbering, and that goes on above it.
    var isForgettable: Bool {
        exact.isEmpty && retained == nil && pins == 0 && !isTouched && !(isPersistent && pastCount > 0)
    }

    /// Whether `body` says so of all subscriptions that match, which are known: `wild` is fresh, and holds them all.
    @inline(__always)
    func allMatches(_ body: (SubscriptionRef) -> Bool) -> Bool {
        for index in 0..<exact.count where !body(exact[index]) { return false }
        for index in 0..<wild.count where !body(wild[index]) { return false }
        return true
    }

    /// Messages in its history.
    var pastCount: Int { history?.pointee.count ?? 0 }

    /// The time of day of the last post, if nobody has set the clock since.
    func lastPost(at now: Moment) -> Int64 { now.wall - Int64(clamping: now.monotonic - lastPosted) }

    /// The `pos` of the retained message, 0 without one.
    var retainedPosition: UInt64 { retained?.pointee.position ?? 0 }

    /// The name stands right behind the channel, in the same piece of memory.
    static func make(_ name: ByteSlice, sequence: UInt64, now: UInt64) -> ChannelRef {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Channel>.size + name.count, alignment: MemoryLayout<Channel>.alignment)
        let copy = (raw + MemoryLayout<Channel>.size).assumingMemoryBound(to: UInt8.self)
        copy.update(from: name.base, count: name.count)
        let channel = raw.bindMemory(to: Channel.self, capacity: 1)
        channel.initialize(
            to: Channel(name: ByteSlice(copy, name.count), sequence: sequence, lastUsed: now))
        return channel
    }

    static func destroy(_ channel: ChannelRef) {
        channel.pointee.exact.deallocate()
        channel.pointee.wild.deallocate()
        if let retained = channel.pointee.retained { RetainedMessage.destroy(retained) }
        if let history = channel.pointee.history { History.destroy(history) }
        channel.deinitialize(count: 1)
        UnsafeMutableRawPointer(channel).deallocate()
    }
}

/// A channel's last value: the body of its message line, ready to be sent again.
struct RetainedMessage {
    /// What filters of subscriptions ask about.
    struct Labels {
        var type: [UInt8]
        var subject: [UInt8]
        var uid: UInt32
    }

    var body: ByteSlice
    var labels: Labels
    /// Of whoever posted it.
    let account: AccountRef
    var sequence: UInt64
    var position: UInt64
    /// Where its channel stands in the list of channels with a retained message.
    var index: Int
    /// The deadline at which it is forgotten.
    var expiry = Deadlines<Due>.Key.none

    static func make(
        _ body: ByteSlice, _ labels: Labels, _ account: AccountRef, sequence: UInt64, position: UInt64
    ) -> UnsafeMutablePointer<RetainedMessage> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: body.count)
        copy.update(from: body.base, count: body.count)
        let retained = UnsafeMutablePointer<RetainedMessage>.allocate(capacity: 1)
        retained.initialize(
            to: RetainedMessage(
                body: ByteSlice(copy, body.count), labels: labels, account: account, sequence: sequence,
                position: position,
                index: -1))
        return retained
    }

    static func destroy(_ retained: UnsafeMutablePointer<RetainedMessage>) {
        retained.pointee.body.base.deallocate()
        retained.deinitialize(count: 1)
        retained.deallocate()
    }
}
