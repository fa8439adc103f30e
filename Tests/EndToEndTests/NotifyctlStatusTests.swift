// Exit statuses and the one sentence that goes with them, from the built tool. After mosquitto#1285, #1246 and #2668
// (T111): status 0 although refused, an abort without a broker, a silent end in mid-stream.

import Foundation
import NotifyTestSupport
import Testing

@Suite("The exit status of notifyctl", .timeLimit(.minutes(2)))
struct NotifyctlStatusTests {
    /// Runs the tool where no daemon is.
    private func alone(_ arguments: [String], environment: [String: String?] = [:]) async throws -> Command.Outcome {
        try await Command.run(
            Checkout.program("notifyctl"), arguments,
            environment: environment.merging(["NOTIFYD_SOCKET": nil]) { mine, _ in mine })
    }

    @Test(
        "is 69 without a daemon, with what to do",
        arguments: [
            ["post", "a", "1"], ["post", "a", "--lines"], ["listen", "a"], ["get", "a"], ["clear", "a"], ["channels"],
            ["clients"], ["subscriptions"], ["stats"], ["ping"], ["bench"],
        ])
    func noDaemon(arguments: [String]) async throws {
        let directory = try TemporaryDirectory()
        let outcome = try await alone(arguments + ["--socket", directory.path("s")])
        #expect(outcome.status == 69)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("notifyctl: \(arguments[0]): no daemon at \(directory.path("s")): "))
        #expect(outcome.errors.contains("notifyd --socket \(directory.path("s"))"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test("is 69 where a daemon has been, and where a plain file is")
    func deadSocket() async throws {
        let directory = try TemporaryDirectory()
        try UnixSocket.leaveBehind(at: directory.path("dead"))
        try Data().write(to: directory.url.appending(path: "file"))
        for name in ["dead", "file"] {
            let outcome = try await alone(["post", "a", "1", "--socket", directory.path(name)])
            #expect(outcome.status == 69)
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(outcome.errors.contains(directory.path(name)))
            #expect(outcome.errors.contains("is no socket") == (name == "file"))
        }
    }

    @Test("is 69 after --connect-timeout when the daemon does not answer")
    func noAnswer() async throws {
        let bench = try await ToolBench()
        try await bench.daemon.pause()
        defer { bench.daemon.resume() }
        for arguments in [["post", "a", "1"], ["listen", "a"], ["ping"]] {
            let outcome = await bench.run(arguments + ["--connect-timeout=200ms"])
            #expect(outcome.status == 69)
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("does not answer") == true)
        }
    }

