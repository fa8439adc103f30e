// The end of a peer's input means "no more requests": what was asked is answered, and what is subscribed goes on
// (trial T001, variant c).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct HalfCloseTests {
    let daemon: TestDaemon
    let client: RawClient
    let other: RawClient

    init() throws {
        daemon = try TestDaemon()
        client = try daemon.client()
        other = try daemon.client()
    }

    @Test func `what was asked is answered, then the daemon closes`() throws {
        try client.send(#"{"op":"ping","id":1}"#, #"{"op":"post","id":2,"channel":"h"}"#, "oops")
        client.endOutput()
        #expect(try client.linesToEnd().map(\.op) == ["ok", "ok", "error"])
    }

    @Test func `a last line without its newline counts`() throws {
        for (text, op) in [
            (#"{"op":"ping","id":1}"#, "ok"), (#"{"op":"ping","id":1}"# + "\r", "ok"), (#"{"op":"pi"#, "error"),
        ] {
            let client = try daemon.client()
            try client.send(bytes: Array(text.utf8))
            client.endOutput()
            #expect(try client.linesToEnd().map(\.op) == [op], "\(text)")
        }
    }

    @Test func `the last line of a subscriber counts too`() throws {
        try client.send(bytes: Array(#"{"op":"subscribe","channel":"h"}"#.utf8))
        client.endOutput()
        try daemon.wait(other, "subscriptions", 1)
        try other.post("h", "1")
        #expect(try client.line().payload == "1")
    }

    @Test func `the end of a too long line is no line`() throws {
        try client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) + 1))
        client.endOutput()
        #expect(try client.linesToEnd().map(\.code) == ["line_too_long"])
    }

    @Test func `who asks nothing at all is let go`() throws {
        client.endOutput()
        #expect(try client.lineOrEnd() == nil)
        try daemon.wait(other, "clients", 1)
    }

    @Test func `a subscriber goes on getting messages until it goes`() throws {
        try client.subscribe("h", ",\"sub\":1")
        client.endOutput()
        for number in 1...100 {
            try other.post("h", "\(number)")
            #expect(try client.line().payload == "\(number)")
        }
        try daemon.waitUntilQuiet("a half-closed subscriber")
        client.close()
        try daemon.wait(other, "clients", 1)
        try daemon.wait(other, "subscriptions", 0)
    }

    @Test func `all answers are flushed before the close, however slowly they are read`() throws {
        // 40 answers of 300 KB: far more than the socket holds.
        try other.post("big", "\"\(String(repeating: "b", count: 300_000))\"", ",\"retain\":true")
        for id in 1...40 { try client.send("{\"op\":\"get\",\"id\":\(id),\"channel\":\"big\"}") }
        client.endOutput()
        try other.must(#"{"op":"ping"}"#)
        let answers = try client.linesToEnd()
        #expect(answers.map { $0.integer("id") } == Array(1...40))
        #expect(answers.allSatisfy { $0.text.utf8.count > 300_000 })
    }

    @Test func `queued messages of a half-closed subscriber are flushed`() throws {
        try client.subscribe("h")
        client.endOutput()
        let payload = "\"" + String(repeating: "q", count: 10_000) + "\""
        for _ in 1...200 { try other.send("{\"op\":\"post\",\"channel\":\"h\",\"payload\":\(payload)}") }
        try other.must(#"{"op":"ping"}"#)
        #expect(try client.lines(200).map { $0.integer("seq") } == Array(1...200))
    }
}
