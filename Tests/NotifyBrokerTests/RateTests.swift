// How much may come in a second, of a connection and of a uid, and what is told when it is too much.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Rates")
struct RateTests {
    private let ping = #"{"op":"ping","id":1}"#

    @Test("let a burst pass, then as many as they say; what is refused says which limit, whose, and when to come back")
    func messages() {
        let stage = Stage {
            $0.messagesPerSecondPerClient = 10
            $0.burstSeconds = 2
        }
        let client = stage.connect(uid: 1)
        for _ in 1...20 { #expect(client.ask(ping).op == "ok") }
        let refused = client.ask(ping)
        #expect(refused.code == "rate_limited" && refused["retry_ms"].int == 100 && refused["id"].int == 1)
        #expect(refused.message == "limit 'messages_per_s_per_client' of this connection is 10")
        #expect(stage.connect(uid: 1).ask(ping).op == "ok", "another connection has a rate of its own")
        stage.advance(milliseconds: 99)
        #expect(client.ask(ping)["retry_ms"].int == 1)
        stage.advance(milliseconds: 1)
        #expect(client.ask(ping).op == "ok")
        #expect(client.ask(ping).code == "rate_limited")
    }

    @Test("say when to come back in whole milliseconds, not one too early")
    func rounding() {
        let stage = Stage { $0.messagesPerSecondPerClient = 3 }
        let client = stage.connect(uid: 1)
        for _ in 1...3 { #expect(client.ask(ping).op == "ok") }
        #expect(client.ask(ping)["retry_ms"].int == 334)
        stage.advance(milliseconds: 334)
        #expect(client.ask(ping).op == "ok")
    }

    @Test("of a uid count all its connections, and last longer than they do")
    func uid() {
        let stage = Stage { $0.messagesPerSecondPerUID = 4 }
        let one = stage.connect(uid: 1)
        let two = stage.connect(uid: 1)
        for _ in 1...2 {
            #expect(one.ask(ping).op == "ok")
            #expect(two.ask(ping).op == "ok")
        }
        #expect(two.ask(ping).message == "limit 'messages_per_s_per_uid' of uid 1 is 4")
        stage.disconnect(one)
        stage.disconnect(two)
        for uid in 100..<120 as Range<UInt32> { stage.disconnect(stage.connect(uid: uid)) }
        #expect(stage.connect(uid: 1).ask(ping).code == "rate_limited")
        #expect(stage.connect(uid: 2).ask(ping).op == "ok")
        let told = stage.takeExcesses()
        #expect(told.count == 2 && told[0].uid == 1 && told[0].reason.contains("messages_per_s_per_uid"))
    }

    @Test("that are both exceeded tell the longer wait; what they have turned away is counted")
    func both() {
        let stage = Stage {
            $0.messagesPerSecondPerClient = 1
            $0.bytesPerSecondPerUID = 10
            $0.lineBytes = 8192
        }
        let client = stage.connect(uid: 1)
        let head = #"{"op":"post","id":1,"channel":"a","payload":""#
        // With its end it leaves a single byte.
        let long = head + String(repeating: "x", count: 8192 - 1 - head.utf8.count - 3) + #""}"#
        #expect(client.ask(long).op == "ok")
        let refused = client.ask(ping)
        #expect(refused.message == "limit 'messages_per_s_per_client' of this connection is 1")
        #expect(refused["retry_ms"].int == 100 * ping.utf8.count)
        stage.advance(seconds: 1)
        let again = client.ask(ping)
        #expect(again.message == "limit 'bytes_per_s_per_uid' of uid 1 is 10")
        #expect(again["retry_ms"].int == 100 * ping.utf8.count - 1000)
        let account = stage.statistics["accounts"].elements.first { $0["uid"].int == 1 }
        #expect(account?["rate_limited"].int == 2 && account?["refused"].int == 2)
    }

    @Test("count malformed and blank lines, too, and refused ones cost nothing")
    func malformed() {
        let stage = Stage { $0.messagesPerSecondPerClient = 4 }
        let client = stage.connect()
        for line in ["", "{", "{}", "   "] { client.send(line) }
        #expect(client.read().map(\.code) == ["invalid_json", "invalid_request"])
        for line in ["{", "{}"] { #expect(client.ask(line).code == "rate_limited") }
        stage.advance(milliseconds: 250)
        #expect(client.ask(ping).op == "ok")
    }

    @Test("of bytes count lines with their ends, and let the longest line pass")
    func bytes() {
        let stage = Stage {
            $0.bytesPerSecondPerClient = 1000
            $0.lineBytes = 8192
        }
        let client = stage.connect()
        let long = #"{"op":"post","id":1,"channel":"a","payload":"\#(String(repeating: "x", count: 8000))"}"#
        #expect(client.ask(long).op == "ok")
        let rest = 8192 - long.utf8.count - 1
        let short = 1 + rest / (ping.utf8.count + 1)
        for number in 1...short { #expect((client.ask(ping).op == "ok") == (number < short)) }
        stage.advance(seconds: 8)
        #expect(client.ask(long).code == "rate_limited")
        stage.advance(seconds: 1)
        #expect(client.ask(long).message != "rate_limited")
    }

    @Test(
        "of bytes let as much come at once as comes in the burst's time, but no less than one longest line, to the byte",
        arguments: [(1, 1, 8192), (1000, 8, 8192), (8192, 1, 8192), (8193, 1, 8193), (1000, 9, 9000)])
    func floor(rate: Int, seconds: Int, burst: Int) {
        for key in [\Limits.bytesPerSecondPerUID, \Limits.bytesPerSecondPerClient] {
            for excess in [0, 1] {
                let stage = Stage {
                    $0[keyPath: key] = rate
                    $0.burstSeconds = seconds
                    $0.lineBytes = 8192
                }
                let client = stage.connect(uid: 1)
                let head = #"{"op":"post","id":1,"channel":"a","payload":""#
                // With its end it leaves as many bytes as the next line has, or one less.
                let length = burst + excess - (ping.utf8.count + 1) - head.utf8.count - 3
                // No line is longer than may be.
                let first = min(length, 8000)
                #expect(client.ask(head + String(repeating: "x", count: first) + #""}"#).op == "ok")
                if first < length {
                    let second = String(repeating: " ", count: length - first - 1)
                    client.send(second)
                }
                #expect(client.ask(ping).code == (excess == 0 ? nil : "rate_limited"), "\(excess)")
            }
        }
    }

    @Test("of connections turn away who comes too fast, until enough time has passed")
    func connects() {
        let stage = Stage { $0.connectsPerSecondPerUID = 3 }
        for _ in 1...3 { stage.disconnect(stage.connect(uid: 1)) }
        guard case .failure(let refusal) = stage.tryConnect(uid: 1) else {
            Issue.record("a fourth came in")
            return
        }
        #expect(refusal.code == .rateLimited && refusal.retry == 333_334_000)
        #expect(refusal.message == "limit 'connects_per_s_per_uid' of uid 1 is 3")
        // Nothing is left of it but this, and yet it is not forgotten when others come.
        for uid in 100..<120 as Range<UInt32> { stage.disconnect(stage.connect(uid: uid)) }
        if case .success = stage.tryConnect(uid: 1) { Issue.record("a fourth came in") }
        _ = stage.connect(uid: 2)
        stage.advance(milliseconds: 334)
        _ = stage.connect(uid: 1)
    }

    @Test("count from the moment on at which they are configured, for those who are there, and no longer than they are")
    func reload() {
        let stage = Stage()
        let client = stage.connect()
        #expect(!client.peer.pointee.isMetered)
        stage.setLimits { $0.messagesPerSecondPerClient = 1 }
        #expect(client.ask(ping).op == "ok" && client.ask(ping).code == "rate_limited")
        stage.setLimits { $0.messagesPerSecondPerClient = 0 }
        #expect(!client.peer.pointee.isMetered)
        for _ in 1...10 { #expect(client.ask(ping).op == "ok") }
    }
}
