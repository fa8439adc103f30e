// SIGTERM: what was sent before is still done and answered, everybody is told, nothing is left behind.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct ShutdownTests {
    let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `everybody is told and the status is 0`(signal: Int32) throws {
        let clients = try (0..<5).map { _ in try daemon.client() }
        try clients[1].subscribe("s")
        try clients[2].must(#"{"op":"ping"}"#)
        try daemon.wait(clients[0], "clients", 5)
        daemon.signal(signal)
        for client in clients {
            let lines = try client.linesToEnd()
            #expect(lines.map(\.op) == ["bye"] && lines.map { $0["reason"] } == ["shutting_down"])
        }
        #expect(daemon.waitForEnd() == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        #expect(FileManager.default.fileExists(atPath: daemon.socketPath + ".lock"))
    }

    /// Requests that had been sent when the signal came, few and more than one read takes.
    @Test(arguments: [1, 100, 6000]) func `requests already sent are done and answered`(count: Int) throws {
        let poster = try daemon.client()
        let listener = try daemon.client()
        poster.enlargeOutput(to: 1 << 20)
        try listener.subscribe("s")
        try poster.must(#"{"op":"ping"}"#)
        daemon.signal(SIGSTOP)
        let lines = (1...count).map { "{\"op\":\"post\",\"id\":\($0),\"channel\":\"s\",\"payload\":\"0123456789\"}\n" }
        // What the socket takes now: the stopped daemon reads nothing.
        let bytes = Array(lines.joined().utf8)
        let sent = bytes.prefix(try poster.offer(bytes[...])).count { $0 == 10 }
        daemon.signal(SIGTERM)
        daemon.signal(SIGCONT)
        let answers = try poster.linesToEnd()
        #expect(sent > count / 2 && answers.dropLast().map { $0.integer("id") } == Array(1...sent))
        #expect(answers.last?.op == "bye")
        let messages = try listener.linesToEnd()
        #expect(messages.dropLast().map { $0.integer("seq") } == Array(1...sent))
        #expect(messages.last?.op == "bye")
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `requests of somebody who rests after much work are done, too`() throws {
        let (busy, other) = (try daemon.client(), try daemon.client())
        // None of the patterns matches, but a search for those that do goes through all of them.
        for number in 0..<256 {
            let levels = (0..<8).map { number >> $0 & 1 == 0 ? "*" : "l" }
            try other.subscribe(levels.joined(separator: ".") + ".end")
        }
        let channel = (0..<8).map { _ in "l" }.joined(separator: ".")
        let posts = (1...300).map { "{\"channel\":\"\(channel).n\($0)\"}" }.joined(separator: ",")
        try daemon.pause()
        try busy.send("{\"op\":\"batch\",\"id\":1,\"posts\":[\(posts)]}", #"{"op":"post","id":2,"channel":"last"}"#)
        // Nobody rests unless others ask for something.
        try other.send(#"{"op":"ping","id":3}"#)
        daemon.signal(SIGTERM)
        daemon.resume()
        let lines = try busy.linesToEnd()
        #expect(lines.map(\.op) == ["ok", "ok", "bye"] && lines[1].integer("id") == 2)
        #expect(try other.linesToEnd().map(\.op) == ["ok", "bye"])
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `queued messages are flushed before the bye`() throws {
        let poster = try daemon.client()
        let listener = try daemon.client()
        try listener.subscribe("s")
        let payload = "\"" + String(repeating: "q", count: 10_000) + "\""
        for _ in 1...200 { try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(payload)}") }
        try poster.must(#"{"op":"ping"}"#)
        daemon.signal(SIGTERM)
        let lines = try listener.linesToEnd()
        #expect(lines.dropLast().map { $0.integer("seq") } == Array(1...200))
        #expect(lines.last?.op == "bye")
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `a second signal ends at once, also with a peer that does not read`() throws {
        let poster = try daemon.client()
        let deaf = try daemon.client()
        try deaf.subscribe("s")
        let payload = "\"" + String(repeating: "q", count: 10_000) + "\""
        for _ in 1...200 { try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(payload)}") }
        try poster.must(#"{"op":"ping"}"#)
        daemon.signal(SIGTERM)
        // The others do not wait for it.
        #expect(try poster.linesToEnd().map(\.op) == ["bye"])
        #expect(daemon.isRunning)
        #expect(daemon.end(SIGTERM) == 0)
    }

    @Test func `nobody new comes in while it drains`() throws {
        let poster = try daemon.client()
        let deaf = try daemon.client()
        try deaf.subscribe("s")
        let payload = "\"" + String(repeating: "q", count: 10_000) + "\""
        for _ in 1...200 { try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(payload)}") }
        try poster.must(#"{"op":"ping"}"#)
        daemon.signal(SIGTERM)
        _ = try poster.linesToEnd()
        #expect(throws: RawClient.Failure.self) { try daemon.client() }
        daemon.end(SIGTERM)
    }

    @Test func `it starts again at the same place with a new epoch`() throws {
        let first = try daemon.client().must(#"{"op":"hello","version":1}"#)
        daemon.end()
        try daemon.start()
        let second = try daemon.client().must(#"{"op":"hello","version":1}"#)
        #expect(first["epoch"] != second["epoch"] as String?)
        #expect(second.integer("pos") == 0)
    }

    @Test func `after a crash it starts again over the stale socket`() throws {
        daemon.end(SIGKILL)
        #expect(FileManager.default.fileExists(atPath: daemon.socketPath))
        try daemon.start()
        try daemon.client().must(#"{"op":"ping"}"#)
    }

    /// As many as the log names, and one more.
    @Test(arguments: [1, 5, 6]) func `the log names those who have not read their last lines`(count: Int) throws {
        let poster = try daemon.client()
        let stuck = try (1...count).map { _ in try daemon.client() }
        for client in stuck { try client.subscribe("s") }
        let payload = "\"" + String(repeating: "q", count: 100_000) + "\""
        for _ in 1...20 { try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(payload)}") }
        try poster.must(#"{"op":"ping"}"#)
        #expect(daemon.end(SIGTERM) == 0)
        let line = try #require(daemon.log.split(separator: "\n").first { $0.contains("last lines in time") })
        let clients = count == 1 ? "1 client" : "\(count) clients"
        #expect(line.contains("\(clients) did not read their last lines in time: client "), "\(line)")
        let named = line.ranges(of: "(process \(getpid()) ").count
        #expect(named == min(count, 5), "\(line)")
        #expect(line.hasSuffix(count > 5 ? ", and 1 more" : ")"), "\(line)")
    }
}
