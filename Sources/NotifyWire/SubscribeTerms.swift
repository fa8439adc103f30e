// What a subscription may ask for besides the messages that match it: what went before, how it queues, how often.

/// What is sent before the first live message.
package enum Replay: Equatable, Sendable {
    case none
    case retained
    /// So many messages of each channel.
    case last(Int)
    /// Those with a higher `pos`, in the life of the numbering that `epoch` names (nil: the current one).
    case after(position: UInt64, epoch: String?)
    /// Those accepted at or after this time, in nanoseconds since 1970.
    case since(Int64)
}

/// What happens to messages for a subscription whose queue is full.
package enum BufferPolicy: UInt8, Sendable, CaseIterable {
    case newest, oldest, latest, fail, block

    package var name: StaticString {
        switch self {
        case .newest: "newest"
        case .oldest: "oldest"
        case .latest: "latest"
        case .fail: "fail"
        case .block: "block"
        }
    }
}

package struct SubscribeTerms {
    package var replay = Replay.none
    package var policy = BufferPolicy.newest
    package var bufferMessages: Int?
    package var bufferBytes: Int?
    /// Nanoseconds between two messages of one channel and subject; 0: no limit.
    package var minimumInterval: UInt64 = 0
    /// Of all subscriptions with this pattern and group one gets each message; empty: every one does.
    package var group = ByteSlice.empty

    package init() {}
}
