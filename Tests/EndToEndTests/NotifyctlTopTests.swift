// `notifyctl top` on a real terminal, and in a pipe.

import Foundation
import NotifyTestSupport
import Testing

@Suite(
    "notifyctl top on a terminal", .timeLimit(.minutes(3)),
    .enabled("pyte can be installed") { await PythonPackages.python != nil })
struct NotifyctlTopTests {
    private func top(
        _ bench: ToolBench, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
    ) async throws -> TerminalSession {
        try await TerminalSession(
            columns: columns, rows: rows, Checkout.program("notifyctl"), ["top", "-n", "100ms"],
            environment: ["NOTIFYD_SOCKET": bench.socket].merging(environment) { $1 })
    }

    /// The terminal is as it was, and the program has ended so.
    private func expectGivenBack(
        _ terminal: TerminalSession, status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await terminal.ask("end").int == status, sourceLocation: sourceLocation)
        #expect(try await terminal.ask("raw").bool == false, sourceLocation: sourceLocation)
        #expect(try await terminal.ask("alternate").bool == false, sourceLocation: sourceLocation)
        #expect(try await terminal.ask("hidden").bool == false, sourceLocation: sourceLocation)
    }

    @Test("shows the daemon, its keys do what they say, and q gives the terminal back")
    func keys() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("shop.*")
        #expect(await bench.run("post", "shop.cart", "1").status == 0)
        let terminal = try await top(bench)
        try await terminal.ask("await shop.cart")
        let lines = try await terminal.screen()
        #expect(lines.count == 24)
        #expect(lines[0].hasPrefix("notifyd 0.1.0  up "))
        #expect(lines[2] == "1 busiest channels, by POSTS/s  every 100ms")
        #expect(lines[23].hasPrefix("q quit"))
        #expect(try await terminal.ask("raw").bool == true)
        #expect(try await terminal.ask("alternate").bool == true)
        #expect(try await terminal.ask("hidden").bool == true)
        #expect(try await terminal.ask("colours").bool == true)
        try await terminal.ask("keys 2")
        try await terminal.ask("await 2 slowest subscriptions, by WAITING")
        try await terminal.ask("await \(listener.pid)")
        try await terminal.ask("keys s")
        try await terminal.ask("await by LAG")
        try await terminal.ask("keys \\t")
        try await terminal.ask("await 3 loudest posters")
        try await terminal.ask("keys +")
        try await terminal.ask("await every 200ms")
        try await terminal.ask("keys p")
        try await terminal.ask("await paused")
        try await terminal.ask("keys ?")
        try await terminal.ask("await Any key goes back.")
        // ESC alone is a key, too, and the next one counts.
        try await terminal.ask("keys \\x1b")
        try await terminal.ask("gone Any key goes back.")
        try await terminal.ask("keys ?")
        try await terminal.ask("await Any key goes back.")
        // An arrow key is none that we know, and none of its letters is one.
        try await terminal.ask("keys \\x1b[B")
        try await terminal.ask("keys q")
        try await expectGivenBack(terminal, status: 0)
    }

    @Test("follows the size of the terminal, down to a single cell")
    func sizes() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "shop.cart", "1").status == 0)
        let terminal = try await top(bench)
        try await terminal.ask("await shop.cart")
        try await terminal.ask("size 40 10")
        try await terminal.ask("await q quit  1-4 Tab table  s sort  p pause")
        let lines = try await terminal.screen()
        #expect(lines.count == 10)
        #expect(lines[9].hasPrefix("q quit"))
        try await terminal.ask("size 1 1")
        try await terminal.ask("gone q")
        try await terminal.ask("await n")
        try await terminal.ask("size 120 30")
        try await terminal.ask("await + - interval  ? help")
        #expect(try await terminal.screen()[29].hasPrefix("q quit"))
        try await terminal.ask("keys q")
        try await expectGivenBack(terminal, status: 0)
    }

    @Test("gives the terminal back when a signal ends it", arguments: [("INT", -2), ("TERM", -15), ("HUP", -1)])
    func signals(name: String, status: Int) async throws {
        let bench = try await ToolBench()
        let terminal = try await top(bench)
        try await terminal.ask("await busiest channels")
        try await terminal.ask("signal SIG\(name)")
        try await expectGivenBack(terminal, status: status)
    }

    @Test("the keys for interrupt and suspend do what they do elsewhere")
    func controlKeys() async throws {
        let bench = try await ToolBench()
        let terminal = try await top(bench)
        try await terminal.ask("await busiest channels")
        try await terminal.ask("keys \\x1a")
        try await terminal.ask("stopped")
        #expect(try await terminal.ask("raw").bool == false)
        #expect(try await terminal.ask("alternate").bool == false)
        try await terminal.ask("signal SIGCONT")
        try await terminal.ask("taken")
        try await terminal.ask("keys 3")
        try await terminal.ask("await loudest posters")
        try await terminal.ask("keys \\x03")
        try await expectGivenBack(terminal, status: -2)
    }

    @Test("says when the daemon is gone, and goes on when it is back")
    func restart() async throws {
        let daemon = try TestDaemon()
        let terminal = try await TerminalSession(
            columns: 80, rows: 24, Checkout.program("notifyctl"), ["top", "-n", "100ms"],
            environment: ["NOTIFYD_SOCKET": daemon.socketPath])
        try await terminal.ask("await busiest channels")
        daemon.end(SIGKILL)
        try await terminal.ask("await the daemon went away")
        try daemon.start()
        try await terminal.ask("gone the daemon")
        let poster = try daemon.client()
        _ = try poster.must("{\"op\":\"post\",\"channel\":\"after.all\"}")
        try await terminal.ask("await after.all")
        try await terminal.ask("keys q")
        try await expectGivenBack(terminal, status: 0)
    }

    @Test("names of others cannot write on the terminal")
    func names() async throws {
        let bench = try await ToolBench()
        let client = try RawClient(bench.socket)
        // Control characters the daemon refuses; what turns the line around is none.
        _ = try client.must(#"{"op":"hello","version":1,"name":"evil\u202e世界"}"#)
        let terminal = try await top(bench, columns: 120)
        try await terminal.ask("keys 3")
        try await terminal.ask("await (evil\\u202e世")
        try await terminal.ask("keys q")
        try await expectGivenBack(terminal, status: 0)
    }

    @Test("paints nothing with NO_COLOR, and draws nothing with TERM=dumb")
    func plain() async throws {
        let bench = try await ToolBench()
        let plain = try await top(bench, environment: ["NO_COLOR": "1"])
        try await plain.ask("await busiest channels")
        try await plain.ask("keys q")
        try await expectGivenBack(plain, status: 0)
        #expect(try await plain.ask("colours").bool == false)
        let dumb = try await top(bench, environment: ["TERM": "dumb"])
        try await dumb.ask("await loudest posters")
        #expect(try await dumb.ask("alternate").bool == false)
        try await expectGivenBack(dumb, status: 0)
    }
}

