// The log: one line per event to stderr, or an entry with fields to the journal when systemd connected it. Whoever logs
// never waits for it.

import Dispatch
import Glibc
import NotifyBroker
import NotifyLock
import NotifySystemd
import Synchronization

package final class Log: Sendable {
    package enum Level: Int32, CaseIterable, Sendable, Comparable {
        case error = 3
        case warning, notice, info, debug

        /// Spelled out: printing an enumeration by itself costs a search through all of the program's types.
        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            case .debug: "debug"
            }
        }

        package init?(_ name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private let threshold: Atomic<Int32>
    private let writer: LogWriter
    private let recent = Locked(RecentMessages())

    package init(level: Level) {
        threshold = Atomic(level.rawValue)
        let usesJournal = Journal.isConnected()
        writer = LogWriter { line in
            // What a client or a file says may be quoted.
            let line = line.printable
            if usesJournal, Journal.send(priority: line.level.rawValue, message: line.text, fields: line.fields) {
                return
            }
            Self.print(line)
        }
    }

    /// Waits until what was logged is written, but not for ever: the process is about to end.
    package func flush() { writer.flush(atMost: .seconds(1)) }

    package func setLevel(_ level: Level) {
        threshold.store(level.rawValue, ordering: .relaxed)
    }

    package func error(_ message: @autoclosure () -> String) { write(.error, message) }
    package func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
    package func notice(_ message: @autoclosure () -> String) { write(.notice, message) }
    package func info(_ message: @autoclosure () -> String) { write(.info, message) }

    func debug(_ message: @autoclosure () -> String, for peer: PeerRef) {
        guard Level.debug.rawValue <= threshold.load(ordering: .relaxed) else { return }
        let client = peer.pointee
        let who = Culprit(client: client.client, pid: client.pid, uid: client.uid, name: client.name)
        write(.debug, { "\(who.text): \(message())" }, fields: who.fields)
    }

    /// For what clients can cause at will, and for what stays as it is: the same message is written once in so many
    /// seconds.
    func limited(_ level: Level, _ message: String, every seconds: UInt64 = 10) {
        if isNew(message, for: seconds) { write(level, { message }) }
    }

    func isNew(_ message: String, for seconds: UInt64 = 10) -> Bool {
        let now = clock()
        return recent.withLock { $0.isNew(message, at: now, for: seconds) }
    }

    private func clock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec)
    }

    func write(_ level: Level, _ message: () -> String, fields: [(String, String)] = []) {
        guard level.rawValue <= threshold.load(ordering: .relaxed) else { return }
        writer.write(LogWriter.Line(level: level, text: message(), fields: fields))
    }

    private static func print(_ line: LogWriter.Line) {
        let bytes = Array("notifyd: \(line.level.name): \(line.text)\n".utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                // Whoever shares stderr with the daemon may have made it non-blocking.
                guard errno == EAGAIN || errno == EINTR else { return }
                var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            }
            start += max(0, count)
        }
    }
}
