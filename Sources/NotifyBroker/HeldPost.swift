// A post that is made later, with all that it says in memory of its own: its line is long gone by then, and its poster may
// be, too.

import NotifyWire

typealias HeldRef = UnsafeMutablePointer<HeldPost>

struct HeldPost {
    /// Who posted it; a slot alone may belong to somebody else by now.
    struct Poster {
        let client: UInt64
        let slot: Int
        let pid: Int32
        let profile: AccessProfileRef
        let account: AccountRef
        var uid: UInt32 { profile.pointee.identity.uid }

        init(_ peer: PeerRef) {
            (client, slot, pid) = (peer.pointee.client, peer.pointee.slot, peer.pointee.pid)
            (profile, account) = (peer.pointee.profile, peer.pointee.account)
        }

        /// Of an earlier life of the daemon: whoever has its number now is somebody else.
        init(of stored: StoredPost, _ profile: AccessProfileRef, _ account: AccountRef) {
            (client, slot, pid) = (stored.client, .max, stored.pid)
            (self.profile, self.account) = (profile, account)
        }

        var isOfEarlierLife: Bool { slot == .max }
    }

    /// Pinned: it is still there when the post is made.
    let channel: ChannelRef
    let poster: Poster
    let retain: Bool
    let priority: Priority
    let timeToLive: UInt64
    /// What `cancel`, if it is scheduled, and the store name it by; 0: neither does.
    var number: UInt64 = 0
    /// nil: a will.
    var kind: StoredPost.Kind?
    /// The store has it.
    var isStored = false
    /// Among `overdue`, whatever its kind; else that of an appointment is among these, and others are among `deadlines`.
    var isOverdue = false
    var deadline = Deadlines<Due>.Key.none

    /// The channel, `type`, `subject`, both as they are passed on, and the payload, one behind the other.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let counts:
        (channel: UInt16, type: UInt16, subject: UInt16, typeToken: UInt16, subjectToken: UInt16, payload: UInt32)

    static func make(_ request: RequestRef, on channel: ChannelRef, from poster: Poster) -> HeldRef {
        let parts = Self.parts(of: request)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: parts.reduce(readable) { $0 + $1.count })
        var end = bytes
        for part in parts {
            end.update(from: part.base, count: part.count)
            end += part.count
        }
        end.initialize(repeating: 0, count: readable)
        let held = HeldRef.allocate(capacity: 1)
        held.initialize(
            to: HeldPost(
                channel: channel, poster: poster, retain: request.pointee.retain,
                priority: request.pointee.terms.priority, timeToLive: request.pointee.terms.timeToLive, bytes: bytes,
                counts: (
                    UInt16(parts[0].count), UInt16(parts[1].count), UInt16(parts[2].count), UInt16(parts[3].count),
                    UInt16(parts[4].count), UInt32(parts[5].count)
                )))
        channel.pointee.pins += 1
        return held
    }

    /// Behind what is copied loosely so many bytes must be readable.
    private static var readable: Int { 16 }

    private static func parts(of request: RequestRef) -> [ByteSlice] {
        [
            request.pointee.channel, request.pointee.type, request.pointee.subject, request.pointee.typeToken,
            request.pointee.subjectToken,
            request.pointee.payload,
        ]
    }

    /// What keeping the post of this request takes, in bytes, about.
    static func cost(of request: RequestRef) -> Int {
        overhead + parts(of: request).reduce(0) { $0 + $1.count }
    }

    /// The post itself, and its entries in tables.
    private static var overhead: Int { 256 }

    var cost: Int {
        Self.overhead + subject.end - UnsafePointer(bytes) + Int(counts.typeToken) + Int(counts.subjectToken)
            + Int(counts.payload)
    }

    private var name: ByteSlice { ByteSlice(bytes, Int(counts.channel)) }
    private var type: ByteSlice { ByteSlice(name.end, Int(counts.type)) }
    var subject: ByteSlice { ByteSlice(type.end, Int(counts.subject)) }

    /// The post as the request that it came with.
    func withRequest<Result>(_ body: (RequestRef) -> Result) -> Result {
        var request = Request()
        request.op = .post
        request.channel = name
        request.type = type
        request.subject = subject
        request.typeToken = ByteSlice(subject.end, Int(counts.typeToken))
        request.subjectToken = ByteSlice(request.typeToken.end, Int(counts.subjectToken))
        request.payload = ByteSlice(request.subjectToken.end, Int(counts.payload))
        request.retain = retain
        request.terms.priority = priority
        request.terms.timeToLive = timeToLive
        return withUnsafePointer(to: request, body)
    }

    /// The channel's pin is its owner's to take back: it may be gone when the broker goes.
    static func destroy(_ held: HeldRef) {
        held.pointee.bytes.deallocate()
        held.deinitialize(count: 1)
        held.deallocate()
    }
}
