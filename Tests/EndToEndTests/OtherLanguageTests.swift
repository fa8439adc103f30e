// The clients of the page OtherLanguages do what it says of clients in any language: with lines of any length that come in
// pieces, with what they do not know, and when the daemon dies and comes back. That they run at all is seen where the
// pages' examples are run.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct OtherLanguageTests {
    private static let rules =
        #"{"state_directory":"STATE","channels":[{"pattern":"p.>","persist":true,"history":{"messages":1000,"age_s":3600}}]}"#

    private let files: PageFiles

    init() throws { files = try PageFiles(of: "OtherLanguages") }

    private func start(_ program: String, _ arguments: String..., socket: String) throws -> RunningTool {
        try RunningTool(files.path(program), arguments, environment: ["NOTIFYD_SOCKET": socket])
    }

    private func compiled() async throws {
        let arguments = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-o", files.path("listen"), files.path("listen.c")]
        let compiler = try await Command.run("cc", arguments)
        #expect(compiler.status == 0, "\(compiler.summary)")
    }

    private func daemon() throws -> TestDaemon {
        let state = files.path("state")
        return try TestDaemon(configuration: Self.rules.replacing("STATE", with: state))
    }

    private func subscribed(_ daemon: TestDaemon, _ pattern: String) throws {
        let client = try daemon.client()
        var list = ""
        while !list.contains("\"channel\":\"\(pattern)\"") {
            try client.send(#"{"op":"subscriptions","id":1}"#)
            list = try client.line().text
        }
    }

    @Test func `the Python listener misses nothing while the daemon is killed, and prints nothing twice`() async throws
    {
        let daemon = try daemon()
        let listener = try start("listen.py", "p.a", socket: daemon.socketPath)
        try subscribed(daemon, "p.a")
        var number = 0
        var printed: [String] = []
        for _ in 0..<3 {
            // It is away while the second one is posted.
            for isRestarted in [false, true] {
                if isRestarted {
                    daemon.end(SIGKILL)
                    try daemon.start()
                }
                number += 1
                let client = try daemon.client()
                try client.send(#"{"op":"post","id":1,"channel":"p.a","payload":\#(number)}"#)
                #expect(try client.line().op == "ok")
            }
            try subscribed(daemon, "p.a")
            try daemon.client().send(#"{"op":"post","channel":"p.a","payload":"round"}"#)
            while let line = await listener.output.next(), line != "p.a \"round\"" { printed.append(line) }
        }
        #expect(printed == (1...6).map { "p.a \($0)" })
        listener.signal(SIGKILL)
        #expect(await listener.output.rest() == [])
    }

    @Test func `it tells that a daemon that forgot all counts anew, and goes on`() async throws {
        let daemon = try daemon()
        let listener = try start("listen.py", "a", socket: daemon.socketPath)
        try subscribed(daemon, "a")
        for payload in ["1", "2"] {
            try daemon.client().send(#"{"op":"post","channel":"a","payload":\#(payload)}"#)
            #expect(await listener.output.next() == "a \(payload)")
            try FileManager.default.removeItem(atPath: files.path("state"))
            daemon.end(SIGKILL)
            try daemon.start()
            #expect(await listener.errors.next(containing: "epoch") == "missing: None epoch")
        }
    }

    @Test(arguments: ["listen.py", "listen"])
    func `a listener takes lines of a mebibyte, in pieces, and ignores what it does not know`(name: String) async throws
    {
        try await compiled()
        let peer = try ScriptedPeer()
        let listener = try start(name, "a", socket: peer.path)
        let connection = await peer.accept()
        let long = String(repeating: "x", count: 1 << 20)
        let message = #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"new":{"op":1},"payload":"\#(long)"}"#
        await connection.send(#"{"op":"ok","id":1,"epoch":"e","pos":0,"future":[]}"#)
        await connection.send(#"{"op":"future","payload":"not for us"}"#)
        await connection.send(bytes: Array((message + "\n").utf8), by: 4093)
        let printed = try #require(await listener.output.next())
        #expect(printed == (name == "listen" ? message : "a \"\(long)\""))
        await connection.send(bytes: Array((#"{"op":"gap","sub":1,"count":3,"reason":"overflow"}"# + "\n").utf8), by: 1)
        #expect(await listener.errors.next(containing: "overflow") != nil)
        await connection.send(#"{"op":"error","sub":1,"code":"denied","message":"the rules were changed"}"#)
        #expect(await listener.errors.next(containing: "the rules were changed") != nil)
        #expect(await listener.status() == 1)
        #expect(await listener.output.rest() == [])
    }

    @Test func `the C listener says what fails`() async throws {
        try await compiled()
        let peer = try ScriptedPeer()
        let listener = try start("listen", "a", socket: peer.path)
        let connection = await peer.accept()
        #expect(await connection.line() == #"{"op":"subscribe","channel":"a"}"#)
        await connection.send(bytes: Array(#"{"op":"message","payl"#.utf8))
        connection.hangUp()
        #expect(await listener.errors.rest() == ["\(files.path("listen")): the daemon has gone"])
        #expect(await listener.output.rest() == [], "half a line is none")
        #expect(await listener.status() == 1)

        let nobody = try start("listen", "a", socket: files.path("nothing"))
        #expect(await nobody.errors.rest() == ["\(files.path("nothing")): No such file or directory"])
        let tooLong = "/" + String(repeating: "x", count: 107)
        let lost = try start("listen", "a", socket: tooLong)
        #expect(await lost.errors.rest() == ["\(tooLong): File name too long"])
        #expect(await lost.status() == 1)
    }

    @Test func `a question gets its own answer, or an end`() async throws {
        let daemon = try daemon()
        let nobody = try start("ask.py", "q", "1", socket: daemon.socketPath)
        #expect(await nobody.errors.next(containing: "no subscri") != nil)
        #expect(await nobody.status() == 1)

        let answering = try start("double.py", "q", socket: daemon.socketPath)
        try subscribed(daemon, "q")
        let questions = try (1...5).map { try start("ask.py", "q", "\($0)", socket: daemon.socketPath) }
        for (number, question) in zip(1..., questions) {
            #expect(await question.output.rest() == ["\(2 * number)"])
            #expect(await question.status() == 0)
        }
        answering.signal(SIGSTOP)
        #expect(await (try start("ask.py", "q", "1", socket: daemon.socketPath)).status() == 124)
        answering.signal(SIGCONT)
    }

    @Test func `a post is told from one that was refused, and from one whose answer did not come`() async throws {
        let daemon = try daemon()
        let refused = try start("post.py", "a..b", "1", socket: daemon.socketPath)
        #expect(await refused.errors.next(containing: "empty token at byte 2") != nil)
        #expect(await refused.status() == 1)
        let peer = try ScriptedPeer()
        let unanswered = try start("post.py", "a", "1", socket: peer.path)
        let connection = await peer.accept()
        #expect(await connection.line() == #"{"op": "post", "id": 1, "channel": "a", "payload": 1}"#)
        await connection.send(#"{"op":"bye","reason":"shutting_down"}"#)
        connection.hangUp()
        #expect(await unanswered.errors.rest() == ["the daemon has gone: it may have been posted, or not"])
    }
}
