// The log's writer: in order, never waited for, and honest about what it lost.

import Dispatch
import NotifyLock
import Testing

@testable import NotifyDaemon

@Suite("The log's writer")
struct LogWriterTests {
    /// An output that takes a line only after `open` was called.
    private final class Gate: Sendable {
        let lines = Locked<[String]>([])
        let entered = DispatchSemaphore(value: 0)
        private let opened = DispatchSemaphore(value: 0)

        func take(_ line: LogWriter.Line) {
            entered.signal()
            opened.wait()
            opened.signal()
            lines.withLock { $0.append(line.text) }
        }

        func open() { opened.signal() }
    }

    private static func line(_ text: String) -> LogWriter.Line { .init(level: .info, text: text) }

    @Test("writes everything in the order it was given")
    func order() {
        let lines = Locked<[String]>([])
        let writer = LogWriter { line in lines.withLock { $0.append(line.text) } }
        let wanted = (0..<1000).map(String.init)
        for text in wanted { writer.write(Self.line(text)) }
        writer.flush(atMost: .seconds(60))
        #expect(lines.withLock { $0 } == wanted)
    }

    @Test("is not waited for while its output is stuck, and loses no line up to the limit")
    func stuck() {
        let gate = Gate()
        let each = Self.line("0123456789")
        let writer = LogWriter(limit: 3 * each.bytes) { gate.take($0) }
        writer.write(each)
        gate.entered.wait()
        // The first one is being written, and counts until it is.
        for _ in 0..<2 { writer.write(each) }
        gate.open()
        writer.flush(atMost: .seconds(60))
        #expect(gate.lines.withLock { $0 } == Array(repeating: "0123456789", count: 3))
    }

    @Test("tells how many lines did not fit, after those that did, and goes on")
    func lost() {
        let gate = Gate()
        let each = Self.line("0123456789")
        let writer = LogWriter(limit: 3 * each.bytes) { gate.take($0) }
        writer.write(each)
        gate.entered.wait()
        for _ in 0..<7 { writer.write(each) }
        gate.open()
        writer.flush(atMost: .seconds(60))
        writer.write(Self.line("later"))
        writer.flush(atMost: .seconds(60))
        let lines = gate.lines.withLock { $0 }
        #expect(lines.prefix(3).allSatisfy { $0 == "0123456789" })
        #expect(lines.dropFirst(3) == ["5 lines of this log were lost: it was not read", "later"])
    }

    @Test("is not waited for longer than asked at the end")
    func end() {
        let gate = Gate()
        let writer = LogWriter { gate.take($0) }
        writer.write(Self.line("stuck"))
        gate.entered.wait()
        writer.flush(atMost: .milliseconds(1))
        #expect(gate.lines.withLock { $0.isEmpty })
        gate.open()
    }
}
