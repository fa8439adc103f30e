// Where recipes are tried: a directory with the programs of the page, and the daemon with its configuration.

import Foundation
import NotifyTestSupport

final class Kitchen {
    let files: PageFiles
    let daemon: TestDaemon

    init(configuration: String? = nil) throws {
        files = try PageFiles(of: "Recipes")
        daemon = try TestDaemon(
            configuration: configuration ?? String(contentsOfFile: files.path("recipes.json5"), encoding: .utf8),
            environment: ["STATE_DIRECTORY": files.path("state")])
    }

    /// Starts a line of shell in the directory; the line's first program is the process, and the head of a group.
    func start(_ line: String) throws -> RunningTool {
        let path = [files.directory.url.path, Checkout.products.path, "/usr/bin", "/bin"].joined(separator: ":")
        return try RunningTool(
            "/usr/bin/env", ["python3", "-c", Self.prelude, files.directory.url.path, line],
            environment: ["PATH": path, "NOTIFYD_SOCKET": daemon.socketPath])
    }

    /// A test's own threads have nearly all signals blocked, and what they start inherits that.
    private static let prelude = """
        import os, signal, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(sys.argv[1])
        os.execvp("bash", ["bash", "-c", "exec " + sys.argv[2]])
        """

    /// Runs a line of shell to its end.
    func run(_ line: String) async -> ToolOutcome {
        do {
            let tool = try start(line)
            try tool.endInput()
            async let output = tool.output.rest()
            async let errors = tool.errors.rest()
            return ToolOutcome(status: await tool.status(), output: await output, errors: await errors)
        } catch {
            return ToolOutcome(status: -1, output: [], errors: ["\(error)"])
        }
    }

    /// Kills it with all that it has started.
    func end(_ tool: RunningTool) async {
        for pid in Self.family(of: tool.pid) { kill(pid, SIGKILL) }
        _ = await tool.status()
    }

    private static func family(of pid: Int32) -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        let children = threads.flatMap { thread in
            let list = (try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/children", encoding: .utf8)) ?? ""
            return list.split(separator: " ").compactMap { Int32($0) }
        }
        return [pid] + children.flatMap { family(of: $0) }
    }

    /// Waits until there is such a file.
    func untilThere(_ name: String) async throws {
        try await until { FileManager.default.fileExists(atPath: files.path(name)) }
    }

    /// Waits until a file has so many lines.
    func untilLines(_ name: String, _ count: Int) async throws {
        try await until { try lines(name).count >= count }
    }

    /// Looks again and again: what the recipes' own scripts write nobody tells of.
    private func until(_ isSo: () throws -> Bool) async throws {
        while try !isSo() { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits until so many subscriptions to exactly this pattern are there.
    func subscribed(_ pattern: String, times: Int = 1) throws {
        let client = try daemon.client()
        var count = 0
        while count < times {
            try client.send(#"{"op":"subscriptions","id":1}"#)
            count = try client.line().text.matches(of: /"channel":"([^"]*)"/).count { $0.1 == pattern }
        }
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: files.path(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.path(name))
    }

    /// The lines of a file; none if there is no such file.
    func lines(_ name: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: files.path(name)) else { return [] }
        return try String(contentsOfFile: files.path(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
