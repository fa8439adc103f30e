// `listen --exec`: one run of a command per message.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl listen --exec", .timeLimit(.minutes(2)))
struct NotifyctlExecTests {
    @Test("gives the payload on standard input and the fields in the environment")
    func environment() async throws {
        let bench = try await ToolBench()
        let script = """
            cat; echo; echo "$NOTIFY_CHANNEL $NOTIFY_TYPE ${NOTIFY_SUBJECT-unset} $NOTIFY_SEQ $NOTIFY_POS $NOTIFY_UID"
            echo "${NOTIFY_REPLAY-unset} ${NOTIFY_SOCKET-unset} $OTHER ${NOTIFY_TIME:0:2}"; test "$NOTIFY_PID" -gt 0
            """
        let listener = try await bench.listen(
            "a", "-n1", "--exec", "bash", "-c", script,
            environment: [
                "NOTIFY_SOCKET": "/systemd", "NOTIFY_SUBJECT": "old", "NOTIFY_REPLAY": "old", "OTHER": "kept",
            ])
        #expect(await bench.run("post", "a", "{\"k\": 1}", "-tT").status == 0)
        #expect(await listener.output.rest() == ["{\"k\": 1}", "a T unset 1 1 \(getuid())", "unset unset kept 20"])
        #expect(await listener.errors.rest() == [])
        #expect(await listener.status() == 0)
    }

    @Test(
        "NOTIFY_POS and NOTIFY_EPOCH, or %P and %e, are where another --replay goes on, or a gap tells that it cannot")
    func place() async throws {
        let bench = try await ToolBench()
        for number in 1...3 { #expect(await bench.run("post", "a", "\(number)").status == 0) }
        func past(_ place: String, _ words: String...) async -> ToolOutcome {
            await bench.run(["listen", "a", "--replay=\(place)", "--until-live", "--fail-on-gap"] + words)
        }
        let script = #"echo "pos:$NOTIFY_POS/$NOTIFY_EPOCH""#
        let places = await past("pos:0", "--exec", "sh", "-c", script).output
        #expect(await past("pos:0", "--format=pos:%P/%e").output == places)
        #expect(places.count == 3)
        #expect(await past(places[0], "--output=payload").output == ["2", "3"])
        bench.daemon.stop()
        try await bench.daemon.start()
        for number in 4...6 { #expect(await bench.run("post", "a", "\(number)").status == 0) }
        let anew = await past(places[0], "--output=payload")
        #expect(anew.status == 76)
        #expect(anew.errors == ["notifyctl: listen: gap: messages are missing (epoch)"])
    }

    @Test("takes payloads that no pipe holds, read or not")
    func largePayload() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n2", "--exec", "sh", "-c", "[ $NOTIFY_SEQ = 1 ] || wc -c")
        let payload = "\"\(String(repeating: "x", count: 900_000))\"\n"
        #expect(await bench.run("post", "a", "--lines", input: payload + payload).status == 0)
        #expect(await listener.output.rest() == ["900002"])
        #expect(await listener.status() == 0)
    }

    @Test("misses nothing between runs, and keeps the order")
    func burst() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n50", "--exec", "sh", "-c", "cat; echo")
        let numbers = (1...50).map { "\($0)" }
        #expect(await bench.run("post", "a", "--lines", input: numbers.joined(separator: "\n")).status == 0)
        #expect(await listener.output.rest() == numbers)
    }

    @Test("runs as many at a time as --jobs says")
    func jobs() async throws {
        let bench = try await ToolBench()
        let directory = bench.directory.url.path
        #expect(try await Command.run("mkfifo", ["\(directory)/1", "\(directory)/2"]).status == 0)
        // Each run waits for the other: one at a time would never end.
        let script = "echo > \(directory)/$((3 - NOTIFY_SEQ)) & read x < \(directory)/$NOTIFY_SEQ"
        let listener = try await bench.listen("a", "-n2", "--jobs=2", "--exec", "sh", "-c", script)
        #expect(await bench.run("post", "a", "--lines", input: "1\n2\n").status == 0)
        #expect(await listener.status() == 0)
        #expect(await listener.errors.rest() == [])
    }

