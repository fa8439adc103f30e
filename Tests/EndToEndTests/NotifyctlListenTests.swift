// The built tool listens to the built daemon.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl listen", .timeLimit(.minutes(2)))
struct NotifyctlListenTests {
    @Test("prints the message line as it came in a pipe, and ends with 0 after --count")
    func json() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("shop.*", "-n", "1")
        #expect(await bench.run("post", "other", "0").status == 0)
        #expect(await bench.run("post", "shop.cart", "{\"a\": 1.0}", "-s", "cart-42").status == 0)
        let line = try #require(await listener.output.next())
        #expect(line.hasPrefix("{\"op\":\"message\","))
        #expect(line.contains("\"payload\":{\"a\": 1.0}"))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["channel"] as? String == "shop.cart")
        #expect(object?["subject"] as? String == "cart-42")
        #expect(await listener.status() == 0)
        #expect(await listener.output.rest() == [])
    }

    @Test("writes each message when it comes, not when a buffer is full")
    func flushes() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--output=payload")
        for number in 1...3 {
            #expect(await bench.run("post", "a", "\(number)").status == 0)
            #expect(await listener.output.next() == "\(number)")
        }
    }

    @Test("a message that matches several patterns is printed once")
    func overlapping() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a.*", "a.>", "a.b", "c", "-n3", "--format=%c %p")
        for (channel, payload) in [("a.b", "1"), ("c", "2"), ("a.b.c", "3")] {
            #expect(await bench.run("post", channel, payload).status == 0)
        }
        #expect(await listener.output.rest() == ["a.b 1", "c 2", "a.b.c 3"])
    }

    @Test("-t, -s and --from-uid choose")
    func filters() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen(
            "a", "-tT", "-sS", "--from-uid=\(getuid())", "--output=payload", "-n1")
        for words in [["1"], ["2", "-tT"], ["3", "-sS"], ["4", "-tU", "-sS"], ["5", "-tT", "-sS"]] {
            #expect(await bench.run(["post", "a"] + words).status == 0)
        }
        #expect(await listener.output.rest() == ["5"])
        let nobody = try await bench.listen("a", "--from-uid=\(getuid() + 1)", "--output=payload")
        #expect(await bench.run("post", "a", "6").status == 0)
        nobody.signal(SIGTERM)
        #expect(await nobody.output.rest() == [])
    }

    @Test("-0 ends records with NUL")
    func nul() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-0", "--output=payload", "-n2")
        #expect(await bench.run("post", "a", "--lines", input: "1\n2\n").status == 0)
        #expect(await listener.output.rest() == ["1\0" + "2\0"])
    }

    @Test("--timeout ends with 124, whether something came or not")
    func timeout() async throws {
        let bench = try await ToolBench()
        let silent = await bench.run("listen", "a", "--timeout=50ms")
        #expect(silent.status == 124)
        #expect(silent.output + silent.errors == [])
        let some = await bench.run("listen", "a", "--replay=retained", "--timeout=0.05", "-n5")
        #expect(some.status == 124)
    }

    @Test("--idle ends with 0, but with 124 short of --count")
    func idle() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("listen", "a", "--idle=50ms").status == 0)
        #expect(await bench.run("listen", "a", "--idle=50ms", "-n1").status == 124)
    }

    @Test("--timeout ends a listener whose reader is stuck")
    func stuckReader() async throws {
        let bench = try await ToolBench()
        let large = "\"\(String(repeating: "x", count: 500_000))\""
        #expect(await bench.run("post", "a", "--retain", "-", input: large).status == 0)
        // Nobody reads the pipe before the listener has ended, and it holds far less than the message.
        let line = "exec 3< <(exec $ctl listen a --replay retained --timeout 0.3); wait $!; echo $?"
        #expect(try await bench.shell(line).output == ["124"])
    }

    @Test("--until-live shows what is retained on all patterns and ends")
    func untilLive() async throws {
        let bench = try await ToolBench()
        for channel in ["a.1", "a.2", "b"] { #expect(await bench.run("post", channel, "1", "--retain").status == 0) }
        let listen = await bench.run("listen", "a.*", "b", "a.>", "--replay=retained", "--until-live", "--format=%c")
        #expect(listen.status == 0)
        #expect(listen.output.sorted() == ["a.1", "a.2", "b"])
        let nothing = await bench.run("listen", "c", "--replay=retained", "--until-live")
        #expect(nothing.status == 0)
        #expect(nothing.output == [])
    }

    @Test("goes on after the daemon was away, and says so once")
    func reconnect() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--output=payload")
        bench.daemon.stop()
        let farewell = try #require(await listener.errors.next())
        #expect(farewell.hasPrefix("notifyctl: listen: the daemon went away ("))
        #expect(farewell.hasSuffix("); waiting for it to come back"))
        try await bench.daemon.start()
        #expect(await listener.errors.next(containing: "the daemon is back") != nil)
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.next() == "1")
    }

    @Test("--no-reconnect ends with 69 when the daemon goes away", arguments: [SIGTERM, SIGKILL])
    func noReconnect(signal: Int32) async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--no-reconnect")
        signal == SIGKILL ? bench.daemon.kill() : bench.daemon.stop()
        #expect(await listener.status() == 69)
        #expect(await listener.errors.rest().count == 1)
    }

    @Test("--fail-on-gap ends with 76 after what stood before the gap")
    func failOnGap() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--buffer=newest:1", "--fail-on-gap", "--output=payload")
        listener.signal(SIGSTOP)
        let input = String(repeating: "\"\(String(repeating: "x", count: 1000))\"\n", count: 20_000)
        #expect(await bench.run("post", "a", "--lines", input: input).status == 0)
        listener.signal(SIGCONT)
        #expect(await listener.status() == 76)
        let errors = await listener.errors.rest()
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("notifyctl: listen: gap on a: ") == true)
        #expect(errors.first?.hasSuffix(", overflow)") == true)
    }

    @Test("Ctrl-C ends it by the signal, so that a shell's loop stops")
    func interrupt() async throws {
        let bench = try await ToolBench()
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let listener = try await bench.listen("a")
            listener.signal(signal)
            #expect(await listener.status() == 128 + signal)
            #expect(await listener.diedBySignal())
            #expect(await listener.errors.rest() == [])
        }
    }

    @Test("a signal that was ignored stays ignored")
    func nohup() async throws {
        let bench = try await ToolBench()
        let line = "trap '' HUP; exec $ctl listen a -v -n1 --output=payload"
        let listener = try RunningTool(
            "/bin/bash", ["-c", line],
            environment: ["ctl": Checkout.program("notifyctl"), "NOTIFYD_SOCKET": bench.socket])
        _ = await listener.errors.next(containing: "connected")
        listener.signal(SIGHUP)
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.rest() == ["1"])
        #expect(await listener.status() == 0)
    }

    @Test("does not end because its standard input does")
    func standardInputEnds() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--output=payload", "-n1")
        try listener.endInput()
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.rest() == ["1"])
    }
}
