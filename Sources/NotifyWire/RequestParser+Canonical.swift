// The one trick of the parser: a post whose fields stand in the usual order, without white space or escapes in the
// envelope, is read by comparing with what is expected, instead of looking each name up. Whatever deviates is left to
// the general scanner, which starts again from the beginning of the line: this file accepts nothing that it would not.

import Glibc

extension RequestParser {
    /// `{"op":"post",["id":N,]"channel":"…"[,"type":"…"][,"subject":"…"][,"payload":…]}`. False: no verdict; `request`
    /// must be reset.
    package mutating func parseCanonicalPost(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Bool {
        var scanner = JSONScanner(start: start, end: end)
        // The shortest such line is longer, and comparing reads no further than this.
        guard end - start >= 32, scanner.skip("{\"op\":\"post\",\"") else { return false }
        var present: FieldSet = [.op, .channel]
        if scanner.skip("id\":") {
            guard let id = scanner.skipPlainInteger(), scanner.skip(",\"") else { return false }
            request.id = id
            present.insert(.id)
        }
        guard scanner.skip("channel\":"), scanner.scanString(), scanner.stringIsPlain else { return false }
        request.channel = scanner.string
        if scanner.skip(",\"type\":") {
            guard let text = scanner.label() else { return false }
            request.type = text
            request.typeToken = text
            present.insert(.type)
        }
        if scanner.skip(",\"subject\":") {
            guard let text = scanner.label() else { return false }
            request.subject = text
            request.subjectToken = text
            present.insert(.subject)
        }
        if scanner.skip(",\"payload\":") {
            let first = scanner.at
            guard scanner.scanValue(outer: 1) else { return false }
            request.payload = ByteSlice(from: first, to: scanner.at)
            present.insert(.payload)
        }
        guard scanner.take(UInt8(ascii: "}")), scanner.isAtEnd else { return false }
        request.op = .post
        request.present = present
        return true
    }
}

extension JSONScanner {
    /// Consumes `text` if it comes next. At most 16 bytes, so that comparing stays within what is readable.
    @inline(__always)
    fileprivate mutating func skip(_ text: StaticString) -> Bool {
        guard memcmp(at, text.utf8Start, text.utf8CodeUnitCount) == 0 else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    /// Up to 15 digits without a leading zero.
    @inline(__always)
    fileprivate mutating func skipPlainInteger() -> ByteSlice? {
        let first = at
        while at.pointee &- 48 < 10 { at += 1 }
        let count = at - first
        guard 1...15 ~= count, first.pointee != 48 || count == 1 else { return nil }
        return ByteSlice(first, count)
    }

    @inline(__always)
    fileprivate mutating func label() -> ByteSlice? {
        // Plain text has no control characters: only its length is left to be checked.
        guard scanString(), stringIsPlain, 1...LabelText.maximumBytes ~= string.count else { return nil }
        return string
    }
}
