// The built tool posts to the built daemon.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl post", .timeLimit(.minutes(2)))
struct NotifyctlPostTests {
    @Test("says nothing, and a listener gets the payload byte for byte")
    func quiet() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a.b", "-n5", "--output=payload")
        let payloads = [
            "{\"z\":1,\"a\":[1.0, 18446744073709551616],\"a\":\"\\u00e9\\/\"}", "null", "-5",
            "\"é中😀‱𝄞\u{301}\u{2028}\u{85}\"", "\"\"",
        ]
        for payload in payloads {
            let post = await bench.run("post", "a.b", payload)
            #expect(post.status == 0)
            #expect(post.output == [])
            #expect(post.errors == [])
        }
        #expect(await listener.output.rest() == payloads)
        #expect(await listener.status() == 0)
    }

    @Test("-v and --json show the receipt")
    func receipt() async throws {
        let bench = try await ToolBench()
        let verbose = await bench.run("post", "a", "1", "-v")
        #expect(verbose.output == ["seq 1, pos 1, matched 0, dropped 0"])
        #expect(verbose.errors == ["notifyctl: connected to \(bench.socket) (notifyd 0.1.0)"])
        let json = await bench.run("post", "a", "1", "--json")
        #expect(json.output == ["{\"seq\":2,\"pos\":2,\"matched\":0,\"dropped\":0}"])
        #expect(json.errors == [])
    }

    @Test("- takes a document from standard input, over several lines")
    func standardInput() async throws {
        let bench = try await ToolBench()
        #expect(
            await bench.run("post", "a", "-", "--retain", input: "\n{\n \"k\" : 1.50 ,\n\t\"l\":\"é\"}\n\n").status == 0
        )
        let got = await bench.run("get", "a", "--output=payload")
        #expect(got.output == ["{  \"k\" : 1.50 , \t\"l\":\"é\"}"])
    }

    @Test(
        "- refuses what is no document",
        arguments: [
            ("", "standard input: empty, JSON is expected"), (" \n", "standard input: empty, JSON is expected"),
            (
                "{\"a\":\"b\nc\"}",
                "standard input: not JSON at byte 7: expected no unescaped control character in a string"
            ),
            ("1\n2\n", "standard input: not JSON at byte 2: expected the end of the line"),
        ])
    func noDocument(input: String, sentence: String) async throws {
        let bench = try await ToolBench()
        let post = await bench.run("post", "a", "-", input: input)
        #expect(post.status == 65)
        #expect(post.errors == ["notifyctl: post: \(sentence)"])
    }

    @Test("a document longer than a line may be is refused before it is all read")
    func longDocument() async throws {
        let bench = try await ToolBench()
        let post = await bench.run("post", "a", "-", input: "\"" + String(repeating: "x", count: 3 << 20) + "\"")
        #expect(post.status == 65)
        #expect(post.errors.count == 1)
        #expect(post.errors.first?.contains("longer than 1048576 bytes") == true)
    }

    /// After mosquitto#1475 and SwiftLint#4234 (T113): the last line without its newline was lost.
    @Test(
        "--lines posts every line, the last one with or without a newline",
        arguments: [
            ("{\"a\":1}\n{\"a\":2}", ["{\"a\":1}", "{\"a\":2}"]), ("{\"a\":3}", ["{\"a\":3}"]),
            ("1\r\n2\r\n", ["1", "2"]), ("\n1\n \n\n2\n", ["1", "2"]), ("\"é\u{2028}\u{85}\"", ["\"é\u{2028}\u{85}\""]),
        ])
    func lines(input: String, expected: [String]) async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n\(expected.count)", "--output=payload")
        let post = await bench.run("post", "a", "--lines", input: input)
        #expect(post.status == 0)
        #expect(post.output + post.errors == [])
        #expect(await listener.output.rest() == expected)
    }

    @Test("--lines=text posts each line as a string, empty ones too")
    func textLines() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n4", "--output=payload")
        #expect(await bench.run("post", "a", "--lines=text", input: "a \"b\"\r\n\n{\n\tc\u{1}").status == 0)
        #expect(await listener.output.rest() == ["\"a \\\"b\\\"\"", "\"\"", "\"{\"", "\"\\tc\\u0001\""])
    }

    /// After mosquitto#676, #1302 and #1448 (T115): empty input, or its end, hung the poster.
    @Test("--lines without a line posts nothing and is no error", arguments: ["", "\n", "\n\n  \n"])
    func noLines(input: String) async throws {
        let bench = try await ToolBench()
        let post = await bench.run("post", "a", "--lines", "-v", input: input)
        #expect(post.status == 0)
        #expect(post.output == [])
    }

    @Test("--lines is pipelined: very many lines, every receipt, in order")
    func manyLines() async throws {
        let bench = try await ToolBench()
        let count = 100_000
        let input = (1...count).map { "\($0)\n" }.joined()
        let post = await bench.run("post", "a", "--lines", "--json", input: input)
        #expect(post.status == 0)
        #expect(post.errors == [])
        #expect(post.output.count == count)
        #expect(post.output.first == "{\"seq\":1,\"pos\":1,\"matched\":0,\"dropped\":0}")
        #expect(post.output.last == "{\"seq\":\(count),\"pos\":\(count),\"matched\":0,\"dropped\":0}")
    }

    @Test("--lines stops at the first bad line and says which, and how many were accepted")
    func badLine() async throws {
        let bench = try await ToolBench()
        let post = await bench.run("post", "a", "--lines", input: "1\n\n2\n{oops}\n3\n")
        #expect(post.status == 65)
        #expect(post.errors.count == 1)
        #expect(
            post.errors.first?.hasPrefix("notifyctl: post: line 4: the payload is not valid JSON at byte 1: ") == true)
        #expect(post.errors.first?.hasSuffix("; 2 posts were accepted") == true)
        #expect(await bench.run("post", "a", "--json").output == ["{\"seq\":3,\"pos\":3,\"matched\":0,\"dropped\":0}"])
    }

    @Test("--lines stops at a line that is too long for the daemon")
    func longLine() async throws {
        let bench = try await ToolBench()
        let long = String(repeating: "x", count: 1 << 20)
        let post = await bench.run("post", "a", "--lines=text", input: "one\n\(long)\nthree\n")
        #expect(post.status == 65)
        #expect(post.errors.count == 1)
        #expect(post.errors.first?.hasPrefix("notifyctl: post: line 2: ") == true)
        #expect(post.errors.first?.hasSuffix("; 1 post was accepted") == true)
    }

    @Test(
        "--lines refuses a line without an end before memory is full",
        .disabled(if: Sanitizer.isPresent, "a sanitizer needs more address space than there is here"))
    func endlessLine() async throws {
        let bench = try await ToolBench()
        for option in ["--lines", "--lines=text", "-"] {
            let outcome = try await bench.shell(
                "tr '\\0' x < /dev/zero 2>/dev/null | (ulimit -v 2000000; $ctl post a \(option)); echo ${PIPESTATUS[1]}"
            )
            #expect(outcome.output == ["65"])
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("longer than 1048576 bytes") == true)
        }
    }

    @Test("--lines posts a line at once, while the input goes on")
    func slowInput() async throws {
        let bench = try await ToolBench()
        let tool = try bench.start(["post", "a", "--lines", "--json"])
        for number in 1...3 {
            await tool.write("\(number)\n")
            #expect(await tool.output.next() == "{\"seq\":\(number),\"pos\":\(number),\"matched\":0,\"dropped\":0}")
        }
        try tool.endInput()
        #expect(await tool.status() == 0)
    }

    @Test("--lines says how many were accepted when it is interrupted, and dies by that signal")
    func interrupted() async throws {
        let bench = try await ToolBench()
        for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
            let tool = try bench.start(["post", "a", "--lines", "--json"])
            await tool.write("1\n2\n")
            _ = await tool.output.next()
            _ = await tool.output.next()
            tool.signal(signal)
            #expect(await tool.status() == status)
            #expect(await tool.diedBySignal())
            #expect(await tool.errors.rest() == ["notifyctl: post: interrupted: 2 posts were accepted"])
        }
    }

    @Test("--lines ends with 69 when the daemon does not come back in time, although the input goes on")
    func daemonDies() async throws {
        let bench = try await ToolBench()
        let tool = try bench.start(["post", "a", "--lines", "--json", "--connect-timeout=1s"])
        await tool.write("1\n")
        #expect(await tool.output.next() != nil)
        bench.daemon.kill()
        await tool.write("2\n")
        #expect(await tool.status() == 69)
        let errors = await tool.errors.rest()
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("notifyctl: post: line 2: ") == true)
        #expect(errors.first?.hasSuffix("; 1 post was accepted") == true)
    }

    /// After natscli#1426 (T117): a payload on the command line, and still standard input was eaten.
    @Test("leaves standard input alone if the payload is an argument")
    func standardInputUntouched() async throws {
        let bench = try await ToolBench()
        let loop = "printf '1\\n2\\n3\\n' | while read -r n; do $ctl post a \"$n\"; done; $ctl post a --json"
        #expect(try await bench.shell(loop).output == ["{\"seq\":4,\"pos\":4,\"matched\":0,\"dropped\":0}"])
        // An input that never ends does not matter either.
        let tool = try bench.start(["post", "a", "5"])
        #expect(await tool.status() == 0)
    }

    /// After osc-cli#4 and yakut#64 (T119): a payload that begins with a dash was taken for an option.
    @Test(
        "a payload may begin with a dash, after -- or as a number",
        arguments: [
            (["a", "-5"], 0), (["a", "--", "-5"], 0), (["--", "-x", "1"], 0), (["a", "--", "--k=1"], 0),
            (["a", " 1 "], 0),
            (["a", "-x"], 64), (["a", ""], 65), (["a", "--", "-x"], 65),
        ] as [([String], Int32)])
    func dashes(words: [String], status: Int32) async throws {
        let bench = try await ToolBench()
        let outcome = await bench.run(["post"] + words)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.output == [])
        #expect(outcome.errors.count == (status == 0 ? 0 : 1))
    }

    @Test("type and subject arrive, and retained messages wait for those who come later")
    func fields() async throws {
        let bench = try await ToolBench()
        let post = await bench.run(
            "post", "shop.cart", "-t", "CartDidChange", "-s", "cart-42", "--retain", "n:=2", "who=ada")
        #expect(post.status == 0)
        let listen = await bench.run(
            "listen", "shop.>", "--replay=retained", "--until-live", "--format", "%c|%t|%s|%p|%q|%P")
        #expect(listen.status == 0)
        #expect(listen.output == ["shop.cart|CartDidChange|cart-42|{\"n\":2,\"who\":\"ada\"}|1|1"])
    }
}

