// How much may come in a second, at the real daemon: what is refused, whose limit it is, and when it may come again.
//
// What is sent in one piece is read at one time: no token comes in between. And whoever owes tokens for a minute is
// refused however slow the machine is.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct RateTests {
    private static let me = getuid()
    private let ping = #"{"op":"ping","id":0}"#

    /// Sends the lines in one piece, and a last one that is answered always.
    private func answers(_ client: RawClient, _ lines: [String]) throws -> [ReceivedLine] {
        try client.send((lines + [#"{"op":"bye","id":"end"}"#]).joined(separator: "\n"))
        let lines = try client.lines { $0["id"] == "end" }
        #expect(lines.last?.op == "ok", "nobody is kept from going")
        return lines.dropLast()
    }

    private func post(_ id: Int) -> String { #"{"op":"post","id":\#(id),"channel":"r","payload":\#(id)}"# }

    static func batch(_ id: Int, _ count: Int) -> String {
        let posts = (1...count).map { #"{"channel":"r","payload":\#($0)}"# }
        return #"{"op":"batch","id":\#(id),"posts":[\#(posts.joined(separator: ","))]}"#
    }

    /// What a refused client is told to do.
    private func obey(_ refused: ReceivedLine) {
        let milliseconds = refused.integer("retry_ms")
        #expect(1...60_000 ~= milliseconds, "\(refused)")
        poll(nil, 0, Int32(milliseconds))
    }

    static let configurations: [(text: String, limit: String)] = [
        ("limits: { messages_per_s_per_client: 1, burst_s: 3 }", "messages_per_s_per_client' of this connection"),
        ("limits: { messages_per_s_per_uid: 1, burst_s: 3 }", "messages_per_s_per_uid' of uid \(me)"),
        (
            "quotas: [{ uid: \(me), limits: { messages_per_s_per_client: 1, burst_s: 3 } }]",
            "messages_per_s_per_client' of this connection"
        ),
        (
            "limits: { messages_per_s_per_uid: 1 }, quotas: [{ uid: \(me), limits: { messages_per_s: 1, burst_s: 3 } }]",
            "messages_per_s' of uid \(me)"
        ),
    ]

    @Test(arguments: configurations)
    func `a burst passes and not one post more, and after the time that is told one more does`(
        configuration: String, limit: String
    ) throws {
        let daemon = try TestDaemon(configuration: "{ \(configuration) }")
        let place = configuration.contains("quotas") ? " (\(daemon.directory.path("notifyd.json5")), quota 1)" : ""
        // Alike posts: from the second on they take the way of repeated ones.
        let client = try daemon.client()
        try client.send((1...5).map { post($0) }.joined(separator: "\n"))
        let answers = try client.lines(5)
        #expect(answers.map(\.op) == ["ok", "ok", "ok", "error", "error"])
        #expect(answers.map { $0.integer("id") } == [1, 2, 3, 4, 5])
        for refused in answers.suffix(2) {
            #expect(refused.code == "rate_limited" && refused.integer("retry_ms") == 1000)
            #expect(refused.message == "limit '\(limit) is 1\(place)")
        }
        try daemon.waitForLog("uid \(Self.me)) is refused: limit '\(limit) is 1\(place)")
        obey(answers[4])
        try client.send(post(6))
        #expect(try client.line().integer("seq") == 4, "neither of the refused ones was posted")
    }

    @Test func `another connection has a rate of its own, but a uid has one, whoever goes and comes`() throws {
        let own = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 1 } }")
        let batch = Self.batch(1, 100)
        #expect(try answers(own.client(), [batch, ping]).map(\.op) == ["ok", "error"])
        #expect(try answers(own.client(), [ping]).map(\.op) == ["ok"])

        let common = try TestDaemon(configuration: "{ limits: { messages_per_s_per_uid: 1 } }")
        let other = try common.client()
        #expect(try answers(common.client(), [batch, ping]).map(\.op) == ["ok", "error"])
        for client in [other, try common.client()] {
            let refused = try answers(client, [ping])
            #expect(refused.map(\.code) == ["rate_limited"])
            #expect(refused.allSatisfy { $0.integer("retry_ms") > 50_000 }, "\(refused)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func `one user that has spent what it may have does not keep another from posting`() async throws {
        let daemon = try TestDaemon(
            configuration: """
                { mode: '0666', access: [{ allow: 'post', uid: 65534 }],
                  quotas: [{ uid: 65534, limits: { messages_per_s: 1 } }] }
                """)
        try daemon.shell("chmod 755 \(daemon.directory.url.path)")
        let script = """
            import os, socket, sys
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(b'{"op":"post","channel":"r","id":1}\\n{"op":"post","channel":"r","id":2}\\n')
            s.shutdown(socket.SHUT_WR)
            print(s.makefile().read())
            """
        let outcome = try await Command.run("python3", ["-c", script, daemon.socketPath])
        #expect(outcome.output.contains("\"seq\":1"), "\(outcome.summary)")
        #expect(
            outcome.output.contains(
                "limit 'messages_per_s' of uid 65534 is 1 (\(daemon.directory.path("notifyd.json5")), quota 1)"),
            "\(outcome.summary)")
        let mine = try daemon.client()
        for number in 2...20 { #expect(try mine.post("r").integer("seq") == number) }
    }

    @Test func `blank and malformed lines count, and farewell is always taken`() throws {
        let daemon = try TestDaemon(
            configuration: "{ limits: { messages_per_s_per_client: 1, burst_s: 5, line_bytes: 8192 } }")
        #expect(
            try answers(daemon.client(), ["", "{", "{}", "   ", ping, ping, "{"]).map { $0.op + $0.code }
                == ["errorinvalid_json", "errorinvalid_request", "ok", "errorrate_limited", "errorrate_limited"])
        let tooLong = #"{"op":"post","channel":"r","payload":"\#(String(repeating: "x", count: 8192))"}"#
        #expect(
            try answers(daemon.client(), [tooLong, ping, ping, ping, ping, ping]).map { $0.op + $0.code }
                == ["errorline_too_long", "ok", "ok", "ok", "ok", "errorrate_limited"])
    }

    @Test func `a batch counts as many as it has posts, and is made as a whole or not at all`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 1, burst_s: 5 } }")
        let client = try daemon.client()
        try client.send(Self.batch(1, 4), Self.batch(2, 2), post(3), post(4))
        let answers = try client.lines(4)
        #expect(answers.map { $0.op + $0.code } == ["ok", "errorrate_limited", "ok", "errorrate_limited"])
        #expect(answers.map { $0.integer("id") } == [1, 2, 3, 4])
        #expect(answers[1].integer("retry_ms") == 1000 && answers[3].integer("retry_ms") == 1000)
        #expect(answers[2].integer("seq") == 5, "nothing of the refused batch was posted")
        obey(answers[1])
        #expect(try client.must(#"{"op":"batch","posts":[{"channel":"r"}]}"#).list("results").count == 1)
    }

    @Test(arguments: [("per_client", "this connection"), ("per_uid", "uid \(me)")])
    func `bytes count with the ends of their lines, to the last one`(limit: String, whose: String) throws {
        let daemon = try TestDaemon(
            configuration: "{ limits: { line_bytes: 8192, bytes_per_s_\(limit): 1, burst_s: 1 } }")
        /// A post whose line has so many bytes.
        func post(_ bytes: Int) -> String {
            let (head, tail) = (#"{"op":"post","id":1,"channel":"r","payload":""#, "\"}\n")
            let padding = String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count)
            return head + padding + tail.dropLast()
        }
        // A burst is no less than the longest line. Of what is used up then there is a byte more each second, and the last
        // line needs so many that it does not matter how long all this takes.
        let client = try daemon.client()
        let pings = 2 * (ping.utf8.count + 1)
        try client.send(post(8192 - pings), ping, ping, post(4000))
        let answers = try client.lines(4)
        #expect(answers.map { $0.op + $0.code } == ["ok", "ok", "ok", "errorrate_limited"])
        #expect(answers[3].message == "limit 'bytes_per_s_\(limit)' of \(whose) is 1")
        #expect(3_000_000...4_000_000 ~= answers[3].integer("retry_ms"))
    }

    @Test func `who connects too fast is told when to come again, and comes in then`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { connects_per_s_per_uid: 2, burst_s: 5 } }")
        var refused: [ReceivedLine]
        var came = 0
        repeat {
            let client = try daemon.client()
            // It may have been sent away already.
            try? client.send(#"{"op":"bye"}"#)
            refused = try client.linesToEnd()
            came += 1
        } while refused.first?.op != "error" && came < 1000
        try #require(refused.map(\.op) == ["error", "bye"])
        #expect(came > 10 && refused[0].code == "rate_limited")
        #expect(refused[0].message == "limit 'connects_per_s_per_uid' of uid \(Self.me) is 2")
        #expect(1...500 ~= refused[0].integer("retry_ms"))
        obey(refused[0])
        try daemon.client().must(#"{"op":"ping"}"#)
    }

    @Test func `what is refused because it comes too fast is traced`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 1, burst_s: 2 } }")
        let (tracer, poster) = (try daemon.client(), try daemon.client())
        try tracer.subscribe("$notifyd.trace.r")
        try poster.send([post(1), post(2), post(3), Self.batch(4, 2)].joined(separator: "\n"))
        #expect(try poster.lines(4).map(\.op) == ["ok", "ok", "error", "error"])
        let events: [[String: Any]] = try tracer.lines(5).map { $0["payload"] ?? [:] }
        #expect(events.map { $0["event"] as? String } == ["posted", "posted", "refused", "refused", "refused"])
        for event in events.suffix(3) {
            #expect(event["code"] as? String == "rate_limited")
            #expect(event["message"] as? String == "limit 'messages_per_s_per_client' of this connection is 1")
        }
    }
}
