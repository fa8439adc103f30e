// The rig: `with-systemd` boots a real systemd in namespaces of its own, with our units, programs and sysusers file in
// their installed places, and runs one scenario script in it. A scenario says line by line what it found:
//
//     ok - what was expected
//     not ok - what was expected: what was found instead
//
// and ends with status 0 when it came to its end.

import Foundation
import NotifyTestSupport
import Testing

enum Rig {
    /// Why scenarios cannot run here; nil when they can.
    static let obstacle: String? = {
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            return "with-systemd is not at \(tool); set NOTIFYD_WITH_SYSTEMD to its path"
        }
        let check = Process()
        let errors = Pipe()
        check.executableURL = URL(filePath: tool)
        check.arguments = ["--check"]
        check.standardError = errors
        do {
            try check.run()
        } catch {
            return "\(tool): \(error)"
        }
        let reason = errors.fileHandleForReading.readDataToEndOfFile()
        check.waitUntilExit()
        return check.terminationStatus == 0 ? nil : String(decoding: reason, as: UTF8.self)
    }()

    private static let tool =
        ProcessInfo.processInfo.environment["NOTIFYD_WITH_SYSTEMD"].flatMap { $0.isEmpty ? nil : $0 }
        ?? Checkout.root.appending(path: "../shared/tools/with-systemd").standardized.path

    private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// Where `make install` would put things.
    static let installed = [
        "systemd/system/notifyd.socket:/usr/local/lib/systemd/system/notifyd.socket",
        "systemd/system/notifyd.service:/usr/local/lib/systemd/system/notifyd.service",
        "systemd/user/notifyd.socket:/usr/local/lib/systemd/user/notifyd.socket",
        "systemd/user/notifyd.service:/usr/local/lib/systemd/user/notifyd.service",
        "systemd/sysusers/notifyd.conf:/usr/local/lib/sysusers.d/notifyd.conf",
        "\(Checkout.program("notifyd")):/usr/local/bin/notifyd",
        "\(Checkout.program("notifyctl")):/usr/local/bin/notifyctl",
    ]

    /// A checkout where `make build` has been, at /usr/local/src/notifyd.
    static let checkout =
        ["Makefile", "systemd", "config", "Sources/Manual"].map { "\($0):/usr/local/src/notifyd/\($0)" }
        + ["notifyd", "notifyctl"].map {
            "\(Checkout.program($0)):/usr/local/src/notifyd/.build/release/\($0)"
        }

    /// Boots with `files` in place (`SOURCE:PLACE`), runs `Scenarios/NAME.py`, and records an issue for everything that it
    /// found otherwise than expected.
    static func run(
        _ scenario: String, copying files: [String] = installed, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let scenarios = "Tests/SystemdTests/Scenarios:/usr/local/lib/notifyd-scenarios"
        let directory = try TemporaryDirectory()
        let journal = directory.path("journal")
        let outcome = try await Command.run(
            tool,
            ["--timeout", "100", "--journal", journal]
                + (files + [scenarios]).flatMap { ["--copy", $0.hasPrefix("/") ? $0 : "\(Checkout.root.path)/\($0)"] }
                + ["--", "python3", "-B", "/usr/local/lib/notifyd-scenarios/\(scenario).py"],
            environment: ["PATH": path, "NOTIFYD_SOCKET": nil],
            timeout: .seconds(130))

        judge(outcome, sourceLocation) {
            "\nthe journal:\n" + ((try? String(contentsOfFile: journal, encoding: .utf8)) ?? "none")
        }
    }

    /// Runs `Scenarios/NAME.py` without a systemd: it plays systemd's part itself.
    static func play(_ scenario: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let script = Checkout.root.appending(path: "Tests/SystemdTests/Scenarios/\(scenario).py").path
        let outcome = try await Command.run("python3", ["-B", script, Checkout.products.path])
        judge(outcome, sourceLocation) { "" }
    }

    private static func judge(_ outcome: Command.Outcome, _ place: SourceLocation, background: () -> String) {
        let lines = outcome.output.split(separator: "\n")
        let failures = lines.filter { $0.hasPrefix("not ok - ") }
        for failure in failures {
            Issue.record("\(String(failure))", sourceLocation: place)
        }
        if !failures.isEmpty || outcome.status != 0 {
            Issue.record("\(outcome.summary)\(background())", sourceLocation: place)
        }
        #expect(lines.contains { $0.hasPrefix("ok - ") }, sourceLocation: place)
    }
}
