// A connection from hello to bye, and requests whose answers nobody reads.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("Peers")
struct PeerTests {
    @Test("are told who they are and what is allowed")
    func hello() {
        let stage = Stage { $0.queueMessages = 77 }
        _ = stage.connect()
        let client = stage.connect(uid: 1001, pid: 812)
        client.post("a")
        let reply = client.ask(#"{"op":"hello","id":"h","version":1,"name":"shopd"}"#)
        #expect(reply["id"].text == "h")
        #expect(reply["version"].int == 1)
        #expect(reply["server"].text == "notifyd \(Broker.version)")
        #expect(reply["epoch"].text == "e1")
        #expect(reply["client"].int == 2)
        #expect(reply["pid"].int == 812)
        #expect(reply["uid"].int == 1001)
        #expect(reply["gid"].int == 1001)
        #expect(reply["pos"].int == 1)
        let limits = Limits()
        #expect(
            reply["limits"]
                == .object([
                    "line_bytes": .integer(Int64(limits.lineBytes)), "clients": .integer(Int64(limits.clients)),
                    "clients_per_uid": .integer(Int64(limits.clientsPerUID)),
                    "subscriptions_per_client": .integer(Int64(limits.subscriptionsPerClient)),
                    "queue_messages": .integer(77), "queue_bytes": .integer(Int64(limits.queueBytes)),
                    "dedup_window_s": .integer(Int64(limits.dedupWindowSeconds)),
                ]))
        #expect(reply["features"].elements.isEmpty == false)
    }

    @Test("with another version of the protocol learn which is spoken", arguments: [0, 2, 999])
    func version(number: Int) {
        let reply = Stage().connectAndAsk(#"{"op":"hello","id":1,"version":\#(number)}"#)
        #expect(reply.code == "unsupported_version")
        #expect(reply["supported"] == .array([.integer(1)]))
    }

    @Test("get exactly one answer for each request with an id, in order")
    func answersInOrder() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        stage.wakeUp {
            client.send(#"{"op":"ping","id":1}"#)
            client.send(#"{"op":"nope","id":2}"#)
            client.send(#"{"op":"post","id":3,"channel":"a"}"#)
            client.send(#"{"op":"ping"}"#)
            client.send("not json")
            client.send(#"{"op":"get","id":"x\u0041","channel":"a"}"#)
            client.send(#"{"op":"ping","id":9007199254740991}"#)
        }
        let raw = client.readRaw()
        let lines = raw.map { JSON($0) }
        #expect(lines.map { $0["id"].int } == [1, 2, nil, 3, nil, nil, 9_007_199_254_740_991])
        #expect(lines.map(\.op) == ["ok", "error", "message", "ok", "error", "ok", "ok"])
        #expect(raw[5].hasPrefix(#"{"op":"ok","id":"x\u0041","#), "an id is echoed as it came")
    }

    @Test("that ask and do not read are not asked from any more, until they read")
    func pause() {
        let stage = Stage()
        let client = stage.connect()
        client.block()
        var asked = 0
        while !client.isPaused, asked < 100_000 {
            client.send(#"{"op":"ping","id":1}"#)
            asked += 1
        }
        #expect(client.isPaused)
        let answer = #"{"op":"ok","id":1}"#.utf8.count + 1
        #expect(asked == (256 << 10) / answer + 1, "one answer more than 256 KiB of them")
        client.makeRoom(answer)
        #expect(!client.isPaused)
        client.unblock()
        #expect(client.read().count == asked)
        #expect(!client.isBlocked)
    }

    @Test("are not paused by messages that wait")
    func messagesDoNotPause() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        client.subscribe("a")
        client.block()
        for _ in 0..<40 { poster.post("a", "\"\(String(repeating: "x", count: 10_000))\"") }
        #expect(!client.isPaused)
        poster.subscribe("b")
        client.post("b", "1")
        #expect(poster.read().payloads == [1], "a reader that has fallen behind can still post")
    }

    @Test("that say bye get their answer and what waits, and nothing new")
    func bye() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        client.subscribe("a", #","buffer":{"messages":2}"#)
        client.block()
        for number in 1...3 { poster.post("a", "\(number)") }
        client.send(#"{"op":"bye","id":7}"#)
        #expect(client.isEnding)
        client.send(#"{"op":"ping","id":8}"#)
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)["matched"].int == 0)
        client.unblock()
        let lines = client.read()
        #expect(lines.map(\.op) == ["gap", "message", "message", "ok"])
        #expect(lines.last?["id"].int == 7)
        #expect(!client.isBlocked)
    }

    @Test("end with their input if they listen to nothing, and go on if they do")
    func endOfInput() {
        let stage = Stage()
        let quiet = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a")
        stage.endInput(of: quiet)
        stage.endInput(of: listener)
        #expect(quiet.isEnding)
        #expect(!listener.isEnding)
        stage.connect().post("a", "1")
        #expect(listener.read().payloads == [1])
    }

    @Test("are told when the daemon stops, and asked nothing more")
    func shutDown() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1")
        stage.shutDown()
        let lines = client.read()
        #expect(lines.payloads.first == 1)
        #expect(lines.last == JSON(#"{"op":"bye","reason":"shutting_down"}"#))
        #expect(client.ask(#"{"op":"ping","id":3}"#).code == "shutting_down")
        #expect(refusal(stage.tryConnect())?.code == .shuttingDown)
    }

    @Test("may be as many as the limits say, of one uid and in all")
    func quotas() {
        let stage = Stage {
            $0.clients = 6
            $0.clientsPerUID = 5
        }
        // The daemon's own user is 99, who may have all that is left.
        for uid: UInt32 in [1, 99, 99, 99, 99] { _ = stage.connect(uid: uid) }
        let last = stage.connect(uid: 99)
        #expect(refusal(stage.tryConnect(uid: 1))?.message == "limit 'clients' of the daemon is 6")
        stage.disconnect(last)
        #expect(stage.connect(uid: 99).number == 7, "numbers are not used again")
        #expect(refusal(stage.tryConnect(uid: 2))?.code == .quotaExceeded)
        let other = Stage { $0.clientsPerUID = 3 }
        for _ in 1...3 { _ = other.connect(uid: 1) }
        #expect(refusal(other.tryConnect(uid: 1))?.message == "limit 'clients_per_uid' of uid 1 is 3")
        _ = other.connect(uid: 2)
    }

    @Test("that go leave nothing behind")
    func disconnect() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        for pattern in ["a", "a.*", ">", "a.b.c"] { client.subscribe(pattern, #","type":"T""#) }
        client.subscribe(">", #","buffer":{"messages":1}"#)
        client.room = 30
        for number in 1...9 { poster.post("a.\(number)") }
        stage.disconnect(client)
        #expect(stage.pins == 0)
        #expect(stage.patternCount == 0)
        let state = stage.statistics
        #expect(state["subscriptions"].int == 0)
        #expect(state["queued_messages"].int == 0)
        #expect(state["queued_bytes"].int == 0)
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"a.1"}"#)["matched"].int == 0)
    }

    private func refusal(_ result: Result<StageClient, Refusal>) -> Refusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }
}
