// Lines that begin and do not end: what has come of them is on their user's account, and is bounded.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct HalfLineTests {
    private func daemon(perUID: Int) throws -> TestDaemon {
        try TestDaemon(
            configuration: """
                {
                    access: [{ allow: "all" }],
                    limits: {
                        input_bytes: \(2 * perUID), input_bytes_per_uid: \(perUID), clients: 1000, clients_per_uid: 1000,
                    },
                }
                """, socket: "@notifyd-half-lines-\(getpid())-\(UInt32.random(in: 0 ... .max))")
    }

    /// The beginning of a post that is so long.
    private func half(_ count: Int, id: Int = 7) -> [UInt8] {
        let head = Array("{\"op\":\"post\",\"id\":\(id),\"channel\":\"long\",\"payload\":\"".utf8)
        return head + [UInt8](repeating: UInt8(ascii: "x"), count: count - head.count)
    }

    private let rest = Array("\"}\n".utf8)

    private func account(_ client: RawClient) throws -> [String: Any] {
        let stats: [String: Any]? = try client.must(#"{"op":"stats"}"#)["stats"]
        return try #require((stats?["accounts"] as? [[String: Any]])?.first)
    }

    @Test func `whoever has no room for more is told, and goes; what came before is done and answered`() throws {
        let daemon = try daemon(perUID: 400_000)
        let greedy = try daemon.client()
        // One that is alone has half of it.
        // It is not read to its end.
        try? greedy.send(bytes: Array("{\"op\":\"post\",\"id\":6,\"channel\":\"long\"}\n".utf8) + half(250_000))
        let lines = try greedy.linesToEnd()
        #expect(lines.map(\.op) == ["ok", "error", "bye"])
        #expect(lines[0].integer("id") == 6 && !lines[1].has("id"))
        #expect(lines[1].code == "quota_exceeded" && lines[2]["reason"] == "quota_exceeded")
        #expect(lines[1].message.contains("'input_bytes_per_uid' of uid \(getuid()) is 400000"))
        try daemon.waitForLog("process \(getpid())", "is refused: limit 'input_bytes_per_uid'")
        let patient = try daemon.client()
        try patient.send(bytes: half(100_000))
        try patient.waitUntilRead()
        #expect(try account(daemon.client())["input_bytes"] as? Int ?? 0 >= 100_000)
        try patient.send(bytes: rest)
        #expect(try patient.line().integer("seq") == 2)
        #expect(try account(patient)["input_bytes"] as? Int == 0)
    }

    @Test(arguments: [1, 40, 16_000, 20_000, 200_000])
    func `lines come through in pieces of whatever size, byte for byte`(piece: Int) throws {
        let daemon = try daemon(perUID: 40_000_000)
        let (poster, listener) = (try daemon.client(), try daemon.client())
        try listener.subscribe("long")
        let count = piece == 1 ? 3000 : 300_000
        let lines = (1...3).map { half(count + $0, id: $0) + rest }
        let bytes = Array(lines.joined())
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try poster.send(bytes: Array(bytes[start..<min(bytes.count, start + piece)]))
            try poster.waitUntilRead()
        }
        #expect(try poster.lines(3).map { $0.integer("id") } == [1, 2, 3])
        for (line, message) in zip(lines, try listener.lines(3)) {
            let payload: String? = message["payload"]
            #expect(payload == String(repeating: "x", count: line.count { $0 == UInt8(ascii: "x") }))
        }
        #expect(try account(poster)["input_bytes"] as? Int == 0)
    }

    @Test func `of somebody who says no more nothing is kept, the last line without its end is handled`() throws {
        let daemon = try daemon(perUID: 400_000)
        let (client, other) = (try daemon.client(), try daemon.client())
        try client.subscribe("news")
        try client.send(bytes: Array("{\"op\":\"ping\",\"id\":5}".utf8))
        try client.waitUntilRead()
        #expect(try account(other)["input_bytes"] as? Int ?? 0 > 0)
        client.endOutput()
        #expect(try client.line().integer("id") == 5)
        #expect(try account(other)["input_bytes"] as? Int == 0)
        // It is still there.
        try other.post("news")
        #expect(try client.line().op == "message")
    }

    @Test(.enabled(if: getuid() == 0, "becomes another user"))
    func `very many half lines of one user take no more than its share, and others get theirs through`() async throws {
        let daemon = try daemon(perUID: 4_000_000)
        let crowd = try (1...300).map { _ in try daemon.client() }
        for client in crowd { _ = try client.offer(half(60_000)[...]) }
        for client in crowd where (try? client.waitUntilRead()) != nil {}
        let sibling = try daemon.client()
        #expect(try account(sibling)["input_bytes"] as? Int ?? .max <= 4_000_000)
        // A short one of the same user, in two pieces.
        try sibling.send(bytes: Array("{\"op\":\"ping\",".utf8))
        try sibling.waitUntilRead()
        try sibling.send(bytes: Array("\"id\":5}\n".utf8))
        #expect(try sibling.line().integer("id") == 5)
        // A long one of another.
        let post = try await Command.run(
            "/bin/sh",
            [
                "-c", "head -c 500000 /dev/zero | tr '\\0' x | \"$@\"", "sh", "setpriv", "--reuid=23001",
                "--regid=23001", "--clear-groups", Checkout.program("notifyctl"), "--socket", daemon.socketPath, "post",
                "long", "--text", "-",
            ])
        #expect(post.status == 0, "\(post.summary)")
        // Who was turned out was told why; all others can go on.
        var turnedOut = 0
        for client in crowd {
            try? client.send(bytes: rest)
            let first = try client.line()
            if first.op == "ok" { continue }
            turnedOut += 1
            #expect(first.code == "quota_exceeded")
        }
        #expect(turnedOut > 100 && turnedOut < 300)
    }
}