    @Test("is 77 when the socket may not be opened, and says whose it is")
    func permission() async throws {
        let bench = try await ToolBench()
        // Root may open everything, so it becomes somebody else; the way to the socket must be open then.
        let isRoot = getuid() == 0
        chmod(URL(filePath: bench.socket).deletingLastPathComponent().path, 0o755)
        chmod(bench.socket, 0o060)
        let prefix = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : ["env"]
        let outcome = try await Command.run(
            prefix[0],
            prefix.dropFirst() + [Checkout.program("notifyctl"), "ping", "--socket", bench.socket, "--wait-for-daemon"])
        // That does not pass by itself, so it is not waited for.
        #expect(outcome.status == 77)
        #expect(outcome.errors.contains(isRoot ? "group 'root'" : "group"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "is 64 for a bad channel or pattern, without asking the daemon",
        arguments: [
            ["post", "a..b", "1"], ["post", "a.*", "1"], ["post", "", "1"], ["listen", "a..b"], ["listen", "a.>.b"],
            ["listen", "a", ".b"], ["get", "a."], ["clear", "a b"], ["channels", "*a"], ["subscriptions", ">a"],
            ["post", "é", "1"], ["post", "a", "1", "-s", ""], ["listen", "a", "-t", "a\u{7F}"],
        ])
    func badNames(arguments: [String]) async throws {
        let outcome = try await alone(arguments + ["--socket", "/nowhere"])
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("notifyctl: \(arguments[0]): "))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test("is 65 for a payload that is not JSON, without asking the daemon")
    func badPayload() async throws {
        let outcome = try await alone(["post", "a", "{oops", "--socket", "/nowhere"])
        #expect(outcome.status == 65)
        #expect(
            outcome.errors
                == "notifyctl: post: payload '{oops': not JSON; for a string use --text (byte 1: expected a key)\n")
    }

    @Test("is 1 from get when nothing is retained")
    func nothingRetained() async throws {
        let bench = try await ToolBench()
        let outcome = await bench.run("get", "a")
        #expect(outcome.status == 1)
        #expect(outcome.output == [])
        #expect(outcome.errors == ["notifyctl: get: nothing is retained on 'a'"])
    }

    @Test("is 77 for what the daemon denies, with its reason")
    func denied() async throws {
        let bench = try await ToolBench()
        for arguments in [["post", "$notifyd.x", "1"], ["post", "$notifyd.x", "--lines"]] {
            let outcome = await bench.run(arguments, input: "1\n2\n")
            #expect(outcome.status == 77)
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("'$notifyd.x'") == true)
        }
    }

    @Test("is 75 when a limit is reached, at the door or behind it")
    func quota() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "limits.json5")
        try Data("{limits: {clients: 1, subscriptions_per_client: 1}}".utf8).write(to: file)
        let bench = try await ToolBench(arguments: ["--config", file.path])
        let many = await bench.run("listen", "a", "b")
        #expect(many.status == 75)
        #expect(many.errors.count == 1)
        #expect(many.errors.first?.contains("subscriptions_per_client") == true)
        let listener = try await bench.listen("a")
        for command in [["post", "a", "1"], ["listen", "a"], ["ping"]] {
            let outcome = await bench.run(command)
            #expect(outcome.status == 75)
            #expect(outcome.errors == ["notifyctl: \(command[0]): limit 'clients' of the daemon is 1"])
        }
        listener.signal(SIGTERM)
        _ = await listener.status()
    }

    @Test("an option wins over the environment, and an empty variable is none")
    func socketChoice() async throws {
        let bench = try await ToolBench()
        let option = try await alone(
            ["ping", "-n1", "--socket", bench.socket], environment: ["NOTIFYD_SOCKET": "/nowhere"])
        #expect(option.status == 0)
        let directory = try TemporaryDirectory()
        let empty = try await alone(
            ["ping", "-n1"], environment: ["NOTIFYD_SOCKET": "", "XDG_RUNTIME_DIR": directory.url.path])
        #expect(empty.status == 69)
        #expect(empty.errors.contains("/run/notifyd/socket"))
    }

    @Test("the user's daemon is taken if it answers, and only that one with --user")
    func userDaemon() async throws {
        let bench = try await ToolBench()
        let directory = try TemporaryDirectory()
        let place = directory.url.appending(path: "notifyd")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: place.appending(path: "socket").path, withDestinationPath: bench.socket)
        let environment = ["XDG_RUNTIME_DIR": directory.url.path]
        for options in [[], ["--user"]] {
            let outcome = try await alone(["ping", "-n1", "-v"] + options, environment: environment)
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("connected to \(directory.url.path)/notifyd/socket"))
        }
        bench.daemon.kill()
        let user = try await alone(["ping", "--user"], environment: environment)
        #expect(user.status == 69)
        #expect(!user.errors.contains("/run/notifyd/socket"))
        let unset = try await alone(["ping", "--user"], environment: ["XDG_RUNTIME_DIR": nil])
        #expect(unset.status == 69)
        #expect(unset.errors == "notifyctl: ping: no user's daemon: $XDG_RUNTIME_DIR is not set\n")
    }

    /// After nut#1390, node#13670 and klangk#1531 (T103): long paths were cut, or an opaque crash.
    @Test("107 bytes of socket path work, 108 are refused with the limit")
    func longPath() async throws {
        let directory = try TemporaryDirectory()
        func path(_ count: Int) -> String {
            directory.path(String(repeating: "s", count: count - directory.path("s").utf8.count + 1))
        }
        #expect(path(107).utf8.count == 107)
        let daemon = try RunningTool(Checkout.program("notifyd"), ["--socket", path(107)])
        #expect(await daemon.errors.next(containing: path(107)) != nil)
        #expect(try await alone(["post", "a", "1", "--socket", path(107)]).status == 0)
        for count in [108, 300] {
            let outcome = try await alone(["post", "a", "1", "--socket", path(count)])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("\(count)"))
            #expect(outcome.errors.contains("107"))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { $0.hasSuffix("s") }.count
                == 1)
    }

    /// After php-src#23669, mio#1560, curl#18748 and asio#1014 (T105): a full backlog was an error, or for ever.
    @Test("a daemon that is busy for a while is waited for")
    func fullBacklog() async throws {
        let bench = try await ToolBench()
        try await bench.daemon.pause()
        let words = ["post", "a", "1", "--connect-timeout=60", "--socket", bench.socket]
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<100 {
                // Without pipes to it: with a thousand descriptors Foundation reads behind the end of their list.
                group.addTask { try await Command.run(Checkout.program("notifyctl"), words).status }
            }
            group.addTask {
                bench.daemon.resume()
                return 0
            }
            for try await status in group { #expect(status == 0) }
        }
        #expect(
            await bench.run("post", "a", "--json").output == ["{\"seq\":101,\"pos\":101,\"matched\":0,\"dropped\":0}"])
    }
}
