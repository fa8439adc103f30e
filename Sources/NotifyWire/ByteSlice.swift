// Bytes that somebody else owns: a pointer and a count, for as long as the buffer behind them stands still.
//
// The wire never copies what it reads: a request's channel, type and payload are slices of the read buffer.

import Glibc

package struct ByteSlice {
    package let base: UnsafePointer<UInt8>
    package let count: Int

    @inlinable
    package init(_ base: UnsafePointer<UInt8>, _ count: Int) {
        self.base = base
        self.count = count
    }

    @inlinable
    package init(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        self.base = start
        self.count = end - start
    }

    /// No bytes at all; the pointer is never read.
    @inlinable
    package static var empty: ByteSlice { ByteSlice(UnsafePointer(bitPattern: 1).unsafelyUnwrapped, 0) }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package var end: UnsafePointer<UInt8> { base + count }

    @inlinable
    package subscript(index: Int) -> UInt8 { base[index] }

    @inlinable
    package var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    @inlinable
    package func equals(_ other: ByteSlice) -> Bool {
        count == other.count && memcmp(base, other.base, count) == 0
    }

    @inlinable
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && memcmp(base, text.utf8Start, count) == 0
    }

    /// The bytes as text; whatever is not UTF-8 becomes U+FFFD.
    package var text: String { String(decoding: buffer, as: UTF8.self) }

    /// The text for an error message: at most 64 bytes, cut with an ellipsis; U+FFFD stands for what a terminal would
    /// obey instead of showing it.
    package var excerpt: String {
        guard count > 64 else { return shown }
        var cut = 61
        while cut > 0, base[cut] & 0xC0 == 0x80 { cut -= 1 }
        return ByteSlice(base, cut).shown + "…"
    }

    private var shown: String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let category = scalar.properties.generalCategory
            scalars.append(category == .control || category == .format ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }
}

extension [UInt8] {
    package init(_ slice: ByteSlice) {
        self.init(slice.buffer)
    }
}
