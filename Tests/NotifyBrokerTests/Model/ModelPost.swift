// A post of a play, and a message as the witness saw it.

struct Topic: Hashable {
    let channel: String
    let subject: String?
}

struct ModelPost {
    /// Its payload, by which it is known.
    let number: Int
    let channel: String
    let type: String?
    let subject: String?
    let client: Int
    let uid: UInt32
    var priority = 1
    /// In nanoseconds.
    var timeToLive: UInt64?
    var isRetained = false
    /// Monotonic time at which it is to be made.
    var due: UInt64?
    var isByWallClock = false
    var coalesce: UInt64?
    var dedup: String?
    var ifSequence: Int?
    var requiresSubscribers = false

    init(number: Int, channel: String, type: String?, subject: String?, client: Int, uid: UInt32) {
        (self.number, self.channel, self.type, self.subject) = (number, channel, type, subject)
        (self.client, self.uid) = (client, uid)
    }

    var topic: Topic { Topic(channel: channel, subject: subject) }
    var isWill = false
    /// Its poster may be gone when it is made.
    var mayBeOfNobody: Bool { isWill || due != nil || coalesce != nil }
    var isPersistent: Bool { channel.hasPrefix("p") }
}

/// What was accepted, in the order in which it was.
struct Witnessed {
    let position: Int
    let sequence: Int
    let post: ModelPost
    /// Monotonic times.
    let made: UInt64
    let expires: UInt64?
}
