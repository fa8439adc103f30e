// The payloads of a stream often differ in their values alone: the same keys, other digits, other letters. What one valid
// payload tells about others of its length is kept here, as the range in which each byte may lie, and a payload whose
// bytes are all within is valid without being scanned. The ranges admit less than JSON does, never more.

import CNotify

package struct PayloadShape: ~Copyable {
    /// Longer payloads are mostly long strings, for which scanning is as quick.
    package static let maximumBytes = 1024

    /// How many bytes such a payload has; 0: nothing is known.
    package private(set) var count = 0
    /// The lowest bytes, and behind them the highest; `room` for each.
    private let ranges: UnsafeMutablePointer<UInt8>
    private static let room = maximumBytes + 16

    /// How many payloads are scanned before the next one is learnt, and how many before the one after that: where no
    /// payload is like another, learning is soon as rare as can be.
    private var pause = 1
    private var nextPause = Self.shortestPause
    private static let shortestPause = 16
    private static let longestPause = 4096

    package init() {
        ranges = .allocate(capacity: 2 * Self.room)
    }

    deinit { ranges.deallocate() }

    /// Whether the `count` bytes at `place` are such a payload. 16 bytes after them must be readable.
    @inline(__always)
    package mutating func admits(_ place: UnsafePointer<UInt8>) -> Bool {
        guard cnotify_is_within(place, ranges, ranges + Self.room, count) != 0 else { return false }
        nextPause = Self.shortestPause
        return true
    }

    /// Takes notice of a payload that has been scanned, and is valid.
    @inline(__always)
    package mutating func notice(_ payload: ByteSlice) {
        pause -= 1
        if _slowPath(pause <= 0) { learn(payload) }
    }

    /// Takes this payload, which is valid, as the pattern for others.
    @inline(never)
    package mutating func learn(_ payload: ByteSlice) {
        pause = nextPause
        nextPause = min(nextPause * 2, Self.longestPause)
        count = 0
        // What an escape stands for may depend on every byte of it.
        guard payload.count <= Self.maximumBytes, !payload.buffer.contains(UInt8(ascii: "\\")) else { return }
        var isInString = false
        var last: UInt8 = 0
        for (index, byte) in payload.buffer.enumerated() {
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            let range = isInString ? Self.rangeInString(byte) : Self.rangeOutside(byte, after: last)
            ranges[index] = range.lowerBound
            ranges[Self.room + index] = range.upperBound
            last = byte
        }
        // Bytes behind the payload are compared with it, in pieces of 16.
        for index in payload.count..<(payload.count + 16) {
            ranges[index] = 0
            ranges[Self.room + index] = 255
        }
        count = payload.count
    }

    /// A character may be any other on its side of the backslash, but for quotes, control characters and beyond ASCII.
    private static func rangeInString(_ byte: UInt8) -> ClosedRange<UInt8> {
        switch byte {
        case 0x20...0x21: 0x20...0x21
        case 0x23...0x5B: 0x23...0x5B
        case 0x5D...0x7F: 0x5D...0x7F
        default: byte...byte
        }
    }

    /// A digit behind a digit or the decimal point may be any; another one may be any but zero, or is zero and stays so.
    private static func rangeOutside(_ byte: UInt8, after last: UInt8) -> ClosedRange<UInt8> {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits ~= byte else { return byte...byte }
        if digits ~= last || last == UInt8(ascii: ".") { return digits }
        return byte == digits.lowerBound ? byte...byte : UInt8(ascii: "1")...UInt8(ascii: "9")
    }
}
