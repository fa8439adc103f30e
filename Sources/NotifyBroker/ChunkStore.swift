// The chunks that are held by waiting lines: the one that is being written, and the full ones. Memory stays in
// proportion to what waits: when little is left in many chunks, the oldest is given up and its lines are copied out.

import NotifyWire

struct ChunkStore: ~Copyable {
    /// A chunk's memory in bytes, if not a single wake-up fills more.
    let capacity: Int
    /// A chunk that holds as much is full: what one wake-up writes usually still fits behind it.
    private var full: Int { capacity / 2 }
    /// So much memory may be wasted whatever waits.
    private var slack: Int { 8 * capacity }
    /// Chunks for the next time; more are given back.
    private static let spareLimit = 4

    /// What the log writes to now, if a line in it waits.
    private var current: ChunkRef?
    private var oldest: ChunkRef?
    private var newest: ChunkRef?
    private var spare: [UnsafeMutablePointer<UInt8>] = []
    /// Memory of the full chunks, and the bytes of the lines that wait in them.
    private(set) var fullBytes = 0
    private var liveBytes = 0

    init(capacity: Int) { self.capacity = capacity }

    deinit {
        var next = oldest
        while let chunk = next {
            next = chunk.pointee.next
            chunk.pointee.base.deallocate()
            chunk.deallocate()
        }
        // Its memory is the log's.
        current?.deallocate()
        for base in spare { base.deallocate() }
    }

    /// Whether lines wait in what the log holds now.
    var holdsCurrent: Bool { current.map { $0.pointee.lines != nil } ?? false }

    // MARK: Lines

    /// The line stands in the log and waits there.
    mutating func hold(_ line: WaitingRef, _ log: borrowing ByteLog) {
        let chunk = current ?? Chunk.make(log.base, log.capacity)
        current = chunk
        line.pointee.chunk = chunk
        chunk.pointee.add(line)
    }

    /// Where the line's bytes are; valid until the log is written to.
    func bytes(of line: WaitingRef, _ log: borrowing ByteLog) -> UnsafeMutablePointer<UInt8> {
        if let own = line.pointee.own { return own }
        guard let chunk = line.pointee.chunk else { preconditionFailure("a waiting line has its bytes somewhere") }
        return (chunk == current ? log.base : chunk.pointee.base) + line.pointee.start
    }

    /// The line waits no more.
    mutating func release(_ line: WaitingRef) {
        guard let chunk = line.pointee.chunk else { return }
        if chunk.pointee.isFull { liveBytes -= line.pointee.count }
        chunk.pointee.remove(line)
        if chunk.pointee.isFull, chunk.pointee.lines == nil { free(chunk) }
    }

    // MARK: Chunks

    /// The wake-up has ended. The log goes on behind the lines that wait in it, or in other memory if it is full.
    mutating func endWakeUp(_ log: inout ByteLog) {
        guard holdsCurrent else { return log.clear() }
        guard log.count >= full, let chunk = current else { return }
        current = nil
        let count = log.count
        let fresh = spare.popLast() ?? .allocate(capacity: self.capacity)
        let (base, capacity) = log.exchange(for: fresh, capacity: self.capacity)
        (chunk.pointee.base, chunk.pointee.capacity) = (base, capacity)
        if capacity > self.capacity, capacity > 2 * count { shrink(chunk, to: count) }
        chunk.pointee.isFull = true
        chunk.pointee.previous = newest
        if let newest { newest.pointee.next = chunk } else { oldest = chunk }
        newest = chunk
        fullBytes += chunk.pointee.capacity
        liveBytes += chunk.pointee.liveBytes
    }

    /// Gives up chunks while they take much more memory than the lines that wait in them.
    mutating func keepProportion() {
        while fullBytes > 2 * liveBytes + slack, let oldest { copyOut(oldest) }
    }

    private func shrink(_ chunk: ChunkRef, to count: Int) {
        let exact = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        exact.update(from: chunk.pointee.base, count: count)
        chunk.pointee.base.deallocate()
        (chunk.pointee.base, chunk.pointee.capacity) = (exact, count)
    }

    /// Each line that waits in the chunk gets memory of its own.
    private mutating func copyOut(_ chunk: ChunkRef) {
        // With its last line the chunk itself goes.
        var next = chunk.pointee.lines
        while let line = next {
            next = line.pointee.nextOfChunk
            let own = UnsafeMutablePointer<UInt8>.allocate(capacity: line.pointee.count)
            own.update(from: chunk.pointee.base + line.pointee.start, count: line.pointee.count)
            line.pointee.own = own
            release(line)
        }
    }

    private mutating func free(_ chunk: ChunkRef) {
        let (previous, next) = (chunk.pointee.previous, chunk.pointee.next)
        if let previous { previous.pointee.next = next } else { oldest = next }
        if let next { next.pointee.previous = previous } else { newest = previous }
        fullBytes -= chunk.pointee.capacity
        if chunk.pointee.capacity == self.capacity, spare.count < Self.spareLimit {
            spare.append(chunk.pointee.base)
        } else {
            chunk.pointee.base.deallocate()
        }
        chunk.deallocate()
    }

    /// Gives back what is kept for the next time.
    mutating func trim() {
        for base in spare { base.deallocate() }
        spare = []
    }
}
