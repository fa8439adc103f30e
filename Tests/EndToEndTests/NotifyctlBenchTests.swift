// `notifyctl bench` against a daemon: that its figures are there and whole, never how good they are.

import Foundation
import Glibc
import NotifyTestSupport
import Testing

@Suite("notifyctl bench", .timeLimit(.minutes(2)))
struct NotifyctlBenchTests {
    @Test("measures every run, for programs, and loses nothing on the way")
    func json() async throws {
        let bench = try await ToolBench()
        let outcome = await bench.run("bench", "--count=3000", "--posters=2", "--listeners=2", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.errors == [])
        #expect(outcome.output.count == 1)
        let report = JSON(outcome.output.first ?? "")
        #expect(report["posters"] == .integer(2))
        let runs = report["runs"].elements
        #expect(
            runs.map { $0["run"] } == ["raw", "typed", "main-actor", "raw-latency", "typed-latency"].map(JSON.string))
        for run in runs {
            #expect(run["messages"] == .integer(3000))
            #expect(run["misplaced"] == .integer(0))
            let figures =
                run["run"].text?.hasSuffix("latency") == true
                ? ["p50_ns", "p90_ns", "p99_ns", "p99.9_ns", "max_ns"] : ["per_second"]
            let values = figures.compactMap { run[$0].int }
            #expect(values.count == figures.count && values.allSatisfy { $0 > 0 }, "\(run)")
            #expect(values == values.sorted(), "\(run)")
        }
    }

    @Test("shows tables and a histogram to people, and no progress where no terminal is")
    func text() async throws {
        let bench = try await ToolBench()
        let outcome = await bench.run("bench", "--count=500", "--size=2000")
        #expect(outcome.status == 0)
        #expect(outcome.errors == [])
        #expect(outcome.output.first == "1 poster, 1 listener, raw payloads of 2000 B")
        for title in ["THROUGHPUT", "LATENCY, µs", "LATENCY, µs: raw", "LATENCY, µs: typed"] {
            #expect(outcome.output.contains { $0.hasPrefix(title) }, "\(title)")
        }
        #expect(outcome.output.contains { $0.contains("█") })
    }

    @Test(
        "shows on a terminal how far it is, and in the end bars that fit, in colours unless they are not wanted",
        .enabled("pyte can be installed") { await PythonPackages.python != nil },
        arguments: [false, true])
    func terminal(isPlain: Bool) async throws {
        let bench = try await ToolBench()
        var environment = ["NOTIFYD_SOCKET": bench.socket]
        if isPlain { environment["NO_COLOR"] = "1" }
        let terminal = try await TerminalSession(
            columns: 50, rows: 80, Checkout.program("notifyctl"), ["bench", "--count=2000"], environment: environment)
        try await terminal.ask("seen 1 of 5, raw: ")
        try await terminal.ask("seen 2 of 5, typed: ")
        #expect(try await terminal.ask("end").int == 0)
        let lines = try await terminal.screen()
        #expect(!lines.contains { $0.contains(" of 5, ") }, "it is gone")
        #expect(lines.contains { $0.hasSuffix("█") && $0.count == 50 }, "the longest bar takes all there is")
        #expect(lines.filter { $0.hasPrefix("LATENCY, µs: ") }.count == 2)
        #expect(try await terminal.ask("colours").bool == !isPlain)
    }

    @Test("leaves nobody behind at the daemon")
    func leavesNothing() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("bench", "--count=100").status == 0)
        let subscriptions = await bench.run("subscriptions", "--json")
        #expect(subscriptions.output == ["[]"])
    }

    /// A bench whose poster is at work: then there are messages.
    private func startForEver(_ bench: ToolBench) async throws -> RunningTool {
        let tool = try bench.start(["bench", "--count=1000000000"])
        while await bench.run("channels", "notifyctl.bench.*.messages", "--json").output == ["[]"] {}
        return tool
    }

    @Test("ends with 69 when the daemon goes away in the middle")
    func daemonGoes() async throws {
        let bench = try await ToolBench()
        let tool = try await startForEver(bench)
        bench.daemon.stop()
        #expect(await tool.status() == 69)
    }

    @Test("takes its processes with it, however it ends")
    func killed() async throws {
        let bench = try await ToolBench()
        let tool = try await startForEver(bench)
        tool.signal(SIGKILL)
        _ = await tool.status()
        // Their connections end with them.
        while await bench.run("subscriptions", "--json").output != ["[]"] {}
    }
}
