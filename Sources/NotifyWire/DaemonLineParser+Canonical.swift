// The one trick of this parser: a message whose fields stand as `MessageLine` writes them is read by comparing with what
// is expected, instead of looking each name up. Whatever deviates is left to the general parser, which starts again from
// the beginning of the line: this file accepts nothing that it would not, and reads nothing else out of it.

import Glibc

extension DaemonLineParser {
    /// `{"op":"message","sub":N,["replay":true,]"channel":"…","seq":N,"pos":N,"time":"…"[,"type":"…"][,"subject":"…"],`
    /// `"from":{"client":N,"pid":N,"uid":N}[,"retain":true],"payload":…}`. Nil: no verdict.
    @inline(__always)
    static func parseCanonicalMessage(
        _ base: UnsafePointer<UInt8>, _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ shape: inout PayloadShape
    ) -> MessageFields? {
        // The shortest such line is longer, and comparing reads no further than 16 bytes behind the newline.
        guard end - start >= 64 else { return nil }
        var line = CanonicalLine(base: base, scanner: JSONScanner(start: start, end: end))
        var message = MessageFields()
        guard line.skip("{\"op\":\"message\""), line.skip(",\"sub\":"), line.number(&message.sub) else { return nil }
        if line.skip(",\"replay\":true") { message.isReplay = true }
        guard line.skip(",\"channel\":"), line.string(&message.channel),
            line.skip(",\"seq\":"), line.number(&message.seq),
            line.skip(",\"pos\":"), line.number(&message.pos),
            line.skip(",\"time\":"), line.string(&message.time)
        else { return nil }
        if line.skip(",\"type\":"), !line.string(&message.type) { return nil }
        if line.skip(",\"subject\":"), !line.string(&message.subject) { return nil }
        var pid: UInt64 = 0
        var uid: UInt64 = 0
        guard line.skip(",\"from\":{"), line.skip("\"client\":"), line.number(&message.client),
            line.skip(",\"pid\":"), line.number(&pid), line.skip(",\"uid\":"), line.number(&uid), line.skip("}")
        else { return nil }
        message.pid = Int32(truncatingIfNeeded: pid)
        message.uid = UInt32(truncatingIfNeeded: uid)
        if line.skip(",\"retain\":true") { message.isRetained = true }
        guard line.skip(",\"payload\":"), line.value(&message.payload, &shape), line.skip("}"), line.scanner.isAtEnd
        else {
            return nil
        }
        message.line = ByteRange(start - base, end - base)
        return message
    }
}

/// A line that is read by expecting what comes.
private struct CanonicalLine {
    let base: UnsafePointer<UInt8>
    var scanner: JSONScanner

    /// Consumes `text` if it comes next. At most 16 bytes, so that comparing stays within what is readable.
    @inline(__always)
    mutating func skip(_ text: StaticString) -> Bool {
        guard memcmp(scanner.at, text.utf8Start, text.utf8CodeUnitCount) == 0 else { return false }
        scanner.at += text.utf8CodeUnitCount
        return true
    }

    /// A whole number of up to 18 digits without a leading zero.
    @inline(__always)
    mutating func number(_ number: inout UInt64) -> Bool {
        let first = scanner.at
        var value: UInt64 = 0
        while case let digit = scanner.at.pointee &- 48, digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            scanner.at += 1
        }
        let count = scanner.at - first
        guard 1...18 ~= count, first.pointee != 48 || count == 1 else { return false }
        number = value
        return true
    }

    @inline(__always)
    mutating func string(_ range: inout ByteRange) -> Bool {
        guard scanner.scanString() else { return false }
        let start = scanner.string.base - base
        range = ByteRange(start, start + scanner.string.count)
        return true
    }

    @inline(__always)
    mutating func value(_ range: inout ByteRange, _ shape: inout PayloadShape) -> Bool {
        let start = scanner.at
        // It is the last member, and a brace stands behind it.
        if shape.count > 0, shape.count == scanner.end - start - 1, shape.admits(start) {
            scanner.at += shape.count
        } else {
            guard scanner.scanValue(outer: 1) else { return false }
            shape.notice(ByteSlice(from: start, to: scanner.at))
        }
        range = ByteRange(start - base, scanner.at - base)
        return true
    }
}
