// Clients that share the work of a channel: one is stopped, one is killed, and nothing is done twice or not at all.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct GroupTests {
    let daemon: TestDaemon
    let poster: RawClient

    init() throws {
        daemon = try TestDaemon()
        poster = try daemon.client()
    }

    /// A client of its own process that joins the group, tells its standard output that it has, and reads nothing more.
    private func deafMember() throws -> pid_t {
        let script = """
            import socket, sys, time
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(b'{"op":"subscribe","id":1,"channel":"work","group":"g"}\\n')
            s.recv(65536)
            time.sleep(600)
            """
        return try Child.start(
            ["python3", "-c", script, daemon.socketPath], environment: ProcessInfo.processInfo.environment,
            output: "/dev/null", errors: "/dev/null")
    }

    @Test func `what waits for a member that is killed is done by the others, once`() throws {
        let healthy = try (0..<2).map { _ in try daemon.client() }
        for client in healthy { try client.subscribe("work", ",\"group\":\"g\"") }
        let deaf = try deafMember()
        try daemon.wait(poster, "subscriptions", 3)
        let payload = SlowReaderTests.payload(100_000)
        let count = 60
        var matched = 0
        for _ in 1...count {
            matched += try poster.must("{\"op\":\"post\",\"channel\":\"work\",\"payload\":\(payload)}").integer(
                "matched")
        }
        #expect(matched == count)
        let listed = try poster.must(#"{"op":"subscriptions"}"#).list("subscriptions")
        let kept = listed.reduce(0) { $0 + ($1["queued_messages"] as? Int ?? 0) }
        #expect(kept > 0)
        kill(deaf, SIGKILL)
        #expect(Child.status(of: deaf) == 128 + SIGKILL)
        try daemon.wait(poster, "subscriptions", 2)
        try poster.must(
            "{\"op\":\"batch\",\"posts\":[{\"channel\":\"work\",\"payload\":0},{\"channel\":\"work\",\"payload\":0}]}")
        var sequences: [Int] = []
        for client in healthy {
            let lines = try client.lines { $0.payload == "0" }
            sequences += lines.map { $0.integer("seq") }
            #expect(lines.allSatisfy { $0.op == "message" && $0.integer("sub") == 1 })
        }
        #expect(Set(sequences).count == sequences.count)
        // Missing is only what the kernel had taken for the one that was killed: less than a socket's buffer.
        #expect(sequences.count >= count + 2 - 5)
        #expect(try poster.must(#"{"op":"stats"}"#).integer("stats", "queued_messages") == 0)
    }

    @Test func `a member that does not read gets less to do than those that do`() throws {
        let (slow, fast) = (try daemon.client(), try daemon.client())
        for client in [slow, fast] { try client.subscribe("work", ",\"group\":\"g\"") }
        let payload = SlowReaderTests.payload(50_000)
        var done = 0
        for number in 1...200 {
            try poster.must("{\"op\":\"post\",\"channel\":\"work\",\"payload\":\(payload)}")
            let listed = try poster.must(#"{"op":"clients"}"#).list("clients")
            let delivered = listed.last?["delivered"] as? Int ?? 0
            while done < delivered {
                _ = try fast.line()
                done += 1
            }
            if number == 200 { #expect(done > 150) }
        }
    }
}
