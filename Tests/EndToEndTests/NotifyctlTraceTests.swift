// `notifyctl trace` with a real daemon and real listeners.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl trace", .timeLimit(.minutes(2)))
struct NotifyctlTraceTests {
    /// A trace that the daemon has.
    private func trace(_ bench: ToolBench, _ arguments: String...) async throws -> RunningTool {
        let tool = try bench.start(["trace", "-v"] + arguments)
        _ = try #require(await tool.errors.next(containing: "connected to"))
        return tool
    }

    @Test("shows who gets a post and who does not, with the names of the programs")
    func people() async throws {
        let bench = try await ToolBench()
        let reader = try await bench.listen("a.*")
        let other = try await bench.listen("a.b", "-t", "Other")
        let tool = try await trace(bench, "a.>", "-n", "2")
        // The daemon looks up who has posted: this poster is still there then.
        let poster = try bench.start(["post", "a.b", "--lines", "-s", "S"])
        await poster.write("1\n")
        let first = await tool.output.next()
        try poster.endInput()
        #expect(await poster.status() == 0)
        #expect(await bench.run("post", "a.b", "1", "--if-seq", "9").status == 1)
        #expect(await bench.run("post", "b", "1").status == 0)
        let lines = [first].compactMap(\.self) + (await tool.output.rest())
        #expect(await tool.status() == 0)
        #expect(lines.count == 4)
        #expect(lines.first?.contains("  a.b seq 1 S from client ") == true)
        #expect(lines.first?.contains(" notifyctl (process ") == true)
        #expect(lines.first?.hasSuffix(" (1 byte): 1 filtered, 1 sent") == true)
        let receivers = lines.dropFirst().prefix(2)
        #expect(receivers.contains { $0.contains("sent") && $0.contains("(process \(reader.pid) notifyctl, uid ") })
        #expect(
            receivers.contains { $0.contains("filtered  type") && $0.contains("(process \(other.pid) notifyctl, uid ") }
        )
        #expect(lines.last?.hasSuffix("refused: channel 'a.b': its seq is 1, not 9 (conflict)") == true)
    }

    @Test("--json gives each event as the daemon tells it")
    func json() async throws {
        let bench = try await ToolBench()
        let tool = try await trace(bench, "a", "-n1", "--json")
        #expect(await bench.run("post", "a", "1").status == 0)
        let event = JSON(try #require(await tool.output.next()))
        #expect(event["event"].text == "posted")
        #expect(event["seq"].int == 1)
        #expect(event["receivers"] == .array([]))
        #expect(await tool.status() == 0)
    }

    @Test("a channel that is too long to be traced is a mistake on the command line, its pattern is not")
    func long() async throws {
        let bench = try await ToolBench()
        let name = "a." + String(repeating: "x", count: 253)
        let refused = await bench.run("trace", name)
        #expect(refused.status == 64)
        #expect(
            refused.errors.first?.contains("is too long to be traced; a shorter pattern with * or > may do") == true)
        let tool = try await trace(bench, "a.*", "-n1", "--json")
        #expect(await bench.run("post", name, "1").status == 0)
        #expect(await tool.output.next()?.contains("\"channel\":\"\(name)\"") == true)
    }

    @Test("--timeout ends it with 124, a daemon that goes away with 69 if it is not to wait")
    func ends() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("trace", "a", "--timeout", "50ms").status == 124)
        let tool = try await trace(bench, "a", "--no-reconnect")
        kill(bench.daemon.pid, SIGKILL)
        #expect(await tool.status() == 69)
    }
}
