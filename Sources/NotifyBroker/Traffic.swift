// What there is of a channel on which something has been posted. Ten thousand channels to which somebody is subscribed and
// nobody posts are a common sight: they do without.

import NotifyWire

struct Traffic {
    /// Subscriptions with wildcards that match, as of `wildVersion` of the pattern index.
    var wild = RefVector<Subscription>()
    var wildVersion: UInt64 = 0
    var retained: UnsafeMutablePointer<RetainedMessage>?
    /// nil until the first message is kept, if the numbering began at 0.
    var history: HistoryRef?
    /// The `pos` of the last message; 0 before the first.
    var lastPosition: UInt64 = 0
    /// When it was posted, by the monotonic clock.
    var lastPosted: UInt64 = 0
    /// The number of the last access profile that was allowed to post here.
    var lastPoster: UInt64 = 0
    /// What was posted since the channel is known: the bytes of the payloads, and to how many subscriptions it went.
    var bytes: UInt64 = 0
    var deliveries: UInt64 = 0

    static func make() -> UnsafeMutablePointer<Traffic> {
        let traffic = UnsafeMutablePointer<Traffic>.allocate(capacity: 1)
        traffic.initialize(to: Traffic())
        return traffic
    }

    static func destroy(_ traffic: UnsafeMutablePointer<Traffic>) {
        traffic.pointee.wild.deallocate()
        if let retained = traffic.pointee.retained { RetainedMessage.destroy(retained) }
        if let history = traffic.pointee.history { History.destroy(history) }
        traffic.deinitialize(count: 1)
        traffic.deallocate()
    }
}

// MARK: Of a channel, whether or not there has been any

extension Channel {
    var retained: UnsafeMutablePointer<RetainedMessage>? {
        get { traffic?.pointee.retained }
        set { useTraffic().pointee.retained = newValue }
    }

    var history: HistoryRef? {
        get { traffic?.pointee.history }
        set { useTraffic().pointee.history = newValue }
    }

    var lastPosition: UInt64 {
        get { traffic?.pointee.lastPosition ?? 0 }
        set { useTraffic().pointee.lastPosition = newValue }
    }

    var lastPosted: UInt64 {
        get { traffic?.pointee.lastPosted ?? 0 }
        set { useTraffic().pointee.lastPosted = newValue }
    }

    var lastPoster: UInt64 {
        get { traffic?.pointee.lastPoster ?? 0 }
        set { useTraffic().pointee.lastPoster = newValue }
    }

    var wildVersion: UInt64 { traffic?.pointee.wildVersion ?? 0 }
    var wild: RefVector<Subscription> { traffic?.pointee.wild ?? RefVector() }
    var bytes: UInt64 { traffic?.pointee.bytes ?? 0 }
    var deliveries: UInt64 { traffic?.pointee.deliveries ?? 0 }

    /// Messages in its history.
    var pastCount: Int { history?.pointee.count ?? 0 }

    /// The `pos` of the retained message, 0 without one.
    var retainedPosition: UInt64 { retained?.pointee.position ?? 0 }

    /// The time of day of the last post, if nobody has set the clock since.
    func lastPost(at now: Moment) -> Int64 { now.wall - Int64(clamping: now.monotonic - lastPosted) }

    /// Whether `body` says so of all subscriptions that match, which are known: `wild` is fresh, and holds them all.
    @inline(__always)
    func allMatches(_ body: (SubscriptionRef) -> Bool) -> Bool {
        for index in 0..<exact.count where !body(exact[index]) { return false }
        let wild = wild
        for index in 0..<wild.count where !body(wild[index]) { return false }
        return true
    }
}
