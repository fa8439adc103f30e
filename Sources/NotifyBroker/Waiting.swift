// One line that waits for its peer to read: in the order of the peer, and, for messages, in the order of the
// subscription, so that one can be dropped from the middle, and what was lost before it be told in its place.

import NotifyWire

typealias WaitingRef = UnsafeMutablePointer<Waiting>

struct Waiting {
    var next: WaitingRef?
    var previous: WaitingRef?
    /// nil: a reply, or a line that has begun to be sent; it is never dropped.
    var subscription: SubscriptionRef?
    var nextOfSubscription: WaitingRef?
    var previousOfSubscription: WaitingRef?
    /// nil: no message, or one that has begun to be sent; it counts among the replies that wait.
    var channel: ChannelRef?
    var sequence: UInt64 = 0
    /// Since when it waits, by the monotonic clock.
    var since: UInt64 = 0
    /// It is not sent from this monotonic time on; 0: it waits as long as it must.
    var expires: UInt64 = 0
    var mark = Mark()
    /// It is not written before this piece of what goes to the store is on disk; 0: it waits for nothing but the peer.
    var piece: UInt32 = 0
    /// The `piece` of the mark behind which all waits until `past` has been said: no piece has it.
    static let pastMark: UInt32 = 2
    /// What a mark has in the place of a `seq`.
    var past: PastReplayRef? {
        get { piece == Self.pastMark ? PastReplayRef(bitPattern: UInt(sequence)) : nil }
        set { sequence = UInt64(UInt(bitPattern: newValue)) }
    }
    /// The answer to a post on a persistent channel (empty: none was wanted).
    var isReceipt = false
    /// What its subscription lost between the line before this one and this one, not told yet.
    var gaps: GapListRef?

    private var count32: UInt32
    private let start32: UInt32
    /// Its bytes, if it does not stand in a chunk.
    var own: UnsafeMutablePointer<UInt8>?
    /// The chunk it stands in.
    var chunk: ChunkRef?
    var nextOfChunk: WaitingRef?
    var previousOfChunk: WaitingRef?

    private init(count: Int, start: Int = 0, own: UnsafeMutablePointer<UInt8>? = nil) {
        (count32, start32, self.own) = (UInt32(count), UInt32(start), own)
    }

    var count: Int { Int(count32) }
    /// Where it stands in its chunk.
    var start: Int { Int(start32) }

    /// A line with bytes of its own: a copy of `bytes` and `rest`.
    static func make(_ bytes: ByteSlice, _ rest: ByteSlice = .empty) -> WaitingRef {
        let own = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + rest.count)
        own.update(from: bytes.base, count: bytes.count)
        (own + bytes.count).update(from: rest.base, count: rest.count)
        let line = WaitingRef.allocate(capacity: 1)
        line.initialize(to: Waiting(count: bytes.count + rest.count, own: own))
        return line
    }

    /// A line that stands in the log; `ChunkStore.hold` must be told.
    static func make(from start: Int, to end: Int) -> WaitingRef {
        let line = WaitingRef.allocate(capacity: 1)
        line.initialize(to: Waiting(count: end - start, start: start))
        return line
    }

    /// Says something else; the line has bytes of its own.
    mutating func replace(by bytes: ByteSlice) {
        own?.deallocate()
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        fresh.update(from: bytes.base, count: bytes.count)
        (own, count32) = (fresh, UInt32(bytes.count))
    }

    static func destroy(_ line: WaitingRef) {
        if let channel = line.pointee.channel { channel.pointee.pins -= 1 }
        if let gaps = line.pointee.gaps { GapList.destroy(gaps) }
        if let past = line.pointee.past { PastReplay.destroy(past) }
        line.pointee.own?.deallocate()
        line.deallocate()
    }
}
