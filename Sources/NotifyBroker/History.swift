// The last messages of one channel, oldest first, as the bodies of their lines.

import Glibc
import NotifyWire

typealias HistoryRef = UnsafeMutablePointer<History>
typealias PastRef = UnsafeMutablePointer<PastMessage>

/// One message of a history; its body stands right behind it.
struct PastMessage {
    var next: PastRef?
    let sequence: UInt64
    let position: UInt64
    /// When it was accepted, by both clocks.
    let time: Moment
    /// Monotonic time; 0: never.
    let expires: UInt64
    let uid: UInt32
    let count: UInt32

    static func body(_ message: PastRef) -> ByteSlice {
        ByteSlice(
            UnsafePointer(UnsafeMutableRawPointer(message + 1).assumingMemoryBound(to: UInt8.self)),
            Int(message.pointee.count))
    }

    static func make(_ line: Outbox.Line, _ body: ByteSlice, _ now: Moment) -> PastRef {
        make(
            PastMessage(
                sequence: line.sequence, position: line.position, time: now, expires: line.expires, uid: line.uid,
                count: UInt32(body.count)), body)
    }

    @inline(__always)
    private static func make(_ content: PastMessage, _ body: ByteSlice) -> PastRef {
        // Straight from malloc(3): Swift's own allocation takes half as long again.
        guard let raw = malloc(MemoryLayout<PastMessage>.size + body.count) else { fatalError("out of memory") }
        let message = raw.bindMemory(to: PastMessage.self, capacity: 1)
        message.initialize(to: content)
        let copy = UnsafeMutableRawPointer(message + 1).assumingMemoryBound(to: UInt8.self)
        copy.update(from: body.base, count: body.count)
        return message
    }

    /// One that comes back from the store.
    static func make(_ stored: StoredMessage, _ body: ByteSlice, _ now: Moment) -> PastRef {
        let age = UInt64(max(0, now.wall - stored.time))
        let time = Moment(wall: stored.time, monotonic: now.monotonic - min(age, now.monotonic))
        // What has expired is told, so it is kept like the others; 0 would be never.
        let expires = stored.expires.map { UInt64(max(1, Int64(now.monotonic) + ($0 - now.wall))) } ?? 0
        return make(
            PastMessage(
                sequence: stored.sequence, position: stored.position, time: time, expires: expires, uid: stored.uid,
                count: UInt32(body.count)), body)
    }

    static func destroy(_ message: PastRef) { free(message) }
}

/// It stays with the channel when all messages are gone: it knows what was lost.
struct History {
    /// Memory that a message takes besides its body, about.
    static let overhead = 72

    private(set) var oldest: PastRef?
    private var newest: PastRef?
    private(set) var count = 0
    private(set) var bytes = 0
    /// Messages of this wake-up that will be kept.
    var pending = 0
    /// The channel's `seq` before its first message. What was lost up to there was lost with earlier channels, one of
    /// which may have had this name.
    let base: UInt64

    /// The last message that is no longer kept; 0: none ever went.
    private(set) var lost: Loss

    struct Loss {
        var sequence: UInt64 = 0
        var position: UInt64 = 0
        var wall = Int64.min
    }

    /// On which account it is, and its neighbours there; nil: it holds nothing.
    var account: AccountRef?
    var next: ChannelRef?
    var previous: ChannelRef?

    /// The `seq` of the last message that it knows of, kept or not.
    var lastSequence: UInt64 { newest?.pointee.sequence ?? lost.sequence }

    /// All that it takes of the common budget.
    var weight: Int { bytes + count * Self.overhead }

    var newestTime: UInt64 { newest?.pointee.time.monotonic ?? 0 }

    mutating func append(_ message: PastRef) {
        if let newest {
            newest.pointee.next = message
        } else {
            oldest = message
            // While the configuration wanted no history others have passed.
            let before = message.pointee.sequence - 1
            if before > max(lost.sequence, base) {
                lose(before, message.pointee.position - 1, message.pointee.time.wall)
            }
        }
        newest = message
        count += 1
        bytes += Int(message.pointee.count)
    }

    mutating func removeOldest() {
        guard let message = oldest else { return }
        lose(message.pointee.sequence, message.pointee.position, message.pointee.time.wall)
        oldest = message.pointee.next
        if oldest == nil { newest = nil }
        count -= 1
        bytes -= Int(message.pointee.count)
        PastMessage.destroy(message)
    }

    mutating func removeAll() {
        while oldest != nil { removeOldest() }
    }

    /// Takes out what was accepted at or before this monotonic time.
    mutating func removeAged(before time: UInt64) {
        while let message = oldest, message.pointee.time.monotonic <= time { removeOldest() }
    }

    /// A message that is not kept, or no longer.
    mutating func lose(_ sequence: UInt64, _ position: UInt64, _ wall: Int64) {
        guard sequence > lost.sequence else { return }
        lost = Loss(sequence: sequence, position: position, wall: wall)
    }

    /// Keeps a message that comes back from the store, and what the bound leaves of those before it.
    mutating func keep(_ message: PastRef, within bound: HistoryBound) {
        let size = Int(message.pointee.count)
        while count >= bound.messages || count > 0 && bytes + size > bound.bytes { removeOldest() }
        append(message)
        if size > bound.bytes { removeOldest() }
    }

    static func make(base: UInt64 = 0, lost: Loss = Loss()) -> HistoryRef {
        let history = HistoryRef.allocate(capacity: 1)
        history.initialize(to: History(base: base, lost: lost))
        return history
    }

    static func destroy(_ history: HistoryRef) {
        history.pointee.removeAll()
        history.deallocate()
    }
}
