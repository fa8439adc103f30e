// Policy `block` over real sockets: a poster is slowed down to its slowest reader, and nothing is lost.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct BlockTests {
    /// Longer than any test takes, so that only reading lets a poster go on.
    private static let patient = "{ limits: { block_ms: 60000 } }"
    private static let line = Array(
        "{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(SlowReaderTests.payload(5000))}\n".utf8)

    /// Sends whole lines until the daemon takes no more of them; returns how many it took.
    private func fill(_ poster: RawClient, _ daemon: TestDaemon, upTo most: Int) throws -> Int {
        var sent = 0
        var (offered, refusals) = (0, 0)
        let observer = try daemon.client()
        while offered < most * Self.line.count, refusals < 20 {
            let place = offered % Self.line.count
            let taken = try poster.offer(Self.line[place...])
            offered += taken
            refusals = taken == 0 ? refusals + 1 : 0
            // The daemon has had its turn when it has answered somebody else.
            if taken == 0 { try observer.must(#"{"op":"ping"}"#) }
        }
        // The line that is cut is sent by the caller.
        sent = offered
        return sent
    }

    @Test func `a poster waits for the reader, without work for the daemon, and nothing is lost`() throws {
        let daemon = try TestDaemon(configuration: Self.patient)
        let (poster, slow) = (try daemon.client(), try daemon.client())
        try slow.subscribe("s", ",\"buffer\":{\"policy\":\"block\",\"messages\":10}")
        let sent = try fill(poster, daemon, upTo: 2000)
        #expect(sent < 1000 * Self.line.count, "the poster is not held")
        try daemon.waitUntilQuiet("a poster that is held")
        // The rest of the cut line goes as the reader makes room.
        let count = (sent + Self.line.count - 1) / Self.line.count
        var rest = sent % Self.line.count == 0 ? [] : Array(Self.line[(sent % Self.line.count)...])
        var sequences: [Int] = []
        while sequences.count < count {
            if !rest.isEmpty { rest.removeFirst(try poster.offer(rest[...])) }
            sequences.append(try slow.line().integer("seq"))
        }
        #expect(sequences == Array(1...count))
        #expect(try poster.must(#"{"op":"stats"}"#).integer("stats", "dropped") == 0)
    }

    @Test func `a reader that is killed lets the posters go on`() throws {
        let daemon = try TestDaemon(configuration: Self.patient)
        let (poster, slow, other) = (try daemon.client(), try daemon.client(), try daemon.client())
        try slow.subscribe("s", ",\"buffer\":{\"policy\":\"block\",\"messages\":1}")
        // Others are served meanwhile.
        _ = try fill(other, daemon, upTo: 2000)
        for number in 1...100 { try poster.send("{\"op\":\"post\",\"channel\":\"t\",\"payload\":\(number)}") }
        try poster.must(#"{"op":"ping"}"#)
        try poster.send(bytes: Self.line)
        slow.close()
        try poster.must(#"{"op":"ping"}"#)
        try other.waitUntilRead()
    }

    @Test func `a reader that never reads holds its posters no longer than the limit`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { block_ms: 50 } }")
        let (poster, slow) = (try daemon.client(), try daemon.client())
        try slow.subscribe("s", ",\"buffer\":{\"policy\":\"block\",\"messages\":5}")
        for _ in 1...300 { try poster.send(bytes: Self.line) }
        try poster.post("s", "\"end\"")
        var (messages, lost) = (0, 0)
        while true {
            let line = try slow.line()
            if line.op == "gap" { lost += line.integer("count") } else { messages += 1 }
            if line.payload == "\"end\"" { break }
        }
        #expect(messages + lost == 301 && lost > 0)
    }

    @Test func `the daemon stops although posters are held, and reads what they have sent`() throws {
        let daemon = try TestDaemon(configuration: Self.patient)
        let (poster, slow) = (try daemon.client(), try daemon.client())
        try slow.subscribe("s", ",\"buffer\":{\"policy\":\"block\",\"messages\":1}")
        let listener = try daemon.client()
        try listener.subscribe("last")
        for _ in 1...20 { try poster.send(bytes: Self.line) }
        try poster.send(#"{"op":"post","channel":"last","payload":1}"#)
        daemon.signal(SIGTERM)
        slow.close()
        #expect(try listener.line().payload == "1")
    }
}
