// The built tool posts under conditions and for later, and asks for the past.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl with terms and the past", .timeLimit(.minutes(2)))
struct NotifyctlTermsTests {
    @Test("a condition that does not hold is a status: 1 for another seq, 79 for nobody there")
    func conditions() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--if-seq=0").status == 0)
        let conflict = await bench.run("post", "a", "2", "--if-seq=0")
        #expect(conflict.status == 1)
        #expect(conflict.errors.first?.hasSuffix("(conflict)") == true)
        #expect(await bench.run("post", "a", "2", "--if-seq=1").status == 0)
        let nobody = await bench.run("post", "a", "3", "--require-subscribers")
        #expect(nobody.status == 79)
        let listener = try await bench.listen("a", "-n1")
        #expect(await bench.run("post", "a", "3", "--require-subscribers").status == 0)
        #expect(await listener.status() == 0)
    }

    @Test("a post for later says its number, which cancels it once")
    func cancel() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--delay=1h").output == [])
        let post = await bench.run("post", "a", "2", "--at=2100-01-01T00:00:00Z", "-v")
        #expect(post.output == ["scheduled 2"])
        #expect(
            await bench.run("post", "a", "2", "--delay=1h", "--json").output == ["{\"schedule\":3}"])
        #expect(await bench.run("cancel", "2").status == 0)
        let gone = await bench.run("cancel", "2")
        #expect(gone.status == 1)
        #expect(gone.errors.first?.hasSuffix("(unknown_schedule)") == true)
    }

    @Test("a post for later comes later, and then with its number in the channel", arguments: ["--delay=2s", "--at"])
    func later(option: String) async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n2", "--format=%p %q")
        let time = Date.now.addingTimeInterval(3).formatted(.iso8601)
        #expect(await bench.run("post", "a", "1", option == "--at" ? "--at=\(time)" : option).status == 0)
        // By the test itself: a program may need longer to start than the other post waits.
        try RawClient(bench.socket).post("a", "2")
        #expect(await listener.output.rest() == ["2 1", "1 2"])
    }

    @Test("a --ttl ends what is retained")
    func timeToLive() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain", "--ttl=1h").status == 0)
        #expect(await bench.run("get", "a").status == 0)
        #expect(await bench.run("post", "a", "2", "--retain", "--ttl=10ms").status == 0)
        while await bench.run("get", "a").status != 1, !Task.isCancelled {}
    }

    @Test("--coalesce holds a post back, and a newer one replaces it")
    func coalesce() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n1", "--output=payload")
        #expect(await bench.run("post", "a", "1", "--coalesce=1h", "-v").output == ["held"])
        #expect(
            await bench.run("post", "a", "2", "--coalesce=1h", "--json").output == [#"{"held":true,"replaced":true}"#])
        // What is held back is posted when the daemon goes.
        bench.daemon.stop()
        #expect(await listener.output.rest() == ["2"])
    }

    @Test("--priority=high overtakes what waits")
    func priority() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n3001", "--format=%t")
        listener.signal(SIGSTOP)
        let payload = "\"\(String(repeating: "x", count: 1000))\"\n"
        let input = String(repeating: payload, count: 3000)
        #expect(await bench.run("post", "a", "--lines", "-tlow", "--priority=low", input: input).status == 0)
        #expect(await bench.run("post", "a", "-thigh", "--priority=high").status == 0)
        listener.signal(SIGCONT)
        let types = await listener.output.rest()
        #expect(types.count == 3001)
        #expect(types.firstIndex(of: "high").map { $0 < 3000 } == true)
    }

    @Test("a second post with the same --dedup is a duplicate")
    func dedup() async throws {
        let bench = try await ToolBench()
        let posts = [
            await bench.run("post", "a", "1", "--dedup=k", "-v"),
            await bench.run("post", "a", "2", "--dedup=k", "-v"),
        ]
        #expect(
            posts.map(\.output) == [
                ["seq 1, pos 1, matched 0, dropped 0"], ["seq 1, pos 1, matched 0, dropped 0, duplicate"],
            ])
    }

    @Test("listen --replay shows the past in every shape, then goes on or ends")
    func replay() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "--lines", input: "1\n2\n3\n4\n").status == 0)
        for (past, expected) in [
            ("2", ["3", "4"]), ("pos:1", ["2", "3", "4"]), ("1h", ["1", "2", "3", "4"]),
            ("2100-01-01T00:00:00Z", []), ("2000-01-01T00:00:00Z", ["1", "2", "3", "4"]),
            ("retained", []),
        ] {
            let listen = await bench.run(
                "listen", "a", "--replay=\(past)", "--until-live", "--output=payload")
            #expect(listen.status == 0, "\(past)")
            #expect(listen.output == expected, "\(past)")
            #expect(listen.errors == [], "\(past)")
        }
        let lost = await bench.run(
            "listen", "a", "--replay=pos:1/other", "--until-live", "--fail-on-gap")
        #expect(lost.status == 76)
        #expect(lost.errors == ["notifyctl: listen: gap: messages are missing (epoch)"])
        let listener = try await bench.listen("a", "--replay=1", "-n2", "--output=payload")
        #expect(await bench.run("post", "a", "5").status == 0)
        #expect(await listener.output.rest() == ["4", "5"])
    }
}
