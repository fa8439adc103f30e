// The daemon is restarted while a post is under way: it goes to the next one, once, or is told to be in doubt.

import Foundation
import Glibc
import NotifyTestSupport
import Testing

@Suite("notifyctl and a daemon that is restarted", .timeLimit(.minutes(2)))
struct NotifyctlRestartTests {
    @Test(
        "what is read from standard input after a restart goes to the next daemon",
        arguments: ["-", "--lines"], [SIGTERM, SIGKILL])
    func input(word: String, signal: Int32) async throws {
        let bench = try await ToolBench()
        let tool = try bench.start(["post", "a", word, "-v"])
        #expect(await tool.errors.next(containing: "connected to") != nil)
        signal == SIGKILL ? bench.daemon.kill() : bench.daemon.stop()
        try await bench.daemon.start()
        await tool.write("1\n")
        try tool.endInput()
        #expect(await tool.status() == 0)
        #expect(await tool.output.rest() == ["seq 1, pos 1, matched 0, dropped 0"])
        #expect(await tool.errors.rest() == [])
    }

    @Test(
        "a request that the daemon says goodbye to goes to the next one, also if -v has had an answer",
        arguments: [["post", "a", "1"], ["clear", "a"]], [[], ["-v"]])
    func goodbye(command: [String], options: [String]) async throws {
        let peer = try ScriptedPeer()
        let tool = try RunningTool(
            Checkout.program("notifyctl"), command + options + ["--connect-timeout=60", "--socket", peer.path])
        let status = Task {
            let status = await tool.status()
            // A tool that ends too early shall not be waited for.
            close(try UnixSocket.connect(peer.path))
            return status
        }
        let first = await peer.acceptAndGreet()
        if options.contains("-v") { await first.send(#"{"op":"ok","id":\#(try #require(await first.id()))}"#) }
        #expect(await first.line()?.contains(#""op":"\#(command[0])""#) == true)
        await first.send(#"{"op":"bye","reason":"shutting_down"}"#)
        first.hangUp()
        let second = await peer.acceptAndGreet(epoch: "e2")
        let id = try #require(await second.id())
        await second.send(#"{"op":"ok","id":\#(id),"seq":1,"pos":1,"matched":0,"dropped":0}"#)
        #expect(try await status.value == 0)
    }

    @Test("a list that takes several answers is of one daemon, or ends with 69")
    func list() async throws {
        let peer = try ScriptedPeer()
        let tool = try RunningTool(
            Checkout.program("notifyctl"), ["channels", "--json", "--connect-timeout=60", "--socket", peer.path])
        let status = Task {
            let status = await tool.status()
            close(try UnixSocket.connect(peer.path))
            return status
        }
        let first = await peer.acceptAndGreet()
        let id = try #require(await first.id())
        await first.send(#"{"op":"ok","id":\#(id),"channels":[],"truncated":true,"next":"a"}"#)
        #expect(await first.line()?.contains(#""after":"a""#) == true)
        await first.send(#"{"op":"bye","reason":"shutting_down"}"#)
        first.hangUp()
        // The next to come are we.
        #expect(await peer.accept().line() == nil)
        #expect(try await status.value == 69)
        #expect(await tool.output.rest() == [])
    }

    @Test("of many lines none is lost, none comes twice and none overtakes, however often the daemon is restarted")
    func manyLines() async throws {
        let state = try TemporaryDirectory()
        let daemon = try TestDaemon(
            configuration: """
                { state_directory: "\(state.path("state"))",
                  channels: [{ pattern: "p", persist: true, history: { messages: 100000, bytes: 100000000 } }] }
                """)
        let environment = ["NOTIFYD_SOCKET": daemon.socketPath]
        let tool = try RunningTool(
            Checkout.program("notifyctl"), ["post", "p", "--lines", "-v"], environment: environment)
        #expect(await tool.errors.next(containing: "connected to") != nil)
        let (rounds, each) = (3, 5000)
        for round in 0..<rounds {
            await tool.write((1...each).map { "\(round * each + $0)\n" }.joined())
            daemon.end(SIGTERM)
            try daemon.start()
        }
        try tool.endInput()
        #expect(await tool.status() == 0)
        #expect(await tool.errors.rest() == [])
        let listener = try RunningTool(
            Checkout.program("notifyctl"),
            ["listen", "p", "--replay=\(2 * rounds * each)", "--until-live", "--output=payload"],
            environment: environment)
        #expect(await listener.output.rest().compactMap { Int($0) } == Array(1...rounds * each))
    }

    @Test("a daemon that goes without a goodbye ends --lines at the first line in doubt, and the next one gets nothing")
    func doubt() async throws {
        let peer = try ScriptedPeer()
        let tool = try RunningTool(
            Checkout.program("notifyctl"),
            ["post", "a", "--lines=text", "--no-wait", "--connect-timeout=60", "--socket", peer.path])
        let first = await peer.acceptAndGreet()
        await first.send(#"{"op":"ok","id":\#(try #require(await first.id()))}"#)
        // More than the socket takes, so that there are lines that have not gone out.
        await tool.write(String(repeating: String(repeating: "x", count: 10_000) + "\n", count: 100))
        let id = try #require(await first.id())
        await first.send(#"{"op":"ok","id":\#(id),"seq":1,"pos":1,"matched":0,"dropped":0}"#)
        #expect(await first.line() != nil)
        first.hangUp()
        #expect(await tool.status() == 69)
        let errors = await tool.errors.rest()
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("notifyctl: post: line 2: ") == true)
        #expect(errors.first?.contains("may or may not have been accepted") == true)
        #expect(errors.first?.hasSuffix("; 1 post was accepted") == true)
        // The next to come are we.
        close(try UnixSocket.connect(peer.path))
        #expect(await peer.accept().line() == nil)
    }

    @Test(
        "--wait-for-daemon waits for one that is not there yet, whatever is asked of it",
        arguments: [
            ["listen", "a", "--idle=10ms"], ["listen", "a", "--no-reconnect", "--idle=10ms"], ["post", "a", "1"],
            ["post", "a", "--lines"], ["clear", "a"], ["channels"], ["ping", "-n1"],
        ])
    func wait(command: [String]) async throws {
        let bench = try await ToolBench()
        bench.daemon.stop()
        let tool = try bench.start(command + ["--wait-for-daemon"])
        try tool.endInput()
        #expect(await tool.errors.next()?.hasSuffix("; waiting for it") == true)
        try await bench.daemon.start()
        #expect(await tool.status() == 0)
        #expect(await tool.errors.rest() == [])
    }

    @Test("--wait-for-daemon=DUR ends with 69 when none has come, and a --timeout of listen counts from the start")
    func waitInVain() async throws {
        let bench = try await ToolBench()
        bench.daemon.stop()
        let post = await bench.run("post", "a", "1", "--wait-for-daemon=200ms")
        #expect(post.status == 69)
        let reason = "no daemon at \(bench.socket): start it with notifyd --socket \(bench.socket)"
        #expect(post.errors == ["notifyctl: \(reason); waiting for it", "notifyctl: post: \(reason)"])
        #expect(await bench.run("listen", "a", "--timeout=200ms", "--wait-for-daemon=1h").status == 124)
    }
}
