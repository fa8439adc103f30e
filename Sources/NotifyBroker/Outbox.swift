// What the broker has said in this wake-up: two logs of bytes and, per peer, which ranges of them it gets.
//
// A delivered line stands in `messages` once, whoever gets it; replies stand in `replies`. A peer that is written to
// without delay costs a range, usually an extended one; nothing is copied for it.

import NotifyWire

struct Outbox: ~Copyable {
    struct Range {
        var start: Int
        var end: Int
        /// The peer's next one; -1: none.
        var next: Int32
        var isReply: Bool
    }

    /// A line of `messages`, so that what the kernel does not take can be told apart again.
    struct Line {
        var start: Int
        var end: Int
        var number: UInt32
        var uid: UInt32
        /// Of whoever posted it; there until the end of the wake-up.
        var account: AccountRef
        var channel: ChannelRef
        var sequence: UInt64
        var position: UInt64
        /// Monotonic time; 0: never.
        var expires: UInt64
        var mark: Mark
        /// The first line of its message, for whom history has a place.
        var isFirst: Bool
    }

    var messages: ByteLog
    /// What stands in `messages` before this wake-up: lines that wait.
    private(set) var start = 0
    var chunks: ChunkStore
    var replies = ByteLog(capacity: 64 << 10)
    var lines = Vector<Line>()
    /// So many of them are in the histories.
    var linesKept = 0
    private(set) var ranges = Vector<Range>()
    /// Peers that got a range.
    private(set) var dirty = Vector<PeerRef>()
    /// Counts the times the outbox was emptied; stamps what belongs to the current filling.
    private(set) var wake: UInt64 = 1

    init(chunkBytes: Int) {
        messages = ByteLog(capacity: chunkBytes)
        chunks = ChunkStore(capacity: chunkBytes)
    }

    /// Bytes of messages written in this wake-up.
    var messageBytes: Int { messages.count - start }
    var isEmpty: Bool { messageBytes == 0 && replies.count == 0 && dirty.isEmpty }

    /// The peer gets these bytes of one of the logs, after what it gets already.
    @inline(__always)
    mutating func append(_ start: Int, _ end: Int, isReply: Bool, to peer: PeerRef) {
        if peer.pointee.wake == wake {
            let last = Int(peer.pointee.lastRange)
            if ranges[last].end == start, ranges[last].isReply == isReply {
                ranges[last].end = end
                return
            }
            ranges[last].next = Int32(ranges.count)
        } else {
            peer.pointee.wake = wake
            peer.pointee.firstRange = Int32(ranges.count)
            dirty.append(peer)
        }
        peer.pointee.lastRange = Int32(ranges.count)
        ranges.append(Range(start: start, end: end, next: -1, isReply: isReply))
    }

    /// The peer has waiting lines that were never offered to the kernel: it has its turn, though it has no ranges.
    mutating func markOverdue(_ peer: PeerRef) {
        guard !peer.pointee.isOverdue else { return }
        peer.pointee.isOverdue = true
        dirty.append(peer)
    }

    func hasRanges(_ peer: PeerRef) -> Bool { peer.pointee.wake == wake }

    /// The peer's ranges were taken care of.
    func forgetRanges(of peer: PeerRef) { peer.pointee.wake = 0 }

    /// The peer has no turn any more in this wake-up.
    func forget(_ peer: PeerRef) {
        forgetRanges(of: peer)
        peer.pointee.isOverdue = false
    }

    func slice(_ range: Range) -> ByteSlice {
        range.isReply
            ? replies.slice(from: range.start, to: range.end) : messages.slice(from: range.start, to: range.end)
    }

    /// The bytes of a line that waits, without the first `skipped`; valid until the next message is written.
    func slice(_ line: WaitingRef, skipping skipped: Int = 0) -> ByteSlice {
        ByteSlice(chunks.bytes(of: line, messages) + skipped, line.pointee.count - skipped)
    }

    /// The index of the first line that ends after `offset`.
    func firstLine(after offset: Int) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// What was written to `messages` behind the last line is the next message of the same kind: its channel's next `seq`.
    /// Returns how many bytes it has.
    @inline(__always)
    mutating func appendLineLikeLast() -> Int {
        var line = lines[lines.count - 1]
        line.start = line.end
        line.end = messages.count
        line.sequence &+= 1
        line.position &+= 1
        lines.append(line)
        return line.end - line.start
    }

    /// Everything has been handed on: the next wake-up starts from nothing.
    mutating func clear() {
        chunks.endWakeUp(&messages)
        start = messages.count
        replies.clear()
        lines.removeAll()
        linesKept = 0
        ranges.removeAll()
        dirty.removeAll()
        wake += 1
    }
}
