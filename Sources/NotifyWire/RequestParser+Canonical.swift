// The one trick of the parser: a post whose fields stand in the usual order, without white space or escapes in the
// envelope, is read by comparing with what is expected, instead of looking each name up; and one whose envelope is that
// of the post before it is compared with that as a whole. Whatever deviates is left to the general scanner, which starts
// again from the beginning of the line: this file accepts nothing that it would not.

import CNotify
import Glibc

extension RequestParser {
    /// `{"op":"post",["id":N,]"channel":"…"[,"type":"…"][,"subject":"…"][,"payload":…]}`. False: no verdict; `request`
    /// must be reset.
    package mutating func parseCanonicalPost(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Bool {
        var scanner = JSONScanner(start: start, end: end)
        // The shortest such line is longer, and comparing reads no further than this.
        guard end - start >= 32, scanner.skip("{\"op\":\"post\",") else { return false }
        var present: FieldSet = [.op, .channel]
        if scanner.skip("\"id\":") {
            guard let id = scanner.skipPlainInteger(), scanner.skip(",") else { return false }
            request.id = id
            present.insert(.id)
        }
        let envelopeStart = scanner.at
        guard scanner.skip("\"channel\":"), scanner.scanString(), scanner.stringIsPlain else { return false }
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
        var envelope = ByteSlice.empty
        if scanner.skip(",\"payload\":") {
            let first = scanner.at
            envelope = ByteSlice(from: envelopeStart, to: first)
            guard scanner.scanValue(outer: 1) else { return false }
            request.payload = ByteSlice(from: first, to: scanner.at)
            present.insert(.payload)
        }
        guard scanner.take(UInt8(ascii: "}")), scanner.isAtEnd else { return false }
        request.op = .post
        request.present = present
        if !envelope.isEmpty { keep(envelope) }
        return true
    }

    /// Reads the line at `start` if it is a canonical post with the envelope of the last one, and returns where its
    /// newline stands. The data ends before `end`, where the caller has put a newline: a line that ends there is not
    /// complete. 16 bytes after it must be readable. nil: no verdict.
    @inline(__always)
    package mutating func parseRepeatedPost(
        _ start: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        var scanner = JSONScanner(start: start, end: end)
        guard scanner.skip("{\"op\":\"post\",") else { return nil }
        var id = ByteSlice.empty
        if scanner.skip("\"id\":") {
            guard let number = scanner.skipPlainInteger(), scanner.skip(",") else { return nil }
            id = number
        }
        guard isKept(at: scanner.at, before: end) else { return nil }
        scanner.at += envelopeCount
        let payload = scanner.at
        if let lineEnd = endOfShapedPayload(at: payload, before: end) {
            repeatEnvelope(id, ByteSlice(from: payload, to: lineEnd - 1))
            return lineEnd
        }
        guard scanner.scanValue(outer: 1) else { return nil }
        let payloadEnd = scanner.at
        guard scanner.skip("}\n"), scanner.at <= end else { return nil }
        shape.notice(ByteSlice(from: payload, to: payloadEnd))
        repeatEnvelope(id, ByteSlice(from: payload, to: payloadEnd))
        return scanner.at - 1
    }

    /// Where the newline stands, if the rest of the line is a payload of the known shape.
    @inline(__always)
    private mutating func endOfShapedPayload(
        at payload: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        let payloadEnd = payload + shape.count
        // The line's end first: where lengths differ, nothing else is looked at.
        guard end - payloadEnd >= 2, payloadEnd[0] == UInt8(ascii: "}"), payloadEnd[1] == UInt8(ascii: "\n"),
            shape.count > 0, shape.admits(payload)
        else { return nil }
        return payloadEnd + 1
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
        at = Self.afterDigits(at)
        let count = at - first
        guard 1...15 ~= count, first.pointee != 48 || count == 1 else { return nil }
        return ByteSlice(first, count)
    }

    fileprivate mutating func label() -> ByteSlice? {
        guard scanString(), stringIsPlain, LabelText.isValid(string) else { return nil }
        return string
    }
}
