// A range of bytes in a buffer that somebody else owns: half the size of a Range<Int>, and with a value for "absent".

package struct ByteRange: Sendable, Hashable {
    package var start: UInt32
    package var end: UInt32

    package init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// No such field.
    package static let absent = ByteRange(Int(UInt32.max), 0)

    package var isAbsent: Bool { start == UInt32.max }
    package var count: Int { isAbsent ? 0 : Int(end) - Int(start) }
    package var indices: Range<Int> { isAbsent ? 0..<0 : Int(start)..<Int(end) }
}
