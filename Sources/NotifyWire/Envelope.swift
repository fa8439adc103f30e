// What stands between a post's `id` and its payload, kept from the last post. Whoever posts tends to say the same again
// with another payload: then comparing these bytes is all the reading that the envelope needs.

import CNotify
import Glibc

struct Envelope: ~Copyable {
    /// A longer one is read anew each time.
    static let maximumBytes = 512

    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: Envelope.maximumBytes + 16)
    private(set) var count = 0
    /// Distinguishes this envelope from all that were kept before it; 0: none is kept.
    private(set) var stamp: UInt64 = 0
    private(set) var present: FieldSet = []
    private(set) var channel = ByteSlice.empty
    private(set) var type = ByteSlice.empty
    private(set) var subject = ByteSlice.empty

    init() { bytes.initialize(repeating: 0, count: Envelope.maximumBytes + 16) }

    deinit { bytes.deallocate() }

    /// Whether the envelope stands at `place`; `count` bytes must be readable there.
    @inline(__always)
    func stands(at place: UnsafePointer<UInt8>) -> Bool {
        cnotify_same(place, bytes, count) != 0
    }

    /// Keeps `envelope`, of which `request` was read, and lets the request's slices point to what is kept.
    mutating func keep(_ envelope: ByteSlice, of request: inout Request) {
        guard envelope.count <= Self.maximumBytes else { return }
        stamp += 1
        count = envelope.count
        memcpy(bytes, envelope.base, count)
        channel = moved(request.channel, from: envelope)
        type = moved(request.type, from: envelope)
        subject = moved(request.subject, from: envelope)
        present = request.present.subtracting(.id)
        let id = request.present.intersection(.id)
        fill(&request)
        request.present.formUnion(id)
    }

    private func moved(_ slice: ByteSlice, from envelope: ByteSlice) -> ByteSlice {
        slice.isEmpty ? .empty : ByteSlice(bytes + (slice.base - envelope.base), slice.count)
    }

    /// Says in the request what the envelope says.
    func fill(_ request: inout Request) {
        request.op = .post
        request.present = present
        request.envelope = stamp
        request.channel = channel
        request.type = type
        request.typeToken = type
        request.subject = subject
        request.subjectToken = subject
    }
}
