// A program on a terminal that others have written: terminal.py runs it on a pty and says what it shows.

import Foundation
import NotifyTestSupport
import Testing

/// A program and its terminal.
struct TerminalSession: Sendable {
    private let tool: RunningTool

    init(
        columns: Int, rows: Int, _ program: String, _ arguments: [String], environment: [String: String]
    ) async throws {
        let python = try #require(await PythonPackages.python)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "terminal.py").path
        tool = try RunningTool(
            python, ["-B", script, "\(columns)", "\(rows)", program] + arguments,
            environment: ["TERM": "xterm-256color"].merging(environment) { $1 })
    }

    /// The answer to a command of terminal.py; a command that waits in vain is an error that shows the screen.
    @discardableResult
    func ask(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
        await tool.write(command + "\n")
        guard let line = await tool.output.next() else {
            let errors = await tool.errors.rest().suffix(5)
            throw Failure(text: "\(command): the terminal is gone: \(errors.joined(separator: "\n"))")
        }
        let answer = JSON(line)
        if let error = answer["error"].text {
            let screen = answer["screen"].elements.compactMap(\.text).joined(separator: "\n")
            throw Failure(text: "\(error)\n\(screen)")
        }
        return answer
    }

    struct Failure: Error, CustomStringConvertible {
        var text: String
        var description: String { text }
    }

    /// The lines of the screen, without the spaces at their ends.
    func screen() async throws -> [String] {
        try await ask("screen").elements.map { line in
            String((line.text ?? "").reversed().drop { $0 == " " }.reversed())
        }
    }
}
