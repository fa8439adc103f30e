// What a listener may ask for that not every message comes to it: a share of a group, a pace, a queue that overflows.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl listen for some of the messages", .timeLimit(.minutes(2)))
struct NotifyctlShareTests {
    @Test("--group: each message comes to one of them")
    func group() async throws {
        let bench = try await ToolBench()
        var listeners: [RunningTool] = []
        for _ in 1...3 {
            listeners.append(
                try await bench.listen("a", "--group=workers", "--output=payload", "--no-reconnect"))
        }
        let lines = (1...300).map { "\($0)" }
        #expect(await bench.run("post", "a", "--lines", input: lines.joined(separator: "\n")).status == 0)
        // What was posted is delivered before it says goodbye.
        bench.daemon.stop()
        var shares: [[String]] = []
        for listener in listeners { shares.append(await listener.output.rest()) }
        #expect(shares.flatMap(\.self).compactMap { Int($0) }.sorted() == Array(1...300))
        #expect(shares.allSatisfy { !$0.isEmpty }, "\(shares.map(\.count))")
    }

    @Test("--min-interval: the first at once, then the latest")
    func minimumInterval() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--min-interval=2s", "-n2", "--output=payload")
        #expect(await bench.run("post", "a", "--lines", input: "1\n2\n3\n").status == 0)
        #expect(await listener.output.next() == "1")
        #expect(await listener.output.rest() == ["3"])
    }

    /// Posts far more than the kernel holds for a listener that does not read.
    private func flood(_ bench: ToolBench, _ listener: RunningTool) async {
        listener.signal(SIGSTOP)
        let input = String(repeating: "\"\(String(repeating: "x", count: 1000))\"\n", count: 5000)
        #expect(await bench.run("post", "a", "--lines", input: input).status == 0)
        listener.signal(SIGCONT)
    }

    @Test("--buffer=fail ends with 76 when its queue is full")
    func fail() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--buffer=fail:10", "--output=payload")
        await flood(bench, listener)
        #expect(await listener.status() == 76)
        #expect(await listener.errors.rest().last?.contains("behind by more than 10 messages") == true)
    }

    @Test("--buffer=latest keeps the latest, which is no loss for --fail-on-gap")
    func latest() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--buffer=latest", "--fail-on-gap", "--format=%q")
        await flood(bench, listener)
        let gap = try #require(await listener.errors.next())
        #expect(gap.hasSuffix(", coalesced)"), "\(gap)")
        var last = ""
        while last != "5000", let next = await listener.output.next() { last = next }
        #expect(last == "5000")
        listener.signal(SIGTERM)
        #expect(await listener.status() == 143)
    }
}
