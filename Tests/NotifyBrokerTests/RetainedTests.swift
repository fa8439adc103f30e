// A channel's last value: kept, replayed, cleared, and the seam between replay and live messages.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Retained messages")
struct RetainedTests {
    @Test("are kept, replaced, and given to whoever asks", arguments: ["1", "null", #""""#, "{}", "[]", "0", "false"])
    func kept(payload: String) {
        let stage = Stage()
        let client = stage.connect()
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#) == JSON(#"{"op":"ok","id":1,"message":null}"#))
        client.post("a", "\"old\"", more: #","retain":true"#)
        client.post("a", payload, more: #","retain":true,"type":"T","subject":"s""#)
        client.post("a", "\"live only\"")
        let kept = client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]
        #expect(kept["payload"] == JSON(payload))
        #expect(kept["seq"].int == 2)
        #expect(kept["pos"].int == 2)
        #expect(kept["type"].text == "T")
        #expect(kept["subject"].text == "s")
        #expect(kept["retain"].bool == true)
        #expect(kept["sub"] == .null)
        #expect(kept["op"] == .null)

        #expect(client.ask(#"{"op":"clear","id":2,"channel":"a"}"#) == JSON(#"{"op":"ok","id":2}"#))
        #expect(client.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"] == .null)
        #expect(client.ask(#"{"op":"clear","id":3,"channel":"a"}"#).op == "ok")
        #expect(stage.retainedBytes == 0)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a"}"#)["seq"].int == 4, "clearing does not renumber")
    }

    @Test("are replayed in the order of their positions, then comes `live`, then what is new")
    func replayOrder() {
        let stage = Stage()
        let poster = stage.connect()
        for channel in ["b", "a", "c.d", "a"] { poster.post(channel, "1", more: #","retain":true"#) }
        let client = stage.connect()
        client.send(#"{"op":"subscribe","id":1,"channel":">","sub":9,"replay":"retained"}"#)
        poster.post("b", "2")
        let lines = client.read()
        #expect(lines.map(\.op) == ["ok", "message", "message", "message", "live", "message"])
        #expect(lines[0] == JSON(#"{"op":"ok","id":1,"sub":9,"pos":4}"#))
        #expect(lines.messages.map { $0["channel"].text } == ["b", "c.d", "a", "b"])
        #expect(lines.messages.map { $0["replay"].bool } == [true, true, true, nil])
        #expect(lines[4] == JSON(#"{"op":"live","sub":9,"pos":4}"#))
    }

    @Test("come with `live` only if a replay was asked for")
    func replayNone() {
        let stage = Stage()
        let client = stage.connect()
        client.post("a", "1", more: #","retain":true"#)
        client.subscribe("a", #","replay":"none""#)
        client.subscribe("a")
        client.send(#"{"op":"subscribe","channel":"other","replay":"retained"}"#)
        #expect(client.read() == [JSON(#"{"op":"live","sub":3,"pos":1}"#)])
    }

    @Test(
        "pass the filters of the subscription",
        arguments: [
            (#","type":"T""#, [2, 4]), (#","subject":"s""#, [3, 4]), (#","from_uid":7"#, [5]), (#","type":"X""#, []),
            (#","echo":false"#, [1, 2, 3, 4, 5]),
        ])
    func filters(more: String, expected: [Int]) {
        let stage = Stage()
        let poster = stage.connect(uid: 1)
        poster.post("a.1", "1", more: #","retain":true"#)
        poster.post("a.2", "2", more: #","retain":true,"type":"T""#)
        poster.post("a.3", "3", more: #","retain":true,"subject":"s""#)
        poster.post("a.4", "4", more: #","retain":true,"type":"T","subject":"s""#)
        stage.connect(uid: 7).post("a.5", "5", more: #","retain":true"#)
        let client = stage.connect()
        client.send(#"{"op":"subscribe","channel":"a.*","replay":"retained"\#(more)}"#)
        #expect(client.read().payloads == expected)
    }

    @Test("never come after a newer value of their channel")
    func seam() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        for round in 1...20 {
            stage.wakeUp {
                poster.post("a", "\(2 * round - 1)", more: #","retain":true"#)
                client.send(#"{"op":"subscribe","channel":"a","sub":\#(round),"replay":"retained"}"#)
                poster.post("a", "\(2 * round)", more: #","retain":true"#)
                client.send(#"{"op":"unsubscribe","sub":\#(round)}"#)
            }
            #expect(client.read().payloads == [2 * round - 1, 2 * round])
        }
    }

    @Test("come all of them, however small the queue and however late the reader", arguments: [1, 2, 5])
    func overflow(limit: Int) {
        let stage = Stage()
        let poster = stage.connect()
        for number in 1...4 { poster.post("a.\(number)", "\(number)", more: #","retain":true"#) }
        let client = stage.connect()
        client.block()
        client.send(#"{"op":"ping","id":1}"#)
        client.send(#"{"op":"subscribe","channel":"a.*","replay":"retained","buffer":{"messages":\#(limit)}}"#)
        // What is posted meanwhile has the queue for itself.
        for number in 5...8 { poster.post("a.\(number)", "\(number)") }
        client.unblock()
        let lines = client.read()
        let kept = Array(5...8).suffix(limit)
        #expect(lines.payloads == [1, 2, 3, 4] + kept)
        #expect(lines.gaps.count == 4 - kept.count)
        #expect(lines.firstIndex { $0.op == "live" } == 5)
    }

    @Test("may take as many bytes as the limit says, and are given back when replaced")
    func quota() {
        let stage = Stage { $0.retainedBytes = 3000 }
        let client = stage.connect(uid: 99)
        let big = "\"\(String(repeating: "x", count: 1500))\""
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(big),"retain":true}"#).op == "ok")
        let refused = client.ask(#"{"op":"post","id":2,"channel":"b","payload":\#(big),"retain":true}"#)
        #expect(refused.code == "quota_exceeded")
        #expect(refused.message.contains("retained_bytes") && refused.message.contains("3000"))
        #expect(client.ask(#"{"op":"post","id":3,"channel":"b","payload":\#(big)}"#).op == "ok")
        #expect(client.ask(#"{"op":"clear","id":4,"channel":"a"}"#).op == "ok")
        #expect(client.ask(#"{"op":"post","id":5,"channel":"b","payload":\#(big),"retain":true}"#).op == "ok")
        #expect(stage.retainedBytes <= 3000)
        #expect(stage.statistics["retained"].int == 1)
    }

    @Test("of wrong names are refused", arguments: [("get", "a..b"), ("clear", "a.*"), ("get", ">"), ("clear", "")])
    func names(op: String, channel: String) {
        let reply = Stage().connectAndAsk(#"{"op":"\#(op)","id":1,"channel":"\#(channel)"}"#)
        #expect(reply.code == "invalid_channel")
    }

    @Test("of the daemon's own channels cannot be cleared")
    func reserved() {
        #expect(Stage().connectAndAsk(#"{"op":"clear","id":1,"channel":"$notifyd.x"}"#).code == "denied")
        #expect(Stage().connectAndAsk(#"{"op":"get","id":1,"channel":"$notifyd.x"}"#)["message"] == .null)
    }
}

extension Stage {
    func connectAndAsk(_ line: String) -> JSON { connect().ask(line) }
}
