// Lines out: numbers, escapes, times, and each kind of line as it stands on the wire.

import Foundation
import NotifyWire
import Testing

@Suite("Lines out")
struct OutputTests {
    @Test(
        "A log that begins in a caller's memory holds as much as that, goes on in its own, and leaves what is behind alone",
        arguments: [0, 1, 15, 16, 17, 1000])
    func within(count: Int) {
        let text = String(repeating: "x", count: count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { room in
            room.initialize(repeating: 7)
            var log = ByteLog(within: UnsafeMutableBufferPointer(rebasing: room[..<16]))
            log.append(text: text)
            #expect(log.slice.text == text)
            let room = UnsafeMutableRawPointer(room.baseAddress)
            #expect((UnsafeMutableRawPointer(log.base) == room) == (count <= 16))
            #expect((16..<32).allSatisfy { room?.load(fromByteOffset: $0, as: UInt8.self) == 7 })
            // A second time in memory of its own.
            for _ in 1...3 { log.append(text: text) }
            #expect(log.slice.text == text + text + text + text)
        }
    }

    private func written(_ body: (inout ByteLog) -> Void) -> String {
        var log = ByteLog(capacity: 1)
        body(&log)
        return log.slice.text
    }

    @Test("have every number in its decimal digits")
    func numbers() {
        var edges: [UInt64] = [0, 5, .max, .max - 1, UInt64(Int64.max), 1 << 53]
        var power: UInt64 = 1
        for _ in 1...19 {
            power *= 10
            edges += [power - 1, power, power + 1, power / 10 * 11]
        }
        for number in edges { #expect(written { $0.append(number) } == "\(number)") }
        for number in UInt64(0)...12_345 { #expect(written { $0.append(number) } == "\(number)") }
    }

    @Test("escape what must not stand in a JSON string, and nothing else")
    func escapes() throws {
        for value in UInt32(0)...0x17F {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(scalar)b"
            let line = written { $0.append(escaped: text) }
            #expect(try JSONDecoder().decode(String.self, from: Data("\"\(line)\"".utf8)) == text)
            let mustEscape = value < 0x20 || scalar == "\"" || scalar == "\\"
            #expect((line == text) == !mustEscape, "U+\(value)")
        }
        #expect(written { $0.append(escaped: "\u{8}\t\n\u{C}\r\u{0}\u{1F}") } == #"\b\t\n\f\r\u0000\u001f"#)
        #expect(written { $0.append(escaped: "") } == "")
    }

    @Test("grow their log without losing a byte")
    func growth() {
        var log = ByteLog(capacity: 1)
        var expected = ""
        for number in 0..<2000 {
            log.append(UInt64(number))
            log.append("/" as StaticString)
            log.append(text: "é")
            log.append(UInt8(ascii: "\n"))
            expected += "\(number)/é\n"
        }
        #expect(log.slice.text == expected)
        #expect(log.count == expected.utf8.count)
        log.append(copyOf: 0..<4)
        #expect(log.slice(from: log.count - 4, to: log.count).text == "0/é")
        log.truncate(to: 2)
        #expect(log.slice.text == "0/")
        log.clear(keeping: 16)
        #expect(log.count == 0)
        #expect(log.capacity == 16)
        log.append(text: String(repeating: "x", count: 17))
        #expect(log.slice.text == String(repeating: "x", count: 17))
    }

    @Test(
        "have times in UTC with six decimals",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (1_000, "1970-01-01T00:00:00.000001Z"),
            (999, "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (-1_000_000_000, "1969-12-31T23:59:59.000000Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_799_999_999_999, "2000-02-29T23:59:59.999999Z"),
            (951_868_800_000_000_000, "2000-03-01T00:00:00.000000Z"),
            (1_709_164_800_000_000_000, "2024-02-29T00:00:00.000000Z"),
            (1_798_761_599_123_456_789, "2026-12-31T23:59:59.123456Z"),
            (1_798_761_600_000_000_000, "2027-01-01T00:00:00.000000Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000Z"),
            (-2_203_891_200_000_000_000, "1900-03-01T00:00:00.000000Z"),
            (Int64.max, "2262-04-11T23:47:16.854775Z"), (Int64.min, "1677-09-21T00:12:43.145224Z"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, expected: String) {
        var formatter = TimestampFormatter()
        #expect(formatter.format(nanoseconds).text == expected)
        _ = formatter.format(nanoseconds == 0 ? 1 << 60 : 0)
        #expect(formatter.format(nanoseconds).text == expected, "what was formatted before does not matter")
    }

    @Test("have the times that Foundation has, day after day")
    func days() {
        var formatter = TimestampFormatter()
        let style = Date.ISO8601FormatStyle()
        for day in stride(from: -40_000, through: 90_000, by: 61) {
            let seconds = Int64(day) * 86_400 + 3_599
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(formatter.format(seconds * 1_000_000_000).text == text.dropLast() + ".000000Z")
        }
    }

    @Test(
        "count the bytes in front of a message's body",
        arguments: [1, 9, 10, 99, 100, 65_535, 4_294_967_295] as [UInt32])
    func heads(number: UInt32) {
        let head = written { MessageLine.appendHead(to: &$0, sub: number) }
        #expect(head == #"{"op":"message","sub":\#(number),"#)
        #expect(head.utf8.count == MessageLine.headCount(sub: number))
        let replay = written { MessageLine.appendHead(to: &$0, sub: number, isReplay: true) }
        #expect(replay == head + #""replay":true,"#)
    }

    @Test("of each kind are as the protocol says")
    func controlLines() {
        var log = ByteLog()
        var (id, channel) = ("\"7\"", "a.b")
        id.withUTF8 { id in
            channel.withUTF8 { channel in
                guard let idStart = id.baseAddress, let channelStart = channel.baseAddress else { return }
                let (id, channel) = (ByteSlice(idStart, id.count), ByteSlice(channelStart, channel.count))
                ControlLine.appendReceipt(to: &log, id: id, sequence: .max, position: 2, matched: 3, dropped: 4)
                ControlLine.appendError(
                    to: &log, id: id, Refusal(.unsupportedVersion, "say \"1\"", offset: 0, supported: [1, 2]))
                ControlLine.appendError(to: &log, id: .empty, Refusal(.denied, "no"))
                ControlLine.appendGap(to: &log, sub: 1, channel: channel, from: 2, to: 4, count: 3, reason: "overflow")
                ControlLine.appendGap(to: &log, sub: 1, channel: nil, from: nil, to: nil, count: 3, reason: "overflow")
                ControlLine.appendLive(to: &log, sub: 9, position: 0)
                ControlLine.appendBye(to: &log, reason: "shutting_down")
            }
        }
        #expect(
            log.slice.text == """
                {"op":"ok","id":"7","seq":18446744073709551615,"pos":2,"matched":3,"dropped":4}
                {"op":"error","id":"7","code":"unsupported_version","message":"say \\"1\\"","offset":0,"supported":[1,2]}
                {"op":"error","code":"denied","message":"no"}
                {"op":"gap","sub":1,"channel":"a.b","from":2,"to":4,"count":3,"reason":"overflow"}
                {"op":"gap","sub":1,"count":3,"reason":"overflow"}
                {"op":"live","sub":9,"pos":0}
                {"op":"bye","reason":"shutting_down"}

                """)
    }

    @Test("quote at most 64 bytes of what a client wrote, and never half a character")
    func excerpts() {
        for length in 55...70 {
            var text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
            let excerpt = text.withUTF8 { utf8 in
                utf8.baseAddress.map { ByteSlice($0, utf8.count).excerpt } ?? ""
            }
            #expect(excerpt.utf8.count <= 64)
            #expect(excerpt == text || excerpt.hasSuffix("…") && length > 64 && text.hasPrefix(excerpt.dropLast()))
        }
    }
}