@Suite("notifyctl post where rates are bounded", .timeLimit(.minutes(2)))
struct NotifyctlPacedPostTests {
    private let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 20 } }")
    }

    private func post(_ arguments: String..., lines: Int) async throws -> ToolOutcome {
        let tool = try RunningTool(
            Checkout.program("notifyctl"), ["post", "a"] + arguments, environment: ["NOTIFYD_SOCKET": daemon.socketPath]
        )
        await tool.write((1...lines).map { "\($0)\n" }.joined())
        try tool.endInput()
        return ToolOutcome(
            status: await tool.status(), output: await tool.output.rest(), errors: await tool.errors.rest())
    }

    @Test("--lines waits, and posts all lines in their order")
    func waits() async throws {
        let listener = try daemon.client()
        try listener.subscribe("a")
        // Twenty may come at once.
        let outcome = try await post("--lines", "--json", lines: 60)
        #expect(outcome.status == 0 && outcome.errors == [], "\(outcome)")
        #expect(outcome.output.count == 60)
        #expect(try listener.lines(60).map { $0.integer("payload") } == Array(1...60))
        let accounts: [String: Any]? = try listener.must(#"{"op":"stats"}"#)["stats"]
        let own = (accounts?["accounts"] as? [[String: Any]])?.first
        #expect((own?["rate_limited"] as? Int ?? 0) > 0, "it never came too fast")
    }

    @Test("--lines --no-wait ends there, and says when to try again")
    func ends() async throws {
        // So many that they come too fast at some time, however slow the machine is.
        let outcome = try await post("--lines", "--no-wait", lines: 5000)
        #expect(outcome.status == 75)
        let reason = "limit 'messages_per_s_per_client' of this connection is 20; try again in 0.1 s; "
        #expect(outcome.errors.count == 1 && outcome.errors.first?.contains(reason) == true, "\(outcome)")
    }

    @Test("--no-wait is for --lines alone")
    func usage() async throws {
        let outcome = try await post("--no-wait", lines: 1)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.first?.contains("--no-wait is for --lines") == true, "\(outcome)")
    }
}
