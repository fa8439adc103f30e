// Writes log lines on a thread of its own, in order. A journal that does not take any more, or a pipe that nobody reads,
// stops that thread and nothing else; what cannot wait any longer is counted, and told when lines get through again.

import Dispatch
import Glibc
import NotifyLock
import NotifySystemd

final class LogWriter: Sendable {
    struct Line: Sendable {
        var level: Log.Level
        var text: String
        /// For the journal only.
        var fields: [(String, String)] = []

        /// With nothing in it that a terminal obeys.
        var printable: Line {
            Line(level: level, text: text.printable, fields: fields.map { ($0.0, $0.1.printable) })
        }

        var bytes: Int { fields.reduce(text.utf8.count + 64) { $0 + $1.0.utf8.count + $1.1.utf8.count } }
    }

    private struct Waiting {
        var lines: [Line] = []
        var bytes = 0
        var lost = 0
        var isWriting = false
    }

    /// What may wait, in bytes: some thousand lines.
    static let limit = 1 << 20

    private let limit: Int
    private let output: @Sendable (Line) -> Void
    private let waiting = Locked(Waiting())
    private let queue = DispatchQueue(label: "notifyd.log")

    /// - Parameter output: writes one line, as long as it takes.
    init(limit: Int = LogWriter.limit, output: @escaping @Sendable (Line) -> Void) {
        self.limit = limit
        self.output = output
    }

    /// Never waits.
    func write(_ line: Line) {
        let begins = waiting.withLock { waiting in
            guard waiting.bytes + line.bytes <= limit else {
                waiting.lost += 1
                return false
            }
            waiting.lines.append(line)
            waiting.bytes += line.bytes
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if begins { queue.async { self.writeWaiting() } }
    }

    private func writeWaiting() {
        while let (lines, lost) = take() {
            for line in lines {
                output(line)
                waiting.withLock { $0.bytes -= line.bytes }
            }
            if lost > 0 { output(Line(level: .warning, text: "\(lost) lines of this log were lost: it was not read")) }
        }
    }

    /// What waits, and how many were lost after it; nil: nothing.
    private func take() -> ([Line], lost: Int)? {
        waiting.withLock { waiting in
            guard !waiting.lines.isEmpty || waiting.lost > 0 else {
                waiting.isWriting = false
                return nil
            }
            defer { (waiting.lines, waiting.lost) = ([], 0) }
            return (waiting.lines, waiting.lost)
        }
    }

    /// Waits until what was logged before is written, at most so long: for the end of the process.
    func flush(atMost patience: DispatchTimeInterval) {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + patience)
    }
}
