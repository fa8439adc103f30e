// Clients that ask and ask and never read an answer: their memory has a bound, and nobody else notices.

import Foundation
import NotifyTestSupport
import Testing

@Suite("A client that never reads its answers", .ownThreads)
struct FloodTests {
    /// Sends `line` over and over until the daemon has gone to sleep without taking more, or `most` bytes are gone.
    private func flood(_ client: RawClient, _ daemon: TestDaemon, with line: String, most: Int) throws -> Int {
        let block = Array(String(repeating: line + "\n", count: (64 << 10) / (line.utf8.count + 1)).utf8)
        var sent = 0
        var rest = block[...]
        var looks = 0
        while sent < most {
            let count = try client.offer(rest)
            sent += count
            rest = count == rest.count ? block[...] : rest.dropFirst(count)
            looks = count == 0 && daemon.isAsleep ? looks + 1 : 0
            if looks == 100 { return sent }
            if looks > 0 { poll(nil, 0, 1) }
        }
        return sent
    }

    @Test(
        "is not read from any more, whatever it asks",
        arguments: [
            #"{"op":"ping","id":1}"#, #"{"op":"nope"}"#, "not json", #"{"op":"stats","id":1}"#,
            #"{"op":"hello","id":1,"version":1}"#, #"{"op":"get","id":1,"channel":"kept"}"#,
            #"{"op":"post","id":1,"channel":"a"}"#, #"{"op":"subscribe","id":1,"channel":"kept","replay":"retained"}"#,
        ])
    func bounded(request: String) throws {
        let daemon = try TestDaemon(configuration: #"{limits:{client_queue_bytes:65536}}"#)
        let witness = try daemon.client()
        try witness.post("kept", "\"\(String(repeating: "k", count: 2000))\"", #","retain":true"#)
        let before = daemon.peakMemory
        let client = try daemon.client()
        let sent = try flood(client, daemon, with: request, most: 64 << 20)
        #expect(sent < 64 << 20, "the daemon goes on reading")
        daemon.expectPeak(since: before, below: 16 << 10)
        #expect(try witness.must(#"{"op":"ping"}"#).op == "ok")
        try daemon.waitUntilQuiet("the flood")
        client.close()
        try daemon.wait(witness, "clients", 1)
    }

    @Test("gets every answer when it reads after all, in order")
    func resumes() throws {
        let daemon = try TestDaemon()
        let client = try daemon.client()
        let count = 200_000
        let requests = Array((0..<count).map { "{\"op\":\"ping\",\"id\":\($0)}\n" }.joined().utf8)
        var rest = requests[...]
        var next = 0
        while next < count {
            let sent = rest.isEmpty ? 0 : try client.offer(rest)
            rest = rest.dropFirst(sent)
            guard sent == 0 else { continue }
            // It takes no more: now one reads for a while.
            for _ in 0..<min(3000, count - next) {
                guard let line = try client.rawLine() else { throw RawClient.Failure("closed") }
                let expected = "{\"op\":\"ok\",\"id\":\(next)}"
                guard expected.utf8.elementsEqual(line) else {
                    Issue.record("\(String(decoding: line, as: UTF8.self)) instead of \(expected)")
                    return
                }
                next += 1
            }
        }
        #expect(next == count)
    }

    @Test("lets others have their turn, however much is asked for at once")
    func turns() throws {
        let daemon = try TestDaemon()
        let greedy = try daemon.client()
        let other = try daemon.client()
        try other.subscribe("end")
        // Each search looks at 60,000 channels; what follows them is the end of the flood. A sanitizer is slow to look.
        let count = Sanitizer.isPresent ? 20 : 60
        let names = (0..<60_000).map { "{\"op\":\"post\",\"channel\":\"c.\($0)\"}\n" }.joined()
        try greedy.send(bytes: Array(names.utf8))
        try greedy.must(#"{"op":"ping"}"#)
        let searches = String(repeating: #"{"op":"channels","id":1,"match":"z.*"}"# + "\n", count: count)
        try daemon.pause()
        do {
            defer { daemon.resume() }
            try greedy.send(bytes: Array((searches + #"{"op":"post","channel":"end"}"# + "\n").utf8))
            try other.send(#"{"op":"ping","id":7}"#)
        }
        #expect(try other.lines(2).map(\.op) == ["ok", "message"], "the answer does not wait for the flood to end")
        for _ in 0..<count { #expect(try greedy.line().op == "ok") }
    }
}
