// What the programs say of themselves with `--help`: commands, options, exit statuses.

import Foundation
import NotifyTestSupport

struct HelpText {
    struct Option: Hashable {
        /// `-n, --count=N`.
        var synopsis: String
        var help: String

        /// What it says its default is: `(default 5s)`.
        var standard: String? { help.firstMatch(of: /\(default ([^)\s]+)\)/).map { String($0.1) } }

        /// `-n` and `--count`.
        var names: [String] { synopsis.matches(of: /--?[A-Za-z0-9][A-Za-z0-9-]*/).map { String($0.output) } }
    }

    let text: String

    init(_ program: String, _ arguments: String...) async throws {
        let outcome = try await Command.run(Checkout.program(program), arguments + ["--help"])
        guard outcome.status == 0 else { throw Failure(outcome.summary) }
        text = outcome.output
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The first line without its first word.
    var usage: String {
        String(text.prefix { $0 != "\n" }.dropFirst("Usage: ".count))
    }

    /// The block below a line that begins so.
    func block(_ title: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.drop { !$0.hasPrefix(title) }.dropFirst().prefix { !$0.isEmpty })
    }

    func options(_ title: String) -> [Option] {
        var options: [Option] = []
        for line in block(title) {
            if let match = line.wholeMatch(of: /\ \ ((?:-\S, |    |)--.*?)(?:  +(.*))?/) {
                options.append(
                    Option(synopsis: match.1.trimmingCharacters(in: .whitespaces), help: String(match.2 ?? "")))
            } else if !options.isEmpty {
                options[options.count - 1].help += line.trimmingCharacters(in: .whitespaces)
            }
        }
        return options
    }

    /// The left column of a block and the right one.
    func rows(_ title: String) -> [(left: String, right: String)] {
        block(title).compactMap { line in
            line.wholeMatch(of: /\ \ (\S.*?)  +(.*)/).map { (String($0.1), String($0.2)) }
        }
    }
}
