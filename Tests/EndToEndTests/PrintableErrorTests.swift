// What others have written, in a file, an argument or a request, is obeyed by no terminal that shows a log or an error.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct PrintableErrorTests {
    /// ESC, CSI in one character, the mark that turns a line around, and one that begins a line.
    private static let nasty = "\u{1B}[2J\u{9B}1m\u{202E}\u{2028}"
    private static let shown = "\\u001b[2J\\u009b1m\\u202e\\u2028"

    private func expectSafe(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let bad = text.unicodeScalars.filter { scalar in
            scalar != "\n" && (scalar.properties.generalCategory == .control || scalar.properties.isBidiControl)
                || scalar.value == 0x2028
        }
        #expect(bad.isEmpty, "\(text.debugDescription)", sourceLocation: sourceLocation)
    }

    /// Where a configuration can have it, escaped where it could not stand otherwise.
    static let files = [
        "{ '@': 1 }", "{ limits: { '@': 1 } }", "{ mode: '@' }", "{ socket: '@' }", "{ state_directory: '@' }",
        "{ log_level: '@' }", "{ access: [ { allow: '@' } ] }", "{ access: [ { allow: 'all', user: '@' } ] }",
        "{ access: [ { allow: 'all', group: '@' } ] }", "{ access: [ { allow: 'all', unit: '@' } ] }",
        "{ access: [ { allow: 'all', channels: 'a..@' } ] }", "{ channels: [ { pattern: '@..' } ] }",
        "{ quotas: [ { user: '@', limits: {} } ] }", "{ mode: \u{202E} }", "{ mode: '\\u0000\u{9B}' }",
    ]

    @Test(arguments: files) func `what a file says is shown in numbers`(text: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("notifyd.json5")
        let escaped = "\\u001b[2J\\u009b1m\\u202e\\u2028"
        for value in [escaped, String(Self.nasty.dropFirst())] {
            try Data(text.replacing("@", with: value).utf8).write(to: URL(filePath: path))
            let outcome = try await Command.run(Checkout.program("notifyd"), ["--check-config", "--config", path])
            #expect(outcome.status == 78 && outcome.errors.split(separator: "\n").count == 1, "\(outcome.summary)")
            expectSafe(outcome.errors)
            guard text.contains("@") else { continue }
            #expect(outcome.errors.contains("[2J\\u009b1m\\u202e\\u2028"), "\(outcome.summary)")
        }
    }

    @Test func `what arguments of notifyd say is shown in numbers`() async throws {
        for arguments in [
            [Self.nasty], ["--\(Self.nasty)"], ["--log-level", Self.nasty], ["--config", "/\(Self.nasty)"],
            ["--socket", "/\(Self.nasty)/s"],
        ] {
            let outcome = try await Command.run(Checkout.program("notifyd"), arguments, timeout: .seconds(30))
            #expect(outcome.status != 0 && outcome.errors.contains(Self.shown), "\(arguments): \(outcome.summary)")
            expectSafe(outcome.output + outcome.errors)
        }
        let directory = try TemporaryDirectory()
        let path = directory.path(Self.nasty)
        try Data("{ state_directory: '/a\\u202e', access: [ { deny: 'post' } ] }".utf8).write(to: URL(filePath: path))
        for action in ["--check-config", "--print-config"] {
            let outcome = try await Command.run(Checkout.program("notifyd"), [action, "--config", path])
            #expect(outcome.status == 0 && outcome.output.contains(Self.shown), "\(outcome.summary)")
            expectSafe(outcome.output + outcome.errors)
        }
    }

    @Test func `what clients say is shown in numbers in the log`() throws {
        let daemon = try TestDaemon(
            configuration: """
                { limits: { subscriptions_per_client: 1 }, access: [ { deny: 'post', channels: 'a' } ] }
                """)
        let client = try daemon.client()
        _ = try client.must("{\"op\":\"hello\",\"version\":1,\"name\":\"evil\u{202E}\u{2028}\"}")
        #expect(try client.ask(#"{"op":"post","channel":"a"}"#).code == "denied")
        try client.subscribe("b")
        #expect(try client.ask(#"{"op":"subscribe","channel":"c"}"#).code == "quota_exceeded")
        try daemon.waitForLog("has no right 'post' on a: ", "is refused: ", " 'evil\\u202e\\u2028' (")
        try daemon.configure("{ '\(Self.nasty.dropFirst())': 1 }")
        daemon.signal(SIGHUP)
        try daemon.waitForLog("[2J\\u009b1m\\u202e\\u2028: unknown key")
        expectSafe(daemon.log)
    }

    @Test func `what notifyctl says on standard error is shown in numbers`() async throws {
        let daemon = try TestDaemon()
        for arguments in [
            [Self.nasty], ["--\(Self.nasty)"], ["--socket", "/\(Self.nasty)", "ping"],
            ["post", "a", "--type", Self.nasty], ["post", "a", Self.nasty],
            ["post", "a", "\(Self.nasty)=1", "\(Self.nasty)=2"], ["explain", Self.nasty, "a"],
            ["listen", "a", "--buffer", Self.nasty], ["cancel", Self.nasty],
            ["listen", "a", "--format", "%\u{9B}"],
        ] {
            let all = arguments.contains("--socket") ? arguments : ["--socket", daemon.socketPath] + arguments
            let outcome = try await Command.run(Checkout.program("notifyctl"), all, timeout: .seconds(30))
            #expect(outcome.status != 0 && outcome.errors.contains("\\u"), "\(arguments): \(outcome.summary)")
            expectSafe(outcome.output + outcome.errors)
        }
    }
}
