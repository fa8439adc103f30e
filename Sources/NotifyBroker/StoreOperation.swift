// What must be on disk before an `ok` may be said: plain values, so that the broker knows no database and the store no
// broker. They are collected in the order in which things happened, and written in one piece.

package enum StoreOperation: Equatable, Sendable {
    /// Belongs to its channel's history, and is its retained message if it says so; the channel's numbering stands at
    /// its `seq` now.
    case message(channel: [UInt8], StoredMessage, isRetained: Bool)
    case clearRetained(channel: [UInt8])
    /// The channel's history begins after this message.
    case trim(channel: [UInt8], through: StoredLoss)
    /// Nothing of the channel is kept any more, its numbering neither; its last message had this `seq` and `pos`.
    case forget(channel: [UInt8], sequence: UInt64, position: UInt64)
    /// A post with this key has been accepted.
    case remember(StoredKey)
    /// The post will be made later.
    case hold(StoredPost)
    /// It is not to be made any more: it was, or was taken back.
    case release(number: UInt64)
    /// Other channels than before are persistent. Those that were not may have had any number up to this one.
    case rules([UInt8], position: UInt64)
    /// No `pos`, no `seq` of a channel that is not stored, and no number of a scheduled post beyond these has been given
    /// away.
    case reserve(position: UInt64, schedule: UInt64)
    /// The numbering has this name from now on.
    case epoch(String)
}

package struct StoredMessage: Equatable, Sendable {
    package var sequence: UInt64
    package var position: UInt64
    /// Wall clock, nanoseconds since 1970.
    package var time: Int64
    /// When it expires, likewise; nil: never.
    package var expires: Int64?
    package var uid: UInt32
    /// The message's line from `"channel"` on, without its newline.
    package var body: [UInt8]

    package init(
        sequence: UInt64, position: UInt64, time: Int64, expires: Int64? = nil, uid: UInt32, body: [UInt8]
    ) {
        (self.sequence, self.position, self.time, self.expires) = (sequence, position, time, expires)
        (self.uid, self.body) = (uid, body)
    }
}

/// The last message that a history no longer holds; all zero: none ever went.
package struct StoredLoss: Equatable, Sendable {
    package var sequence: UInt64
    package var position: UInt64
    /// Wall clock, nanoseconds since 1970.
    package var time: Int64

    package init(sequence: UInt64 = 0, position: UInt64 = 0, time: Int64 = 0) {
        (self.sequence, self.position, self.time) = (sequence, position, time)
    }
}

/// A `dedup` key and what was answered to the post that had it.
package struct StoredKey: Equatable, Sendable {
    /// The channel and the client's string.
    package var text: [UInt8]
    package var uid: UInt32
    package var answer: Broker.Answer
    /// The end of its window by the wall clock, nanoseconds since 1970.
    package var expires: Int64

    package init(text: [UInt8], uid: UInt32, answer: Broker.Answer, expires: Int64) {
        (self.text, self.uid, self.answer, self.expires) = (text, uid, answer, expires)
    }
}