@Suite("notifyctl top in a pipe", .timeLimit(.minutes(2)))
struct NotifyctlTopPipeTests {
    @Test("is one look at each table, with no control character")
    func once() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("shop.*")
        #expect(await bench.run("post", "shop.cart", "1").status == 0)
        let outcome = await bench.run("top", "-n", "100ms")
        #expect(outcome.status == 0)
        #expect(outcome.output.filter { $0.hasPrefix("notifyd 0.1.0") }.count == 1)
        #expect(outcome.output.contains { $0.hasPrefix("shop.cart ") })
        #expect(outcome.output.contains { $0.hasPrefix("shop.* ") && $0.contains(" \(listener.pid) ") })
        #expect(outcome.output.contains { $0.hasPrefix("3 loudest posters") })
        #expect(outcome.output.contains { $0.hasPrefix("uid ") })
        #expect(!outcome.output.contains { $0.contains("\u{1B}") || $0.contains("quit") })
    }

    @Test("--json is one object")
    func json() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "shop.cart", "1").status == 0)
        let outcome = await bench.run("top", "-n100ms", "--json")
        #expect(outcome.output.count == 1)
        let report = JSON(outcome.output.first ?? "")
        #expect(report.keys == ["version", "interval_s", "rates", "channels", "subscriptions", "posters", "accounts"])
        #expect(report["channels"][0]["channel"].text == "shop.cart")
        #expect(report["channels"][0]["posts_per_s"].int == 0)
        #expect(report["posters"].elements.count == 1)
        #expect(report["accounts"].elements.count == 1 && report["accounts"][0]["uid"] != .null)
    }

    @Test("wants an interval that makes sense, and a daemon")
    func refused() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("top", "-n", "10ms").status == 64)
        #expect(await bench.run("top", "-n", "61").status == 64)
        #expect(await bench.run("top", "--socket", bench.directory.path("nothing")).status == 69)
    }
}
