// A growing run of output bytes. Everything the daemon says is appended to one of these, once; who gets which part
// is a matter of ranges.

import CNotify
import Glibc

package struct ByteLog: ~Copyable {
    package private(set) var base: UnsafeMutablePointer<UInt8>
    package private(set) var count: Int
    package private(set) var capacity: Int
    private var isOwner = true

    package init(capacity: Int = 4096) {
        self.base = .allocate(capacity: capacity)
        self.capacity = capacity
        self.count = 0
    }

    /// Begins in memory of the caller's, who has to outlive the log, and goes on in its own when that is full.
    package init(within room: UnsafeMutableBufferPointer<UInt8>) {
        // Never read or written: there is no room.
        self.base = room.baseAddress ?? UnsafeMutablePointer(bitPattern: 1).unsafelyUnwrapped
        self.capacity = room.count
        self.count = 0
        self.isOwner = false
    }

    deinit {
        if isOwner { base.deallocate() }
    }

    /// Forgets the content; a log that grew beyond `keeping` bytes gives the rest back.
    package mutating func clear(keeping limit: Int = 4 << 20) {
        count = 0
        if capacity > limit, isOwner {
            base.deallocate()
            base = .allocate(capacity: limit)
            capacity = limit
        }
    }

    /// Goes on, empty, in another piece of memory; the caller owns the one that held the content.
    package mutating func exchange(
        for fresh: UnsafeMutablePointer<UInt8>, capacity: Int
    ) -> (base: UnsafeMutablePointer<UInt8>, capacity: Int) {
        precondition(isOwner, "a log hands on only memory of its own")
        defer { (base, self.capacity, count) = (fresh, capacity, 0) }
        return (base, self.capacity)
    }

    package mutating func truncate(to count: Int) {
        precondition(count <= self.count, "a log is truncated to what it holds")
        self.count = count
    }

    package func slice(from start: Int, to end: Int) -> ByteSlice {
        ByteSlice(base + start, end - start)
    }

    package var slice: ByteSlice { ByteSlice(base, count) }

    /// Makes room for `extra` more bytes.
    package mutating func reserve(_ extra: Int) {
        if _slowPath(count + extra > capacity) { grow(extra) }
    }

    private mutating func grow(_ extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        if isOwner { base.deallocate() }
        isOwner = true
        base = moved
        capacity = larger
    }

    package mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inline(__always)
    package mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        memcpy(base + count, text.utf8Start, length)
        count += length
    }

    package mutating func append(_ slice: ByteSlice) {
        reserve(slice.count)
        memcpy(base + count, slice.base, slice.count)
        count += slice.count
    }

    /// Appends bytes that stand in this log already.
    package mutating func append(copyOf range: Range<Int>) {
        reserve(range.count)
        memcpy(base + count, base + range.lowerBound, range.count)
        count += range.count
    }

    package mutating func append(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return }
            append(ByteSlice(start, utf8.count))
        }
    }

    package mutating func append(_ number: UInt64) {
        append(atMost: 20) { $0.put(number) }
    }

    /// Appends what `body` puts, at most `limit` bytes: one test for room instead of one for each piece.
    @inline(__always)
    package mutating func append(atMost limit: Int, _ body: (inout Cursor) -> Void) {
        reserve(limit + Cursor.slack)
        var cursor = Cursor(at: base + count)
        body(&cursor)
        count = cursor.at - base
    }

    /// A place in a log with room behind it.
    package struct Cursor {
        package fileprivate(set) var at: UnsafeMutablePointer<UInt8>

        @inline(__always)
        package mutating func put(_ text: StaticString) {
            memcpy(at, text.utf8Start, text.utf8CodeUnitCount)
            at += text.utf8CodeUnitCount
        }

        @inline(__always)
        package mutating func put(_ slice: ByteSlice) {
            memcpy(at, slice.base, slice.count)
            at += slice.count
        }

        /// For a short slice with 16 readable bytes behind it.
        @inline(__always)
        package mutating func put(short slice: ByteSlice) {
            cnotify_copy_loosely(at, slice.base, slice.count)
            at += slice.count
        }

        /// What a loose copy may write too much.
        fileprivate static let slack = 16

        @inline(__always)
        package mutating func put(_ number: UInt64) {
            at += number < 10 ? putDigit(number) : Self.write(number, to: at)
        }

        @inline(__always)
        private func putDigit(_ digit: UInt64) -> Int {
            at.pointee = UInt8(truncatingIfNeeded: 48 &+ digit)
            return 1
        }

        /// Decimal digits of `number`, two a step: sequence numbers stand in every line. Returns how many.
        private static func write(_ number: UInt64, to out: UnsafeMutablePointer<UInt8>) -> Int {
            let digits = decimalDigits(number)
            var rest = number
            var at = digits
            while rest >= 100 {
                let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
                at -= 2
                putPair(remainder, to: out + at)
                rest = quotient
            }
            if rest >= 10 {
                putPair(rest, to: out)
            } else {
                out.pointee = UInt8(truncatingIfNeeded: 48 &+ rest)
            }
            return digits
        }

        @inline(__always)
        private static func putPair(_ pair: UInt64, to out: UnsafeMutablePointer<UInt8>) {
            let tens = (pair &* 205) &>> 11  // division by 10 for what is below 100
            out[0] = UInt8(truncatingIfNeeded: 48 &+ tens)
            out[1] = UInt8(truncatingIfNeeded: 48 &+ pair &- tens &* 10)
        }

        private static func decimalDigits(_ number: UInt64) -> Int {
            var digits = 1
            var rest = number
            while rest >= 10_000 {
                rest /= 10_000
                digits += 4
            }
            return digits + (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
        }
    }

    /// Appends the characters of a JSON string (without the quotes), escaping what RFC 8259 wants escaped.
    package mutating func append(escaped text: ByteSlice) {
        reserve(text.count * 6)
        var run = text.base
        var at = text.base
        while at < text.end {
            let byte = at.pointee
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            append(ByteSlice(from: run, to: at))
            appendEscape(byte)
            at += 1
            run = at
        }
        append(ByteSlice(from: run, to: at))
    }

    package mutating func append(escaped text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return }
            append(escaped: ByteSlice(start, utf8.count))
        }
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append("u00")
            let digits: StaticString = "0123456789abcdef"
            append(digits.utf8Start[Int(byte >> 4)])
            append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
