// What must not compile does not, and the compiler says why. In the files below Misuses, `// error: …` and
// `// warning: …` tell what it says about the next line of code; it says nothing else.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: Compiler.isTheKnownOne, Compiler.unknown)) struct MisuseTests {
    struct Complaint: Hashable, CustomStringConvertible {
        let line: Int
        let kind: String
        let text: String
        var description: String { "\(line): \(kind): \(text)" }
    }

    @Test(arguments: ["Messages", "Calls", "Isolation"])
    func `a mistake is found, and nothing else is a mistake`(file: String) async throws {
        let path = Checkout.root.appending(path: "Tests/InterfaceTests/Misuses/\(file).swift").path
        let compiler = try await Compiler.run(["-typecheck", "-module-name", "Misuses"], [path])
        var said = complaints(of: compiler.errors, about: path)
        for complaint in try expected(in: path) {
            let found = said.firstIndex {
                $0.line == complaint.line && $0.kind == complaint.kind && $0.text.contains(complaint.text)
            }
            if let found { said.remove(at: found) }
            #expect(found != nil, "\(file).swift:\(complaint) was not said: \(compiler.errors)")
        }
        #expect(said.isEmpty, "\(file).swift")
    }

    private func expected(in path: String) throws -> [Complaint] {
        var complaints: [Complaint] = []
        var waiting: [(kind: Substring, text: Substring)] = []
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let code = line.trimmingPrefix(while: \.isWhitespace)
            if let said = code.wholeMatch(of: /\/\/ (error|warning): (.*)/) {
                waiting.append((said.1, said.2))
            } else if !code.isEmpty, !code.hasPrefix("//") {
                complaints += waiting.map {
                    Complaint(line: index + 1, kind: String($0.kind), text: String($0.text))
                }
                waiting = []
            }
        }
        #expect(!complaints.isEmpty && waiting.isEmpty)
        return complaints
    }

    private func complaints(of output: String, about path: String) -> [Complaint] {
        output.split(separator: "\n").compactMap { line in
            guard line.hasPrefix(path),
                let said = line.dropFirst(path.count).wholeMatch(of: /:(\d+):\d+: (error|warning): (.*)/)
            else { return nil }
            return Complaint(line: Int(said.1) ?? 0, kind: String(said.2), text: String(said.3))
        }
    }
}
