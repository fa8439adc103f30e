// What a subscription has lost in one place of its queue and was not told yet: by channel and reason, in the order of
// the first loss.

typealias GapListRef = UnsafeMutablePointer<GapList>

/// Why messages are missing.
enum GapReason: UInt8, CaseIterable {
    /// The queue was full.
    case overflow
    /// Their time to live was over before they could be sent.
    case expired
    /// Later ones of the same channel and subject took their place.
    case coalesced

    var name: StaticString {
        switch self {
        case .overflow: "overflow"
        case .expired: "expired"
        case .coalesced: "coalesced"
        }
    }
}

struct GapList {
    struct Gap {
        /// nil: on further channels than are told one by one; `from` and `to` mean nothing.
        var channel: ChannelRef?
        var reason: GapReason
        var from: UInt64
        var to: UInt64
        var count: UInt64 = 1
    }

    private(set) var gaps: [Gap] = []

    /// `mayGrow` is false when there is no room for a channel that is not in the list.
    mutating func add(_ gap: Gap, mayGrow: Bool) {
        if let index = gaps.lastIndex(where: { $0.channel == gap.channel && $0.reason == gap.reason }) {
            gaps[index].from = min(gaps[index].from, gap.from)
            gaps[index].to = max(gaps[index].to, gap.to)
            gaps[index].count += gap.count
        } else if let channel = gap.channel, mayGrow, gaps.count < Limits.gapChannels {
            channel.pointee.pins += 1
            gaps.append(gap)
        } else if gap.channel == nil {
            gaps.append(gap)
        } else {
            add(Gap(channel: nil, reason: gap.reason, from: 0, to: 0, count: gap.count), mayGrow: mayGrow)
        }
    }

    static func make() -> GapListRef {
        let list = GapListRef.allocate(capacity: 1)
        list.initialize(to: GapList())
        return list
    }

    static func destroy(_ list: GapListRef) {
        for gap in list.pointee.gaps { gap.channel?.pointee.pins -= 1 }
        list.deinitialize(count: 1)
        list.deallocate()
    }
}
