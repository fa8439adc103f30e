// Our side of the talk with the service manager: ready, status, reloading, stopping, watchdog. Without a manager all of
// it is silence. No message can block the daemon or end it: what cannot be sent is told once, through `warn`.
//
// The messages that systemd waits for (ready, reloading, stopping) are kept when its queue is full and go out, in their
// order, in front of a later one; a status or a ping is worth nothing later and is dropped.

import CSystemd
import Glibc

package struct ServiceManager: Sendable {
    /// The manager reads far more than this in a moment: with as many states waiting it reads none, and the oldest goes.
    static let waitingLimit = 8

    private var socket: NotifySocket?
    private var waiting: [String] = []
    private var hasWarned = false
    private let warn: @Sendable (String) -> Void

    /// How soon after each other the manager wants `watchdog()` calls at the latest; nil when it wants none.
    package let watchdogMicroseconds: UInt64?

    /// Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment, where children would inherit them.
    /// To be called once, before there is a second thread.
    package init(warn: @escaping @Sendable (String) -> Void) {
        var microseconds: UInt64 = 0
        // Asked for, or libsystemd is not even loaded.
        let watchdog = getenv("WATCHDOG_USEC") == nil ? 0 : csystemd_watchdog_enabled(1, &microseconds)
        self.init(
            notifySocket: getenv("NOTIFY_SOCKET").map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) },
            watchdogMicroseconds: watchdog > 0 ? microseconds : nil, warn: warn)
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
        if watchdog == -ELIBACC {
            warn("no watchdog: libsystemd.so.0 cannot be loaded")
        } else if watchdog < 0 {
            warn("no watchdog: WATCHDOG_USEC and WATCHDOG_PID are not a time and a process id")
        }
    }

    init(notifySocket: [UInt8]?, watchdogMicroseconds: UInt64?, warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
        self.watchdogMicroseconds = watchdogMicroseconds
        guard let notifySocket else { return }
        do throws(NotifySocket.Fault) {
            socket = try NotifySocket(address: notifySocket)
        } catch {
            warnOnce(error)
        }
    }

    /// Whether somebody asked to be told. (Whether it listens shows only when something is sent.)
    package var isPresent: Bool { socket != nil }

    /// Whether a state did not get through yet: any later message tries again.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Posts are served from now on; also ends a reload.
    package mutating func ready(status: String? = nil) {
        tell(["READY=1"] + Self.line(status), mustArrive: true)
    }

    /// One line for `systemctl status`.
    package mutating func status(_ text: String) {
        tell(Self.line(text), mustArrive: false)
    }

    /// A reload begins; `ready()` ends it. The time is CLOCK_MONOTONIC and has to be in the same datagram: it is how
    /// systemd 253 and later tell this reload from an earlier one.
    package mutating func reloading(monotonicMicroseconds: UInt64, status: String? = nil) {
        tell(["RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds)"] + Self.line(status), mustArrive: true)
    }

    package mutating func stopping(status: String? = nil) {
        tell(["STOPPING=1"] + Self.line(status), mustArrive: true)
    }

    /// The event loop still turns.
    package mutating func watchdog() {
        tell(["WATCHDOG=1"], mustArrive: false)
    }

    private mutating func tell(_ lines: [String], mustArrive: Bool) {
        guard let socket else { return }
        let message = lines.joined(separator: "\n")
        do throws(NotifySocket.Fault) {
            while let first = waiting.first {
                try socket.send(first)
                waiting.removeFirst()
            }
            try socket.send(message)
        } catch {
            warnOnce(error)
            if mustArrive && error.mayPassLater {
                waiting.append(message)
                waiting.removeFirst(max(0, waiting.count - Self.waitingLimit))
            }
        }
    }

    private mutating func warnOnce(_ fault: NotifySocket.Fault) {
        guard !hasWarned else { return }
        hasWarned = true
        warn("cannot tell the service manager how we are: NOTIFY_SOCKET: \(fault.reason)")
    }

    /// A newline in the text would start a line of its own in the protocol.
    private static func line(_ status: String?) -> [String] {
        guard let status else { return [] }
        return ["STATUS=" + String(decoding: status.utf8.map { $0 == UInt8(ascii: "\n") ? 0x20 : $0 }, as: UTF8.self)]
    }
}
