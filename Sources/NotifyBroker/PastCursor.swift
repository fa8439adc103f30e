// Where a replay stands in the past of one channel, and the order in which the channels have their turns.

import NotifyWire

struct PastCursor {
    let channel: ChannelRef
    /// The next message; nil: it has to be looked for. It is there as long as the history has not lost its `seq`.
    var message: PastRef?
    /// The `pos` by which it has its turn: that of the next message, or, while that is not known, an earlier one.
    var position: UInt64 = 0
    /// The `seq` of the next message, and how many there are from it on. Until it is placed: that behind the last one.
    var next: UInt64
    var left: UInt32 = 0
    /// What is missing before them.
    var missing = Missing.nothing
    /// None of those that are left was ever kept.
    var isUnkept = false

    enum Missing: UInt8 {
        case nothing
        /// Up to there all, or nobody knows what.
        case all
        /// As many as there are too few of the last that were asked for.
        case last
    }

    /// The `seq` behind the last message.
    var end: UInt64 { next + UInt64(left) }

    /// On to this message, if it is still of the past.
    mutating func move(to message: PastRef?) {
        let end = end
        guard let message, message.pointee.sequence < end else {
            (self.message, left) = (nil, 0)
            return
        }
        self.message = message
        (next, position) = (message.pointee.sequence, message.pointee.position)
        left = UInt32(end - next)
    }
}

/// The cursors of one replay: a binary heap, so that the channels take turns in the order of the posts, and nothing is
/// sorted that may never be read. Behind it those that have no place in it yet.
struct PastHeap {
    private var cursors: [PastCursor] = []
    /// So many of them are in the heap.
    private var count = 0

    var first: PastCursor? { cursors.first }
    var isEmpty: Bool { cursors.isEmpty }
    /// What it takes, about.
    var bytes: Int { cursors.capacity * MemoryLayout<PastCursor>.stride }

    mutating func append(_ cursor: PastCursor) {
        cursor.channel.pointee.pins += 1
        cursors.append(cursor)
    }

    /// One that has no place yet.
    var unplaced: PastCursor? { count < cursors.count ? cursors[count] : nil }

    /// Gives that one its place.
    mutating func place(_ cursor: PastCursor) {
        var place = count
        count += 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard cursors[parent].position > cursor.position else { break }
            cursors[place] = cursors[parent]
            place = parent
        }
        cursors[place] = cursor
    }

    /// Forgets that one.
    mutating func removeUnplaced() {
        cursors[count].channel.pointee.pins -= 1
        let last = cursors.removeLast()
        if count < cursors.count { cursors[count] = last }
    }

    // MARK: When all have their places

    mutating func replaceFirst(by cursor: PastCursor) {
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < count else { break }
            if child + 1 < count, cursors[child + 1].position < cursors[child].position { child += 1 }
            guard cursors[child].position < cursor.position else { break }
            cursors[place] = cursors[child]
            place = child
        }
        cursors[place] = cursor
    }

    mutating func removeFirst() {
        cursors[0].channel.pointee.pins -= 1
        let last = cursors.removeLast()
        count -= 1
        if count > 0 { replaceFirst(by: last) }
    }

    func unpin() {
        for cursor in cursors { cursor.channel.pointee.pins -= 1 }
    }
}
