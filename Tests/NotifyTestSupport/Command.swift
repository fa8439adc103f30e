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

        let variables = ProcessInfo.processInfo.environment
            .merging(environment.compactMapValues { $0 }) { $1 }
            .filter { environment[$0.key] != .some(nil) }
        let pid = try Child.start(
            [program] + arguments, environment: variables, directory: (directory ?? files.url).path,
            output: output.path, errors: errors.path)
        let deadline = Task {
            try await Task.sleep(for: timeout)
            kill(pid, SIGKILL)
        }
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Child.status(of: pid) ?? -1) }
        }
        deadline.cancel()

        return Outcome(
            status: status,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
