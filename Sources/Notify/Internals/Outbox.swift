// Bytes on their way to the daemon, and how many of this connection's bytes the kernel has taken.

struct Outbox: Sendable {
    private var bytes: [UInt8] = []
    private var head = 0

    /// Bytes the kernel has taken since the connection was made.
    private(set) var flushed: UInt64 = 0

    var isEmpty: Bool { head == bytes.count }
    var count: Int { bytes.count - head }
    /// Where the next line will begin.
    var end: UInt64 { flushed + UInt64(count) }

    mutating func append(_ line: [UInt8]) {
        bytes.append(contentsOf: line)
    }

    /// Offers what waits to `write`, which answers how much it took.
    mutating func flush(_ write: (UnsafeRawBufferPointer) -> Int) {
        let taken = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[head...])) }
        head += taken
        flushed += UInt64(taken)
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= Self.keptCapacity)
            head = 0
        } else if head > Self.keptCapacity, head * 2 > bytes.count {
            bytes.removeFirst(head)
            head = 0
        }
    }

    /// A buffer that grew larger gives its memory back when it runs empty.
    private static let keptCapacity = 256 << 10
}
