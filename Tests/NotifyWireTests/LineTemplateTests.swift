// The next line of the same kind comes from the last one, and must be what would have been written anew.

import NotifyWire
import Testing

@Suite("A line's template")
struct LineTemplateTests {
    private let channel = Array("bench.c0".utf8) + [UInt8](repeating: 0, count: 16)

    private func slice(_ bytes: [UInt8], _ body: (ByteSlice) -> Void) {
        bytes.withUnsafeBufferPointer { body(ByteSlice($0.baseAddress.unsafelyUnwrapped, bytes.count - 16)) }
    }

    /// The line of a message, written by a template of its own.
    private func line(_ sequence: UInt64, _ position: UInt64, _ wall: Int64) -> String {
        var template = LineTemplate()
        var log = ByteLog()
        write(&template, &log, sequence, position, wall)
        return log.slice.text
    }

    private func write(
        _ template: inout LineTemplate, _ log: inout ByteLog, _ sequence: UInt64, _ position: UInt64, _ wall: Int64
    ) {
        var time = TimestampFormatter()
        slice(channel) { channel in
            template.append(
                to: &log, sub: 7,
                MessageLine.Content(
                    channel: channel, sequence: sequence, position: position, time: time.format(wall), type: .empty,
                    subject: .empty, sender: channel, isRetained: false, payload: channel),
                wall: wall)
        }
    }

    private func writeNext(
        _ template: inout LineTemplate, _ log: inout ByteLog, _ sequence: UInt64, _ position: UInt64, _ wall: Int64
    ) -> Bool {
        var time = TimestampFormatter()
        var isNext = false
        slice(channel) { payload in
            isNext = template.appendNext(
                to: &log, sequence: sequence, position: position, wall: wall, payload: payload
            ) { time.format($0) }
        }
        return isNext
    }

    @Test(
        "counts its numbers up, through every carry",
        arguments: [(1, 1), (8, 18), (98, 189), (1198, 99_998), (199_990, 1_999_999_990)] as [(UInt64, UInt64)])
    func counts(sequence: UInt64, position: UInt64) {
        var template = LineTemplate()
        var log = ByteLog()
        write(&template, &log, sequence, position, 0)
        for step in 1...25 {
            log.clear()
            let (next, place) = (sequence + UInt64(step), position + UInt64(step))
            if !writeNext(&template, &log, next, place, 0) {
                // Another digit is needed, and nothing has been written.
                #expect(log.count == 0)
                #expect("\(next)".count + "\(place)".count > "\(next - 1)".count + "\(place - 1)".count)
                write(&template, &log, next, place, 0)
            }
            #expect(log.slice.text == line(next, place, 0))
        }
    }

    @Test("takes the time of each message")
    func time() {
        var template = LineTemplate()
        var log = ByteLog()
        write(&template, &log, 1, 1, 1_700_000_000_000_000_000)
        log.clear()
        #expect(writeNext(&template, &log, 2, 2, 1_800_000_000_123_456_789))
        #expect(log.slice.text == line(2, 2, 1_800_000_000_123_456_789))
    }

    @Test(
        "goes on to the next numbers only", arguments: [(5, 6), (6, 5), (7, 6), (6, 7), (1, 1)] as [(UInt64, UInt64)])
    func nextOnly(sequence: UInt64, position: UInt64) {
        var template = LineTemplate()
        var log = ByteLog()
        write(&template, &log, 5, 5, 0)
        log.clear()
        #expect(!writeNext(&template, &log, sequence, position, 0))
        #expect(log.count == 0)
    }
}
