// A real notifyd under the conditions of a test: with this configuration, these variables, this umask. It has told by
// READY=1 that it serves before `init` returns, and dies with the last reference.

package import Foundation

package final class TestDaemon {
    package struct Failure: Error, CustomStringConvertible {
        package let status: Int32
        package let log: String
        package var description: String { "notifyd ended with status \(status): \(log)" }
    }

    package let directory: TemporaryDirectory
    package let socketPath: String
    package private(set) var pid: pid_t = 0
    private var readiness: Int32 = -1
    private var settings: Settings

    private struct Settings {
        var arguments: [String]
        var environment: [String: String]
        var prelude: String
    }

    /// - Parameters:
    ///   - configuration: the text of its file, JSON5.
    ///   - environment: variables set for it besides the test's own.
    ///   - prelude: shell commands that run before it in the same process, such as `umask 077`.
    package init(
        configuration: String = "{}", socket: String? = nil, arguments: [String] = [],
        environment: [String: String] = [:], prelude: String = ":"
    ) throws {
        directory = try TemporaryDirectory()
        socketPath = socket ?? directory.path("socket")
        settings = Settings(arguments: arguments, environment: environment, prelude: prelude)
        try configure(configuration)
        try Data().write(to: URL(filePath: directory.path("log")))
        try start()
    }

    deinit {
        if pid > 0 {
            kill(pid, SIGCONT)
            _ = end(SIGKILL)
        }
        if readiness >= 0 { close(readiness) }
    }

    /// Replaces the text of the configuration file; the daemon has not read it yet.
    package func configure(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: directory.path("notifyd.json5")))
    }

    /// Runs a line of shell.
    package func shell(_ line: String) throws {
        let pid = try Child.start(
            ["/bin/sh", "-c", line], environment: ProcessInfo.processInfo.environment, output: "/dev/null",
            errors: "/dev/null")
        let status = Child.status(of: pid) ?? -1
        guard status == 0 else { throw RawClient.Failure("\(line): status \(status)") }
    }

    package func client() throws -> RawClient { try RawClient(socketPath) }

    /// What it wrote to stderr and stdout. It does not wait for its log: see `waitForLog`.
    package var log: String { (try? String(contentsOfFile: directory.path("log"), encoding: .utf8)) ?? "" }

    /// Waits until the log contains all of these.
    package func waitForLog(_ texts: String...) throws {
        try wait("in the log: \(texts)") { texts.allSatisfy { log.contains($0) } }
    }

    // MARK: Its life

    /// Starts it, also again after it has ended, and waits until it says that it is ready.
    package func start() throws {
        if readiness < 0 { readiness = try Self.receiver(directory.path("ready")) }
        pid = try spawn()
        if settings.environment["NOTIFY_SOCKET"] != nil { return try waitForDoor() }
        var bytes = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<RawClient.patience {
            var entry = pollfd(fd: readiness, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 20) > 0 {
                let count = recv(readiness, &bytes, bytes.count, 0)
                if String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("READY=1") { return }
            } else if let status = waitedStatus(WNOHANG) {
                throw Failure(status: status, log: log)
            }
        }
        throw Failure(status: -1, log: log)
    }

    /// What it has told its service manager since it was ready, a datagram each.
    package func told() -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var told: [String] = []
        while case let count = recv(readiness, &bytes, bytes.count, 0), count > 0 {
            told.append(String(decoding: bytes.prefix(count), as: UTF8.self))
        }
        return told
    }

    /// Without a service manager to be told: waits until it takes a connection.
    private func waitForDoor() throws {
        for _ in 0..<RawClient.patience {
            if (try? RawClient(socketPath)) != nil { return }
            if let status = waitedStatus(WNOHANG) { throw Failure(status: status, log: log) }
            poll(nil, 0, 1)
        }
        throw Failure(status: -1, log: log)
    }

    package func signal(_ number: Int32) { kill(pid, number) }

    /// SIGSTOP: it is there but does nothing. The kernel stops one thread after the other: returns when all are.
    package func pause() throws {
        signal(SIGSTOP)
        try wait("stopped") { threadStates.allSatisfy { $0 == "T" } }
    }

    package func resume() { signal(SIGCONT) }

    /// Sends the signal and waits for the end; the exit status, or 128 + n for a death by signal n.
    @discardableResult
    package func end(_ number: Int32 = SIGTERM) -> Int32 {
        signal(number)
        return waitForEnd()
    }

    @discardableResult
    package func waitForEnd() -> Int32 { waitedStatus(0) ?? -1 }

    package var isRunning: Bool { pid > 0 && waitedStatus(WNOHANG) == nil }

    private func waitedStatus(_ options: Int32) -> Int32? {
        guard let status = Child.status(of: pid, options) else { return nil }
        pid = 0
        return status
    }

    private func spawn() throws -> pid_t {
        var variables = ProcessInfo.processInfo.environment
        variables["NOTIFY_SOCKET"] = directory.path("ready")
        variables.merge(settings.environment) { $1 }
        let words =
            ["/bin/sh", "-c", "\(settings.prelude); exec \"$0\" \"$@\"", Checkout.program("notifyd")]
            + ["--config", directory.path("notifyd.json5"), "--socket", socketPath] + settings.arguments
        return try Child.start(
            words, environment: variables, output: directory.path("log"), errors: directory.path("log"))
    }

    /// The socket that plays the service manager.
    private static func receiver(_ path: String) throws -> Int32 {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard RawClient.withAddress(path, { bind(descriptor, $0, $1) }) == 0 else {
            throw RawClient.Failure("bind \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    // MARK: What the kernel knows about it

    /// Processor time used, in clock ticks.
    package var ticks: Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    /// What each of its threads does, as proc(5) has it: R runs, S waits, T is stopped.
    private var threadStates: [Character] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return tasks.compactMap { task in
            let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last?.split(separator: " ").first?.first
        }
    }

    /// Whether all of its threads wait for something.
    package var isAsleep: Bool { !threadStates.contains("R") }

    /// Waits until it is asleep whenever one looks: something that spins is found awake within a few looks.
    package func waitUntilQuiet(_ after: String) throws {
        var looks = 0
        try wait("quiet after \(after)") {
            looks = isAsleep ? looks + 1 : 0
            return looks == 100
        }
    }

    /// Resident memory in KiB; `peak` the most it ever was.
    package var memory: Int { status("VmRSS") }
    package var peakMemory: Int { status("VmHWM") }

    package var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count ?? 0
    }

    private func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }) else { return 0 }
        return Int(line.split { !$0.isNumber }.first ?? "") ?? 0
    }

    // MARK: Conditions

    /// Waits until the condition holds; asks again and again, because the kernel tells nobody.
    package func wait(_ what: String, until condition: () throws -> Bool) throws {
        for _ in 0..<RawClient.patience {
            if try condition() { return }
            poll(nil, 0, 1)
        }
        throw RawClient.Failure("waited in vain: \(what); log: \(log.suffix(2000))")
    }

    /// Waits until the daemon counts this in `stats`, asked over `client`.
    package func wait(_ client: RawClient, _ name: String, _ value: Int) throws {
        try wait("stats.\(name) == \(value)") {
            try client.must("{\"op\":\"stats\"}").integer("stats", name) == value
        }
    }
}
