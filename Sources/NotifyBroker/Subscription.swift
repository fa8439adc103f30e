// One peer's wish to get what is posted to a channel or pattern, and the queue of what waits for it.

import NotifyWire

typealias SubscriptionRef = UnsafeMutablePointer<Subscription>

struct Subscription {
    // Small integers together: ten thousand of these are one client's right.
    let number: UInt32
    let limitMessages: UInt32
    let limitBytes: UInt32
    /// Where it stands in its channel's or node's list.
    var position: UInt32 = 0
    /// The position of one that gets nothing any more, and is about to be told.
    static let nowhere = UInt32.max
    /// Lines of the outbox before `firstLine`, in its filling `bornWake`, were for an earlier one of this number.
    var firstLine: UInt32 = 0
    /// Written to the log in wake-up `wake` and not handed to the kernel yet.
    var pendingMessages: UInt32 = 0
    var pendingBytes: UInt32 = 0
    /// Waiting because the peer does not read.
    var waitingMessages: UInt32 = 0
    var waitingBytes: UInt32 = 0
    /// In which list of its node, if it has one.
    var list = PatternNode.List.here
    let echo: Bool
    private let hasWildcards: Bool
    /// It has lost messages since its queue was empty.
    var isSlow = false

    let peer: PeerRef
    /// nil: it wants everything, and its queue is simply in order.
    var extras: UnsafeMutablePointer<Extras>?

    /// A `Wildcards` if the pattern has some, else the channel.
    private let target: UnsafeMutableRawPointer

    var nextOfPeer: SubscriptionRef?
    var previousOfPeer: SubscriptionRef?

    var bornWake: UInt64 = 0
    var wake: UInt64 = 0

    /// The lines that wait, in their order.
    var oldest: WaitingRef?
    var newest: WaitingRef?
    /// Lost after `newest`, and not told yet.
    var gaps: GapListRef?

    var delivered: UInt64 = 0
    var dropped: UInt64 = 0

    init(
        number: UInt32, limitMessages: UInt32, limitBytes: UInt32, echo: Bool, peer: PeerRef, channel: ChannelRef?,
        pattern: ByteSlice
    ) {
        (self.number, self.limitMessages, self.limitBytes) = (number, limitMessages, limitBytes)
        (self.echo, self.peer) = (echo, peer)
        hasWildcards = channel == nil
        target = channel.map { UnsafeMutableRawPointer($0) } ?? UnsafeMutableRawPointer(Wildcards.make(pattern))
    }

    /// nil: its pattern has wildcards.
    var channel: ChannelRef? { hasWildcards ? nil : target.assumingMemoryBound(to: Channel.self) }

    private var wildcards: UnsafeMutablePointer<Wildcards>? {
        hasWildcards ? target.assumingMemoryBound(to: Wildcards.self) : nil
    }

    var pattern: ByteSlice { channel?.pointee.name ?? wildcards?.pointee.pattern ?? .empty }

    /// Its place in the index of patterns.
    var node: PatternNodeRef? {
        get { wildcards?.pointee.node }
        nonmutating set { wildcards?.pointee.node = newValue }
    }

    /// A pattern that is no channel: a copy of its text, and where it stands in the index.
    private struct Wildcards {
        let pattern: ByteSlice
        var node: PatternNodeRef?

        static func make(_ pattern: ByteSlice) -> UnsafeMutablePointer<Wildcards> {
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: pattern.count)
            bytes.update(from: pattern.base, count: pattern.count)
            let wildcards = UnsafeMutablePointer<Wildcards>.allocate(capacity: 1)
            wildcards.initialize(to: Wildcards(pattern: ByteSlice(bytes, pattern.count)))
            return wildcards
        }

        static func destroy(_ wildcards: UnsafeMutablePointer<Wildcards>) {
            wildcards.pointee.pattern.base.deallocate()
            wildcards.deallocate()
        }
    }

    static func destroy(_ subscription: SubscriptionRef) {
        if let extras = subscription.pointee.extras {
            for pace in extras.pointee.paces.values { Pace.destroy(pace) }
            extras.deinitialize(count: 1)
            extras.deallocate()
        }
        if let gaps = subscription.pointee.gaps { GapList.destroy(gaps) }
        if let wildcards = subscription.pointee.wildcards { Wildcards.destroy(wildcards) }
        subscription.deinitialize(count: 1)
        subscription.deallocate()
    }
}
