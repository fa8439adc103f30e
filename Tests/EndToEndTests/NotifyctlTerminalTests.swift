// What messages say on a terminal, and that in a pipe every byte is as it came.

import Foundation
import NotifyTestSupport
import Testing

@Suite("Others' words", .timeLimit(.minutes(3)))
struct NotifyctlTerminalTests {
    /// C1 controls, DEL, what turns a line around, what nobody sees, tags, and white space that moves the cursor.
    private static let payload =
        "{\"a\":\r\"\u{9B}31m \u{9B}2J\u{7F}\u{202E}\u{2066}\u{200B}\u{E0041}\u{2028}\",\t\"ü👩\u{200D}💻\":1}"
    private static let onTerminal =
        #"{"a": "\u009b31m \u009b2J\u007f\u202e\u2066\u200b\udb40\udc41\u2028","#
    private static let type = "T\u{202E}\u{200B}"

    static let shapes: [[String]] = [
        ["--format", "%c %t %s %p"], ["--format", "%p"], ["--output", "payload"], ["--output", "cloudevents"],
        ["--output", "json"], ["--json"], ["--output", "pretty"], [], ["-0"],
    ]

    private func bench() async throws -> ToolBench {
        let bench = try await ToolBench()
        let poster = try RawClient(bench.socket)
        try poster.send(
            "{\"op\":\"post\",\"id\":1,\"channel\":\"t.x\",\"type\":\"\(Self.type)\",\"subject\":\"s\u{200B}\","
                + "\"retain\":true,\"payload\":\(Self.payload)}")
        #expect(try poster.line().op == "ok")
        return bench
    }

    /// What no terminal may get from others.
    private func bad(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.value {
            // The terminal makes CR and LF of LF.
            case 0x09, 0x0A, 0x0D: false
            case 0..<0x20, 0x7F..<0xA0, 0x200B, 0x2028...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: true
            default: false
            }
        }
    }

    private func shown(_ bench: ToolBench, _ arguments: [String]) async throws -> String {
        let terminal = try await TerminalSession(
            columns: 200, rows: 24, Checkout.program("notifyctl"), arguments,
            environment: ["NOTIFYD_SOCKET": bench.socket, "NO_COLOR": "1"])
        #expect(try await terminal.ask("end").int == 0)
        return try await terminal.ask("everything").text ?? ""
    }

    @Test(
        "are obeyed by no terminal, whatever the shape",
        .enabled("pyte can be installed") { await PythonPackages.python != nil },
        arguments: shapes)
    func terminal(shape: [String]) async throws {
        let bench = try await bench()
        for command in [["listen", "t.>", "--replay=retained", "-n1"], ["get", "t.x"]] {
            // The NUL of -0 is what was asked for.
            let text = try await shown(bench, command + shape).replacing("\0", with: "")
            #expect(bad(in: text).isEmpty, "\(text.debugDescription)")
            // The only CR is that of the end.
            #expect(text.count { $0 == "\r\n" || $0 == "\r" } <= 1, "\(text.debugDescription)")
            #expect(text.contains(#"\u009b31m"#) && text.contains("ü👩\u{200D}💻"), "\(text.debugDescription)")
            if !shape.isEmpty, !shape.contains("pretty") {
                #expect(text.contains(Self.onTerminal), "\(text.debugDescription)")
            }
            guard shape.contains("%c %t %s %p") else { continue }
            #expect(text.hasPrefix(#"t.x T\u202e\u200b s\u200b {"#), "\(text)")
        }
    }

    @Test(
        "that are JSON stay JSON on a terminal, and mean the same",
        .enabled("pyte can be installed") { await PythonPackages.python != nil },
        arguments: [["--json"], ["--output", "payload"], ["--output", "cloudevents"]])
    func meaning(shape: [String]) async throws {
        let bench = try await bench()
        let exact = await bench.run(["get", "t.x"] + shape).output.joined(separator: "\n")
        let text = try await shown(bench, ["get", "t.x"] + shape)
        let (one, other) = (
            try JSONSerialization.jsonObject(with: Data(exact.utf8)) as? NSDictionary,
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
        )
        #expect(one != nil && one == other, "\(text.debugDescription)")
    }

    @Test(
        "are obeyed by no terminal in lists, traces and explanations",
        .enabled("pyte can be installed") { await PythonPackages.python != nil })
    func lists() async throws {
        let bench = try await bench()
        let client = try RawClient(bench.socket)
        _ = try client.must("{\"op\":\"hello\",\"version\":1,\"name\":\"evil\u{202E}\"}")
        try client.subscribe("t.>", ",\"type\":\"\u{2066}T\"")
        for arguments in [
            ["channels", "--json"], ["clients", "--json"], ["subscriptions", "--json"], ["channels"], ["clients"],
            ["subscriptions"], ["stats", "--json"], ["top", "-n", "100ms", "--json"],
        ] {
            let text = try await shown(bench, arguments)
            #expect(text.count > 10 && bad(in: text).isEmpty, "\(arguments): \(text.debugDescription)")
        }
        let clients = await bench.run("clients", "--json").output
        #expect(clients.contains { $0.contains("evil\u{202E}") }, "in a pipe the bytes are exact: \(clients)")
    }

    @Test("are byte for byte what they were in a pipe")
    func pipe() async throws {
        let bench = try await bench()
        let listen = ["listen", "t.>", "--replay=retained", "-n1"]
        for (shape, whole) in [
            (["--output", "payload"], Self.payload), (["--format", "%p"], Self.payload),
            (["--format", "%c|%t|%s"], "t.x|\(Self.type)|s\u{200B}"),
        ] {
            let output = await bench.run(listen + shape).output
            #expect(output.map { Array($0.utf8) } == [Array(whole.utf8)], "\(shape)")
        }
        for shape in [["--json"], [], ["--output", "cloudevents"]] {
            let output = await bench.run(listen + shape).output
            #expect(output.count == 1 && output[0].contains(Self.payload), "\(shape): \(output)")
        }
    }
}
