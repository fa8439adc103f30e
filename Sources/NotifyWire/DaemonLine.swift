// What a daemon can say, as ranges of the bytes it came in. The other direction of Request: lenient about fields and ops
// it does not know (a newer daemon may have more to say), strict about JSON and about what a client relies on.

package enum DaemonLine: Sendable {
    case message(MessageFields)
    case ok(ReplyFields)
    case error(ErrorFields)
    case gap(GapFields)
    case live(sub: UInt64, pos: UInt64)
    case bye(reason: ByteRange)
    /// An op of a newer protocol.
    case unknown
    /// Nothing but white space.
    case blank
    /// Not a line of this protocol; the offset counts from the line's first byte.
    case malformed(offset: Int, expected: String)
}

/// A reply to a request that was accepted.
package struct ReplyFields: Sendable {
    package var line = ByteRange.absent
    package var id: UInt64?
    package var seq: UInt64 = 0
    package var pos: UInt64 = 0
    package var matched: UInt64 = 0
    package var dropped: UInt64 = 0
    package var isTruncated = false
    /// Where a list that is truncated goes on.
    package var next = ByteRange.absent
    /// The post was made before, by an earlier request with the same `dedup`.
    package var isDuplicate = false
    /// The number of a post that is made later.
    package var schedule: UInt64?
    /// The post is held back for a while, and whether it took the place of an older one.
    package var isHeld = false
    package var hasReplaced = false
    /// The list, object or message that was asked for, as JSON.
    package var body = ByteRange.absent

    package init() {}
}

/// A refusal.
package struct ErrorFields: Sendable {
    package var id: UInt64?
    package var sub: UInt64?
    package var code = ByteRange.absent
    package var message = ByteRange.absent
    package var offset: UInt64?
    /// For `conflict`: the channel's `seq`.
    package var seq: UInt64?
    /// For `rate_limited`: when it may be tried again.
    package var retryMilliseconds: UInt64?

    package init() {}
}

/// Messages that are missing.
package struct GapFields: Sendable {
    package var sub: UInt64 = 0
    package var channel = ByteRange.absent
    package var from: UInt64?
    package var to: UInt64?
    package var count: UInt64?
    package var reason = ByteRange.absent

    package init() {}
}