    @Test("misses nothing with several runs at a time")
    func busyJobs() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "-n200", "--jobs=4", "--exec", "sh", "-c", "echo $NOTIFY_SEQ")
        #expect(
            await bench.run("post", "a", "--lines", input: (1...200).map { "\($0)\n" }.joined()).status == 0)
        #expect(await listener.output.rest().compactMap { Int($0) }.sorted() == Array(1...200))
        #expect(await listener.status() == 0)
        #expect(await listener.errors.rest() == [])
    }

    @Test("lets messages wait as --buffer says, and tells what that has lost")
    func fullBuffer() async throws {
        let bench = try await ToolBench()
        let fifo = bench.directory.path("go")
        #expect(try await Command.run("mkfifo", [fifo]).status == 0)
        let listener = try await bench.listen(
            "a", "--buffer=newest:5", "--exec", "sh", "-c", "echo $NOTIFY_SEQ; [ $NOTIFY_SEQ != 1 ] || read x < \(fifo)"
        )
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.next() == "1")
        // The first run lasts until all is posted.
        let payload = "\"\(String(repeating: "x", count: 1000))\"\n"
        #expect(await bench.run("post", "a", "--lines", input: String(repeating: payload, count: 3000)).status == 0)
        #expect(try await Command.run("sh", ["-c", "echo > \(fifo)"]).status == 0)
        let gap = try #require(await listener.errors.next())
        #expect(gap.hasPrefix("notifyctl: listen: gap on a: ") && gap.hasSuffix(", overflow)"), "\(gap)")
        var last = ""
        while last != "3001", let next = await listener.output.next() { last = next }
        #expect(last == "3001")
    }

    @Test("tells of a run that fails and goes on with the next")
    func failure() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen(
            "a", "-n3", "--exec", "sh", "-c", "case $NOTIFY_SEQ in 1) exit 3;; 2) kill -9 $$;; 3) echo fine;; esac")
        #expect(await bench.run("post", "a", "--lines", input: "1\n2\n3\n").status == 0)
        #expect(await listener.output.rest() == ["fine"])
        #expect(
            await listener.errors.rest() == [
                "notifyctl: listen: 'sh' for a seq 1 ended with status 3",
                "notifyctl: listen: 'sh' for a seq 2 was ended by signal 9",
            ])
        #expect(await listener.status() == 0)
    }

    @Test("ends with 1 when the command cannot be started")
    func missing() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--exec", "no-such-command-anywhere")
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.status() == 1)
        #expect(
            await listener.errors.rest() == [
                "notifyctl: listen: cannot start 'no-such-command-anywhere': No such file or directory"
            ])
    }

    @Test("a run gets the signals of every program, not our way of waiting for them")
    func signals() async throws {
        let bench = try await ToolBench()
        // Bit 13 is SIGPIPE; the C library ignores signals of its own for every child.
        let script = "grep SigBlk /proc/self/status; echo $((0x$(sed -n 's/SigIgn:.//p' /proc/self/status) >> 12 & 1))"
        let listener = try await bench.listen("a", "-n1", "--exec", "sh", "-c", script)
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.rest() == ["SigBlk:\t0000000000000000", "0"])
    }

    @Test("SIGTERM for us ends the run, too")
    func forwards() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen(
            "a", "--exec", "bash", "-c",
            // `wait` ends at once when the signal comes; `read` may not.
            "trap 'kill $!; echo told; exit' TERM; sleep 100 & echo began; wait")
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await listener.output.next() == "began")
        listener.signal(SIGTERM)
        #expect(await listener.status() == 143)
        #expect(await listener.output.next() == "told")
    }

    @Test("a run has no descriptors but the standard ones")
    func descriptors() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        // What the test itself left open is closed first. The fourth is the directory, open while it is listed.
        let line = """
            for n in $(ls /proc/self/fd); do [ $n -gt 2 ] && eval "exec $n>&-"; done
            $ctl listen a --replay retained -n1 --exec ls /proc/self/fd
            """
        #expect(try await bench.shell(line).output == ["0", "1", "2", "3"])
    }

    @Test("a run may outlast --timeout when everything has come")
    func timeoutAfterCount() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        let listen = await outlasting(bench, "-n1")
        #expect(listen.status == 0)
        #expect(listen.output == ["began", "done"])
    }

    /// A run that lasts longer than `--timeout`, which is longer where the run has not even begun in time.
    private func outlasting(_ bench: ToolBench, _ options: String...) async -> ToolOutcome {
        var outcome = ToolOutcome(status: -1, output: [], errors: [])
        for seconds in [0.2, 2, 20] where outcome.output.isEmpty {
            outcome = await bench.run(
                ["listen", "a", "--replay=retained", "--timeout=\(seconds)"] + options
                    + ["--exec", "sh", "-c", "echo began; sleep \(2 * seconds); echo done"])
        }
        return outcome
    }

    @Test("--timeout lets a run that has begun end")
    func timeout() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1", "--retain").status == 0)
        let listen = await outlasting(bench)
        #expect(listen.status == 124)
        #expect(listen.output == ["began", "done"])
    }
}
