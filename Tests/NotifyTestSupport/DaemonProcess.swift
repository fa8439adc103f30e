// A real notifyd on a socket of its own, as built beside the tests. Dies with the last reference to it.

import Foundation
import NotifyLock

package final class DaemonProcess: Sendable {
    package let socketPath: String
    private let directory: TemporaryDirectory
    private let process = Locked<Process?>(nil)

    /// Starts the daemon and waits until it takes connections.
    package init(arguments: [String] = []) async throws {
        directory = try TemporaryDirectory()
        socketPath = directory.path("socket")
        try await start(arguments: arguments)
    }

    deinit {
        process.withLock { process in
            guard let process, process.isRunning else { return }
            Glibc.kill(process.processIdentifier, SIGCONT)
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    package var pid: Int32 { process.withLock { $0?.processIdentifier ?? 0 } }

    /// What it wrote to stderr.
    package var log: String { (try? String(contentsOfFile: directory.path("log"), encoding: .utf8)) ?? "" }

    /// Starts it again after `stop` or `kill`.
    package func start(arguments: [String] = []) async throws {
        let log = directory.path("log")
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(filePath: log)) }
        let file = try FileHandle(forWritingTo: URL(filePath: log))
        try file.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: Checkout.program("notifyd"))
        process.arguments = ["--socket", socketPath] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        try process.run()
        self.process.withLock { $0 = process }
        var door: Int32?
        while door == nil {
            guard process.isRunning else { throw DaemonFailure(log: self.log) }
            door = Self.connected(to: socketPath)
            if door == nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        guard let door else { return }
        defer { close(door) }
        // Who asks nothing is let go. A daemon that is slow to notice would count it beside a test's own connections.
        shutdown(door, Int32(SHUT_WR))
        while !Self.hasEnded(door) { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// SIGTERM: it drains, says bye and ends.
    package func stop() { end(SIGTERM) }

    /// SIGKILL: it is gone in the middle of whatever it did.
    package func kill() { end(SIGKILL) }

    /// SIGSTOP: it is there but does nothing. The kernel stops one thread after the other: returns when all are.
    package func pause() async throws {
        let pid = pid
        Glibc.kill(pid, SIGSTOP)
        let tasks = "/proc/\(pid)/task"
        while try !FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy({ task in
            // "812 (notifyd) T …"
            let stat = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
            return stat.split(separator: ") ").last?.first == "T"
        }) {
            await Task.yield()
        }
    }

    /// SIGCONT.
    package func resume() { Glibc.kill(pid, SIGCONT) }

    private func end(_ signal: Int32) {
        process.withLock { process in
            guard let process else { return }
            Glibc.kill(process.processIdentifier, signal)
            process.waitUntilExit()
        }
    }

    private static func connected(to path: String) -> Int32? {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if RawClient.withAddress(path, { connect(socket, $0, $1) }) == 0 { return socket }
        close(socket)
        return nil
    }

    /// Whether the daemon has closed it.
    private static func hasEnded(_ socket: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count: Int
        repeat { count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT)) } while count > 0
        return count == 0 || errno != EAGAIN
    }
}

package struct DaemonFailure: Error, CustomStringConvertible {
    let log: String
    package var description: String { "notifyd ended at once: \(log)" }
}
