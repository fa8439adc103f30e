// Typed Swift, notifyctl, lines of JSON and Python meet: whoever posts, everybody who listens gets it.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MeetingTests {
    struct Greeting: NotifyCenter.Message, Equatable {
        static let channel: NotifyCenter.Channel = "meeting.greeting"
        var text: String
        var from: String
    }

    enum Poster: String, CaseIterable {
        case typed, otherProcess, untypedSwift, notifyctl, line, python
    }

    let bench: ToolBench
    let center: NotifyCenter

    init() async throws {
        bench = try await ToolBench()
        center = NotifyCenter(endpoint: .socket(path: bench.socket))
    }

    private func start(_ program: String, _ arguments: [String]) throws -> RunningTool {
        try RunningTool(program, arguments, environment: ["NOTIFYD_SOCKET": bench.socket])
    }

    @Test(arguments: Poster.allCases)
    func `everybody hears`(poster: Poster) async throws {
        let typed = center.messages(for: Greeting.self)
        let bytes = center.rawMessages(matching: "meeting.>")
        try await center.ready()
        let meeting = try start(Checkout.program("Meeting"), ["listen", "1"])
        #expect(await meeting.output.next() == "listening")
        let ctl = try await bench.listen("meeting.*", "-n", "1", "--output", "payload")
        let line = try RawClient(bench.socket)
        _ = try line.subscribe("meeting.*")
        let python = try start("/usr/bin/env", ["python3", "-u", "-c", Self.pythonListener])
        #expect(await python.output.next() == "listening")

        try await post(poster)

        let greeting = Greeting(text: "hello", from: poster.rawValue)
        #expect(await typed.first { _ in true } == greeting)
        let raw = try #require(await bytes.first { _ in true })
        #expect(try raw.decode(Greeting.self) == greeting)
        #expect(await meeting.output.next() == "hello from \(poster)")
        #expect(try decoded(await ctl.output.next()) == greeting)
        #expect(try decoded(line.line().payload) == greeting)
        #expect(await python.output.next() == "hello from \(poster)")
        #expect(center.diagnostics.undecodable == 0)
    }

    @Test(arguments: [#"{"text":"hello"}"#, #"{"text":1,"from":"me"}"#, "null", "[]"])
    func `what is no greeting is skipped by those who expect one, and nobody else`(payload: String) async throws {
        let typed = center.messages(for: Greeting.self)
        let bytes = center.rawMessages(matching: "meeting.>")
        try await center.ready()
        let line = try RawClient(bench.socket)
        _ = try line.post(Greeting.channel.rawValue, payload)
        _ = try line.post(Greeting.channel.rawValue, #"{"text":"hello","from":"them"}"#, #","type":"Farewell""#)
        try await post(.line)
        #expect(await typed.first { _ in true } == Greeting(text: "hello", from: "line"))
        #expect(typed.undecodableCount == 2)
        #expect(await bytes.first { _ in true }?.payload == Data(payload.utf8))
    }

    private func post(_ poster: Poster) async throws {
        let name = poster.rawValue
        let json = "{\"text\":\"hello\",\"from\":\"\(name)\"}"
        switch poster {
        case .typed: try await center.post(Greeting(text: "hello", from: name))
        case .untypedSwift: try await center.post(payload: json.utf8, to: Greeting.channel)
        case .otherProcess: #expect(try await start(Checkout.program("Meeting"), ["say", name]).status() == 0)
        case .notifyctl:
            #expect(
                await bench.run("post", "meeting.greeting", "text=hello", "from=\(name)", "-t", "Greeting").status == 0)
        case .line:
            let line = try RawClient(bench.socket)
            _ = try line.post("meeting.greeting", json, #","type":"Greeting""#)
        case .python:
            #expect(try await start("/usr/bin/env", ["python3", "-c", Self.pythonPoster, json]).status() == 0)
        }
    }

    private func decoded(_ payload: String?) throws -> Greeting {
        try JSONDecoder().decode(Greeting.self, from: Data((payload ?? "").utf8))
    }

    private static let pythonListener = """
        import json, os, socket
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(os.environ["NOTIFYD_SOCKET"])
        lines = daemon.makefile("rw", newline="\\n")
        print('{"op":"subscribe","id":1,"channel":"meeting.*"}', file=lines, flush=True)
        assert json.loads(lines.readline())["op"] == "ok"
        print("listening")
        greeting = json.loads(lines.readline())["payload"]
        print(greeting["text"], "from", greeting["from"])
        """

    private static let pythonPoster = """
        import json, os, socket, sys
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(os.environ["NOTIFYD_SOCKET"])
        request = {"op": "post", "id": 1, "channel": "meeting.greeting", "payload": json.loads(sys.argv[1])}
        daemon.sendall(json.dumps(request).encode() + b"\\n")
        assert json.loads(daemon.makefile().readline())["op"] == "ok"
        """
}
