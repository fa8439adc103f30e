// notifyd's own command line: what it prints, where, and the exit status (trials T099, T103, T111).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct CommandLineTests {
    let directory: TemporaryDirectory
    let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.path("notifyd.json5")
    }

    private func notifyd(_ arguments: String..., environment: [String: String?] = [:]) async throws -> Command.Outcome {
        try await Command.run(Checkout.program("notifyd"), arguments, environment: environment, timeout: .seconds(30))
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

    @Test func `what was asked for goes to stdout, with status 0`() async throws {
        for (option, words) in [("--help", "Usage: notifyd"), ("-h", "Usage: notifyd"), ("--version", "notifyd 0.")] {
            let outcome = try await notifyd(option)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(option): \(outcome.summary)")
            #expect(outcome.output.hasPrefix(words), "\(option): \(outcome.summary)")
        }
    }

    @Test func `the help names every exit status`() async throws {
        let help = try await notifyd("--help").output
        for status in ["0", "64", "69", "70", "73", "78"] { #expect(help.split { !$0.isNumber }.contains(status[...])) }
    }

    static let wrong: [[String]] = [
        ["--nope"], ["word"], ["--config"], ["--socket"], ["--log-level"], ["--log-level", "loud"],
        ["--check-config=yes"], ["-x"], ["--", "word"],
    ]

    @Test(arguments: wrong) func `wrong usage is one sentence and 64`(arguments: [String]) async throws {
        let outcome = try await Command.run(Checkout.program("notifyd"), arguments, timeout: .seconds(30))
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome.summary)")
        #expect(outcome.errors.hasPrefix("notifyd: ") && outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.contains("--help"))
    }

    @Test func `check-config says which files it has read when all is well`() async throws {
        for text in ["{}", "{ mode: '0660', limits: { clients: 5, }, } // good"] {
            try write(text)
            let outcome = try await notifyd("--check-config", "--config", file)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.summary)")
            #expect(outcome.output == "ok: \(file)\n")
        }
    }

    @Test func `a mistyped option is told with the one that was meant`() async throws {
        let outcome = try await notifyd("--check-confg")
        #expect(outcome.status == 64 && outcome.errors.contains("did you mean '--check-config'?"), "\(outcome.summary)")
        #expect(try await notifyd("--frobnicate").errors.contains("did you mean") == false)
    }

    @Test func `check-config says what is wrong, and 78`() async throws {
        try write("{ limits: { clients: 'many' } }")
        for option in ["--check-config", "--print-config"] {
            let outcome = try await notifyd(option, "--config", file)
            #expect(outcome.status == 78 && outcome.output.isEmpty)
            #expect(outcome.errors.contains(file) && outcome.errors.contains("limits.clients"), "\(outcome.summary)")
        }
        let missing = try await notifyd("--check-config", "--config", directory.path("none"))
        #expect(missing.status == 78 && missing.errors.contains(directory.path("none")))
    }

    @Test func `print-config shows what counts, and can be read again`() async throws {
        try write("{ mode: '0660', log_level: 'debug', socket: '/a/\"b\\\\', limits: { clients: 5 } }")
        let first = try await notifyd("--print-config", "--config", file)
        #expect(first.status == 0)
        for part in [#""mode": "0660""#, #""log_level": "debug""#, #""clients": 5"#, #""line_bytes": 1048576"#] {
            #expect(first.output.contains(part), "\(first.output)")
        }
        try write(first.output)
        #expect(try await notifyd("--print-config", "--config", file).output == first.output)
        #expect(
            try await notifyd("--print-config", "--config", file, "--log-level", "error").output.contains(#""error""#))
    }

    @Test func `a path of 107 bytes works, a longer one is refused with the numbers`() async throws {
        for (extra, isTaken) in [(0, true), (1, false), (2, false), (193, false)] {
            let stem = directory.url.path + "/"
            let path = stem + String(repeating: "s", count: 107 + extra - stem.utf8.count)
            if isTaken {
                let daemon = try TestDaemon(socket: path)
                try daemon.client().must(#"{"op":"ping"}"#)
                #expect(daemon.end() == 0)
            } else {
                let outcome = try await notifyd("--socket", path)
                #expect(outcome.status == 73 && outcome.errors.contains("107"), "\(outcome.summary)")
                #expect(outcome.errors.contains(String(107 + extra)))
            }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test func `bytes count, not characters, and none is cut in two`() async throws {
        let stem = directory.url.path + "/"
        let path = stem + String(repeating: "s", count: 106 - stem.utf8.count) + "é"
        let outcome = try await notifyd("--socket", path)
        #expect(outcome.status == 73 && outcome.errors.contains("108"), "\(outcome.summary)")
    }

    @Test func `no place, no directory, an empty path: one sentence and 73`() async throws {
        for path in ["", "@", directory.path("none/socket"), "/proc/socket"] {
            let outcome = try await notifyd("--socket", path)
            #expect(
                outcome.status == 73 && outcome.errors.split(separator: "\n").count == 1, "\(path): \(outcome.summary)")
        }
    }
}
