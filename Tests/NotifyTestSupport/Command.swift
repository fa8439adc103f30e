// A program run to its end, with all it wrote. Output goes through files, not pipes, so that a process it leaves behind
// cannot hold up the test.

package import Foundation

package enum Command {
    package struct Outcome: Sendable {
        /// The exit status; 128 + n for a death by signal n.
        package let status: Int32
        package let output: String
        package let errors: String

        /// For the message of a failed expectation.
        package var summary: String { "status \(status)\n\(output)\(errors)" }
    }

    /// Runs `program` (a path, or a name found through PATH). `environment` is added to the test's own; a nil value
    /// removes a variable. After `timeout` the program is killed, which shows as status 137.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:], directory: URL? = nil,
        timeout: Duration = .seconds(120)
    ) async throws -> Outcome {
        let files = try TemporaryDirectory()
        let output = files.url.appending(path: "output")
        let errors = files.url.appending(path: "errors")
        for file in [output, errors] {
            try Data().write(to: file)
        }

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment.compactMapValues { $0 }) { $1 }
            .filter { environment[$0.key] != .some(nil) }
        process.currentDirectoryURL = directory ?? files.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)

        let ended = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        let pid = process.processIdentifier
        let deadline = Task {
            try await Task.sleep(for: timeout)
            kill(pid, SIGKILL)
        }
        for await _ in ended.stream {}
        deadline.cancel()

        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
