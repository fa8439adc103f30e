// A piece of the log of messages for as long as lines that wait stand in it: a line is written once, whether it is sent
// at once, later, or to many slow readers, and nobody copies it.

import NotifyWire

typealias ChunkRef = UnsafeMutablePointer<Chunk>

struct Chunk {
    /// Stale while the log still writes to this piece: it may move. See `ChunkStore.bytes(of:)`.
    var base: UnsafeMutablePointer<UInt8>
    var capacity: Int
    /// The waiting lines that stand here, and their bytes together; a line that several wait for counts for each.
    var lines: WaitingRef?
    var liveBytes = 0

    // Full chunks, oldest first.
    var next: ChunkRef?
    var previous: ChunkRef?
    var isFull = false

    static func make(_ base: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> ChunkRef {
        let chunk = ChunkRef.allocate(capacity: 1)
        chunk.initialize(to: Chunk(base: base, capacity: capacity))
        return chunk
    }

    mutating func add(_ line: WaitingRef) {
        line.pointee.nextOfChunk = lines
        lines?.pointee.previousOfChunk = line
        lines = line
        liveBytes += line.pointee.count
    }

    mutating func remove(_ line: WaitingRef) {
        let (previous, next) = (line.pointee.previousOfChunk, line.pointee.nextOfChunk)
        if let previous { previous.pointee.nextOfChunk = next } else { lines = next }
        next?.pointee.previousOfChunk = previous
        line.pointee.previousOfChunk = nil
        line.pointee.nextOfChunk = nil
        line.pointee.chunk = nil
        liveBytes -= line.pointee.count
    }
}
