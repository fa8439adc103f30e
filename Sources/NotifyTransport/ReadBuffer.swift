// The buffer that all connections of one event loop read into, and what the read before has brought.

package final class ReadBuffer {
    /// Bytes asked of read(2) at a time: more gains nothing, less costs system calls.
    package static let chunk = 64 << 10
    /// Bytes that are readable behind the data, for scanners that read 16 at a time.
    package static let padding = 32
    /// What waits from the read before goes in front of what is read, if it is no longer than this: so a short beginning
    /// of a line needs no room of its own for the rest.
    static let front = 16 << 10

    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: ReadBuffer.front + ReadBuffer.chunk + ReadBuffer.padding)

    /// Where the bytes of the connection that was read last are, those that waited first. Valid until its `keep`.
    /// Behind a pointer: the daemon asks for it with every read, and a property of a class would be checked for exclusive
    /// access each time.
    package let content: UnsafeMutablePointer<(bytes: UnsafeMutablePointer<UInt8>, count: Int)>

    package init() {
        base.initialize(repeating: 0, count: Self.front + Self.chunk + Self.padding)
        content = .allocate(capacity: 1)
        content.initialize(to: (base, 0))
    }

    deinit {
        base.deallocate()
        content.deallocate()
    }
}
