// Completion in the shells themselves, and what it must never do: speak, wait, or wake a daemon.

import Foundation
import Glibc
import NotifyTestSupport
import Testing

@Suite("notifyctl completion", .serialized, .timeLimit(.minutes(5)))
struct NotifyctlCompletionTests {
    private static let channels = ["shop.cart", "shop.order", "numbers", "a:b", "x=1", "odd@host/a+b"]

    private func daemon() async throws -> ToolBench {
        let bench = try await ToolBench()
        for channel in Self.channels { #expect(await bench.run("post", channel, "1").status == 0) }
        return bench
    }

    /// What is typed before Tab, and what stands there after it: the shortest proof that the script is in force.
    private static let fewLines: [(typed: String, shown: String)] = [
        ("notifyctl pos", "notifyctl post "), ("notifyctl post sh", "notifyctl post shop."),
        ("notifyctl get a:", "notifyctl get a:b "),
        ("notifyctl listen --output=pa", "notifyctl listen --output=payload "),
    ]

    private static let lines: [(typed: String, shown: String)] = [
        ("notifyctl -v listen --until", "notifyctl -v listen --until-live "),
        ("notifyctl post shop.c", "notifyctl post shop.cart "),
        ("notifyctl clear nu", "notifyctl clear numbers "),
        ("notifyctl get x=", "notifyctl get x=1 "), ("notifyctl get odd@h", "notifyctl get odd@host/a+b "),
        ("notifyctl get \"nu", "notifyctl get \"numbers\" "),
        ("notifyctl listen 'shop.o", "notifyctl listen 'shop.order' "),
        ("notifyctl listen shop.", "notifyctl listen shop."),
        ("notifyctl listen -- nu", "notifyctl listen -- numbers "),
        ("notifyctl explain obs", "notifyctl explain observe "),
        ("notifyctl explain post nu", "notifyctl explain post numbers "),
        ("notifyctl listen --output pa", "notifyctl listen --output payload "),
        ("notifyctl --color=al", "notifyctl --color=always "),
        ("notifyctl post --priority h", "notifyctl post --priority high "),
        ("notifyctl listen --buffer lat", "notifyctl listen --buffer latest "),
        ("notifyctl completion fi", "notifyctl completion fish "),
        ("notifyctl --socket /etc/hostn", "notifyctl --socket /etc/hostname "),
        ("notifyctl --socket=/etc/hostn", "notifyctl --socket=/etc/hostname "),
        ("notifyctl explain post a --uid=roo", "notifyctl explain post a --uid=root "),
        ("true; notifyctl get nu", "true; notifyctl get numbers "),
        // Nothing to offer, or nobody to ask.
        ("notifyctl ping nu", "notifyctl ping nu"),
        ("notifyctl --socket=/none get nu", "notifyctl --socket=/none get nu"),
        ("notifyctl listen -- --outp", "notifyctl listen -- --outp"),
    ]

    @Test("completes in a shell what somebody types before Tab", arguments: ShellSession.Kind.allCases)
    func shells(kind: ShellSession.Kind) async throws {
        let bench = try await daemon()
        let shell = try await ShellSession(kind, socket: bench.socket)
        // Of each shell one knows all.
        let isThorough = kind == .bash || kind == .zshFunction || kind == .fishFile
        for (typed, shown) in Self.fewLines + (isThorough ? Self.lines : []) {
            #expect(try await shell.complete(typed, expecting: shown) == shown, "\(kind.rawValue)")
        }
    }

    // (zsh itself expands what stands before Tab.)
    @Test("runs nothing of what somebody types before Tab", arguments: [ShellSession.Kind.bash, .fishFile])
    func substitutions(kind: ShellSession.Kind) async throws {
        let bench = try await daemon()
        let shell = try await ShellSession(kind, socket: bench.socket)
        let files = try TemporaryDirectory()
        let trace = files.path("ran")
        for word in ["(touch \(trace))", "\"(touch \(trace))", "$(touch \(trace))", "`touch \(trace)`"] {
            for place in ["listen a --exec ", "get ", "--socket ", "listen a --from-uid "] {
                let line = "notifyctl " + place + word
                // What it makes of it is the shell's business.
                _ = try await shell.complete(line, expecting: line)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: trace))
    }

    @Test("offers everything with a description to those who list it", arguments: ["zsh", "fish"])
    func descriptions(shell: String) async throws {
        let bench = try await daemon()
        let separator = shell == "zsh" ? ":" : "\t"
        #expect(
            await ask(bench, shell, "po") == ["words", "post\(separator)Posts a message; says nothing if all is well."])
        #expect(
            await ask(bench, shell, "listen", "shop.") == [
                "words", "shop.>\(separator)2 channels", "shop.cart\(separator)channel",
                "shop.order\(separator)channel",
            ])
        let colon = shell == "zsh" ? "a\\:b:channel" : "a:b\tchannel"
        #expect(await ask(bench, shell, "get", "a") == ["words", colon])
    }

    /// What a script is told; again if the machine was too busy to answer in time, unless nothing is expected.
    private func ask(_ bench: ToolBench, _ words: String..., isExpected: Bool = true) async -> [String] {
        var outcome = ToolOutcome(status: -1, output: [], errors: [])
        for _ in 0..<20 {
            outcome = await bench.run(["__complete"] + words)
            #expect(outcome.status == 0)
            #expect(outcome.errors == [])
            if !outcome.output.isEmpty || !isExpected { break }
        }
        return outcome.output
    }

    @Test("asks the daemon that the line is about")
    func otherDaemon() async throws {
        let (bench, other) = (try await daemon(), try await ToolBench())
        #expect(await other.run("post", "elsewhere", "1").status == 0)
        let expected = ["words", "elsewhere\tchannel"]
        #expect(await ask(bench, "fish", "--socket", other.socket, "get", "") == expected)
        #expect(await ask(bench, "fish", "get", "--socket=\(other.socket)", "") == expected)
    }

    @Test("does not wait for a daemon that does not answer")
    func silentDaemon() async throws {
        let bench = try await daemon()
        try await bench.daemon.pause()
        defer { bench.daemon.resume() }
        #expect(await ask(bench, "zsh", "--connect-timeout=1h", "get", "nu", isExpected: false) == [])
    }

    @Test("says nothing when something is wrong")
    func mistakes() async throws {
        let bench = try await daemon()
        for words in [
            [], ["tcsh", "x"], ["zsh"], ["bash", "notifyctl get "], ["zsh", "frob", ""], ["fish", "get", "--nope", ""],
        ] {
            let outcome = await bench.run(["__complete"] + words)
            #expect(outcome.status == 0 && outcome.output + outcome.errors == [], "\(words)")
        }
        bench.daemon.kill()
        #expect(await ask(bench, "zsh", "get", "", isExpected: false) == [])
        let closed = try await bench.shell("$ctl __complete zsh po >&-; echo $?")
        #expect(closed.output == ["0"] && closed.errors == [])
    }

    /// A socket that systemd listens at, as far as anybody can tell: connections wait in it until a daemon runs.
    @Test("does not wake a daemon: it connects only where one has accepted a connection already")
    func activation() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        let listening = try UnixSocket.open()
        defer { close(listening) }
        try UnixSocket.withAddress(path) { guard bind(listening, $0, $1) == 0 else { throw UnixSocket.failure() } }
        guard listen(listening, 16) == 0 else { throw UnixSocket.failure() }
        func hasVisitors() -> Bool {
            var state = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }
        func complete() async throws {
            let outcome = try await Command.run(
                Checkout.program("notifyctl"), ["__complete", "zsh", "--socket", path, "get", ""])
            #expect(outcome.status == 0 && outcome.output + outcome.errors == "")
        }
        try await complete()
        #expect(!hasVisitors(), "nobody has been there")
        // Somebody has connected, and the daemon is only about to start.
        let first = try UnixSocket.connect(path)
        defer { close(first) }
        try await complete()
        let accepted = accept(listening, nil, nil)
        #expect(accepted >= 0)
        #expect(!hasVisitors(), "only the first has been there")
        // Now it runs, and is asked; that it does not answer is another matter.
        var attempts = 0
        while !hasVisitors(), attempts < 20 {
            try await complete()
            attempts += 1
        }
        #expect(hasVisitors())
        close(accepted)
    }
}
