// All histories that hold something, the one that was added to longest ago first, and what they take together.

import NotifyWire

struct HistoryList {
    private(set) var oldest: ChannelRef?
    private var newest: ChannelRef?
    private(set) var bytes = 0

    /// Changes the channel's history, and keeps account of it.
    mutating func change(_ channel: ChannelRef, _ body: (HistoryRef) -> Void) {
        guard let history = channel.pointee.history else { return }
        let before = history.pointee.weight
        body(history)
        changed(history, from: before)
    }

    /// The history took so many bytes before it was changed.
    mutating func changed(_ history: HistoryRef, from before: Int) {
        bytes += history.pointee.weight - before
        if history.pointee.count == 0 { unlink(history) }
    }

    mutating func moveToBack(_ channel: ChannelRef) {
        guard newest != channel, let history = channel.pointee.history else { return }
        unlink(history)
        history.pointee.isListed = true
        history.pointee.next = nil
        history.pointee.previous = newest
        if let newest { newest.pointee.history?.pointee.next = channel } else { oldest = channel }
        newest = channel
    }

    private mutating func unlink(_ history: HistoryRef) {
        guard history.pointee.isListed else { return }
        history.pointee.isListed = false
        let (previous, next) = (history.pointee.previous, history.pointee.next)
        if let previous { previous.pointee.history?.pointee.next = next } else { oldest = next }
        if let next { next.pointee.history?.pointee.previous = previous } else { newest = previous }
    }

    /// Nothing of the channel's past is kept any more.
    mutating func empty(_ channel: ChannelRef) {
        change(channel) { $0.pointee.removeAll() }
    }

    static func make() -> UnsafeMutablePointer<HistoryList> {
        let list = UnsafeMutablePointer<HistoryList>.allocate(capacity: 1)
        list.initialize(to: HistoryList())
        return list
    }
}
