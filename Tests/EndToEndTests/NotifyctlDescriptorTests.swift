// Pipes that break, disks that are full, descriptors that are closed: one clean end, no noise, no spinning.

import NotifyTestSupport
import Testing

@Suite("notifyctl and its descriptors", .timeLimit(.minutes(2)))
struct NotifyctlDescriptorTests {
    @Test("a reader that is gone ends listen quietly with 0, also on a silent channel")
    func readerGone() async throws {
        let bench = try await ToolBench()
        let silent = try await bench.shell("$ctl listen a | true; echo ${PIPESTATUS[0]}")
        #expect(silent.output == ["0"])
        #expect(silent.errors == [])
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        let one = try await bench.shell(
            "$ctl listen a --replay retained --output payload | head -n1; echo ${PIPESTATUS[0]}")
        #expect(one.output == ["1", "0"])
        #expect(one.errors == [])
    }

    @Test(
        "a reader that is gone is a quiet 0 for every command, never a death by SIGPIPE",
        arguments: ["channels", "stats", "clients", "ping -n1", "top --json -n100ms", "--help", "get a", "post a -v"])
    func brokenPipe(command: String) async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        // The reader is gone before there is anything to write.
        let outcome = try await bench.shell(
            "exec 3> >(exec true); wait $!; $ctl \(command) >&3; echo $?")
        #expect(outcome.output == ["0"])
        #expect(outcome.errors.allSatisfy { $0.contains("connected to") }, "\(outcome.errors)")
    }

    @Test("a reader that has seen enough ends post --lines quietly")
    func brokenReceipts() async throws {
        let bench = try await ToolBench()
        let outcome = try await bench.shell("seq 200000 | $ctl post a --lines --json | head -n1; echo ${PIPESTATUS[1]}")
        #expect(outcome.output == ["{\"seq\":1,\"pos\":1,\"matched\":0,\"dropped\":0}", "0"])
        #expect(outcome.errors == [])
    }

    /// After opencode#33653, mqtt-exec#7 and cmux#5750 (T109): with SIGPIPE ignored, EPIPE was retried for ever.
    @Test("with SIGPIPE ignored it is an error of one line")
    func pipeSignalIgnored() async throws {
        let bench = try await ToolBench()
        let outcome = try await bench.shell("trap '' PIPE; $ctl listen a | true; echo ${PIPESTATUS[0]}")
        #expect(outcome.output == ["74"])
        #expect(outcome.errors == ["notifyctl: listen: standard output: its reader is gone"])
    }

    @Test(
        "a full disk is an error of one line",
        arguments: ["listen a --replay retained", "get a", "channels", "post a -v", "stats", "--help"])
    func fullDisk(command: String) async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        let outcome = try await bench.shell("$ctl \(command) > /dev/full; echo $?")
        #expect(outcome.output == ["74"])
        let errors = outcome.errors.filter { !$0.contains("connected to") }
        #expect(errors.count == 1)
        #expect(errors.first?.hasSuffix("standard output: No space left on device") == true)
    }

    @Test("a closed standard output is an error for what has something to say")
    func closedOutput() async throws {
        let bench = try await ToolBench()
        for command in ["listen a", "channels", "ping", "--version"] {
            let outcome = try await bench.shell("$ctl \(command) >&-; echo $?")
            #expect(outcome.output == ["74"], "\(command)")
            #expect(outcome.errors.count == 1)
        }
    }

    /// After mosquitto#1823 and systemd#11533 (T121): the socket took the place of a closed descriptor.
    @Test(
        "closed descriptors do not matter to what has nothing to say",
        arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func closedPost(redirection: String) async throws {
        let bench = try await ToolBench()
        #expect(try await bench.shell("$ctl post a 1 \(redirection); echo $?").output == ["0"])
    }

    @Test("no socket takes the place of a closed descriptor", arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func closedListen(redirection: String) async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        let script = "readlink /proc/$PPID/fd/0 /proc/$PPID/fd/2"
        let outcome = try await bench.shell(
            "$ctl listen a --replay retained -n1 --exec bash -c '\(script)' \(redirection)")
        try #require(outcome.output.count == 2)
        #expect(!outcome.output.contains { $0.hasPrefix("socket:") || $0.hasPrefix("anon_inode:") })
        for name in redirection.split(separator: " ") {
            #expect(outcome.output[name.hasPrefix("<") ? 0 : 1] == "/dev/null")
        }
    }

    @Test("reading a directory is an error of one line")
    func directory() async throws {
        let bench = try await ToolBench()
        for form in ["-", "--lines"] {
            let outcome = try await bench.shell("$ctl post a \(form) < /; echo $?")
            #expect(outcome.output == ["74"])
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("standard input: Is a directory") == true)
        }
    }

    @Test("colour is for terminals only, and NO_COLOR counts")
    func colour() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        func isColourful(_ environment: String, _ options: String = "") async throws -> Bool {
            let inner = "\(environment) $ctl listen a --replay retained -n1 \(options)"
            // script(1) gives the tool a terminal.
            let outcome = try await bench.shell("TERM=xterm script -qec '\(inner)' /dev/null < /dev/null")
            #expect(outcome.output.contains { $0.contains("1") })
            return outcome.output.contains { $0.contains("\u{1B}[") }
        }
        #expect(try await isColourful(""))
        #expect(try await isColourful("NO_COLOR="))
        #expect(try await !isColourful("NO_COLOR=1"))
        #expect(try await !isColourful("TERM=dumb"))
        #expect(try await isColourful("NO_COLOR=1", "--color=always"))
        #expect(try await !isColourful("", "--color=never"))
        #expect(await !bench.run("channels").output.contains { $0.contains("\u{1B}") })
        #expect(await bench.run("channels", "--color=always").output.contains { $0.contains("\u{1B}") })
    }
}
