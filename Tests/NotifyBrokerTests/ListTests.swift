// Who is there, on which channels, and how it goes.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("Lists")
struct ListTests {
    @Test("show channels with their numbers, subscriptions and retained messages, sorted and filtered")
    func channels() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("b.*")
        client.subscribe("b.x")
        client.post("b.x", "1", more: #","retain":true"#)
        client.post("a")
        client.post("b.x")
        _ = client.read()
        let list = client.ask(#"{"op":"channels","id":1}"#)["channels"]
        #expect(list.elements.count == 2)
        #expect(
            list[0]
                == JSON(
                    #"{"channel":"a","seq":1,"subscriptions":0,"retained":false,"retained_bytes":0,"history_messages":1,"#
                        + #""history_bytes":\#(list[0]["history_bytes"].int ?? 0),"persistent":false,"posts":1,"bytes":4,"#
                        + #""deliveries":0,"last":"2001-09-09T01:46:40.000000Z"}"#))
        #expect((list[0]["history_bytes"].int ?? 0) > 80)
        #expect(list[1]["channel"].text == "b.x")
        #expect(list[1]["retained"].bool == true)
        #expect(list[1]["retained_bytes"].int == stage.retainedBytes)
        let numbers = ["seq", "subscriptions", "history_messages", "posts", "bytes", "deliveries"].map {
            list[1][$0].int
        }
        #expect(numbers == [2, 2, 2, 2, 5, 4])
        #expect(client.ask(#"{"op":"channels","id":1,"match":"b.>"}"#)["channels"].elements.count == 1)
        #expect(client.ask(#"{"op":"channels","id":1,"match":"a"}"#)["channels"].elements.count == 1)
        #expect(client.ask(#"{"op":"channels","id":1,"match":"z"}"#)["channels"] == .array([]))
        #expect(client.ask(#"{"op":"channels","id":1,"match":"a..b"}"#).code == "invalid_pattern")
    }

    @Test("say when a channel was last posted to, and count anew when it was forgotten")
    func forgotten() {
        let stage = Stage()
        let client = stage.connect()
        for _ in 1...3 { client.post("a") }
        stage.advance(seconds: 5)
        let channel = { client.ask(#"{"op":"channels","id":1,"match":"a"}"#)["channels"][0] }
        #expect(channel()["last"].text == "2001-09-09T01:46:40.000000Z")
        for number in 1...10_000 { client.post("b.\(number)") }
        stage.pass(milliseconds: 200_000)
        _ = client.read()
        #expect(channel() == .null)
        client.post("a")
        #expect((channel()["seq"].int ?? 0) > 3)
        #expect(channel()["posts"].int == 1)
    }

    @Test("tell a channel that nobody has posted to")
    func quiet() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        let channel = client.ask(#"{"op":"channels","id":1}"#)["channels"][0]
        #expect(channel["last"] == .null)
        #expect(
            ["seq", "posts", "bytes", "history_messages", "history_bytes"].map { channel[$0].int } == [0, 0, 0, 0, 0])
    }

    @Test("show clients with what they did and what waits for them")
    func clients() {
        let stage = Stage()
        stage.now.wall = 1_796_040_000_000_000_000
        let client = stage.connect(uid: 1000, pid: 812)
        _ = client.ask(#"{"op":"hello","id":1,"version":1,"name":"shop \"d\""}"#)
        let slow = stage.connect(uid: 7, pid: 9)
        slow.subscribe("a", #","buffer":{"messages":1}"#)
        slow.block()
        for _ in 1...3 { client.post("a") }
        let list = client.ask(#"{"op":"clients","id":1}"#)["clients"]
        #expect(
            list[0]
                == JSON(
                    #"{"client":1,"pid":812,"uid":1000,"gid":1000,"name":"shop \"d\"","subscriptions":0,"posts":3,"#
                        + #""bytes_in":0,"bytes_out":\#(list[0]["bytes_out"].int ?? 0),"delivered":0,"dropped":0,"#
                        + #""queued_messages":0,"queued_bytes":0,"answer_bytes":0,"#
                        + #""connected":"2026-11-30T12:00:00.000000Z"}"#))
        #expect((list[0]["bytes_out"].int ?? 0) > 400)
        #expect(list[0]["blocked"] == .null)
        #expect(list[1]["blocked"].bool == true)
        #expect(list[1]["paused"] == .null)
        #expect(list[1]["name"] == .null)
        #expect(list[1]["dropped"].int == 2)
        #expect(list[1]["queued_messages"].int == 1)
        #expect((list[1]["queued_bytes"].int ?? 0) > 100)
        #expect(list.elements.count == 2)
    }

    @Test("say what came from a client, and when last")
    func input() {
        let stage = Stage()
        let client = stage.connect()
        stage.countInput(100, from: client)
        stage.advance(seconds: 3)
        stage.countInput(11, from: client)
        stage.advance(seconds: 3)
        let told = client.ask(#"{"op":"clients","id":1}"#)["clients"][0]
        #expect(told["bytes_in"].int == 111)
        #expect(told["connected"].text == "2001-09-09T01:46:40.000000Z")
        #expect(told["last"].text == "2001-09-09T01:46:43.000000Z")
        #expect(stage.statistics["bytes_in"].int == 111)
    }

    @Test("say why a client's requests wait: it does not read its answers")
    func unreadAnswers() {
        let stage = Stage()
        let client = stage.connect()
        client.block()
        while !client.isPaused { client.send(#"{"op":"stats","id":1}"#) }
        let told = stage.connect().ask(#"{"op":"clients","id":1}"#)["clients"][0]
        #expect(told["paused"].text == "answers")
        #expect((told["answer_bytes"].int ?? 0) > 256 << 10)
    }

    @Test("say why a client's requests wait: it posts to a full queue")
    func heldPoster() {
        let stage = Stage()
        let reader = stage.connect()
        reader.subscribe("a", #","buffer":{"policy":"block","messages":1}"#)
        reader.block()
        let poster = stage.connect()
        poster.post("a")
        poster.post("a")
        #expect(poster.isPaused)
        let told = stage.connect().ask(#"{"op":"clients","id":1}"#)["clients"]
        #expect(told[0]["paused"] == .null)
        #expect(told[1]["paused"].text == "queue")
    }

    @Test("tell how long the oldest message has waited, whatever its priority")
    func lag() {
        let stage = Stage()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.block()
        let poster = stage.connect()
        let lag = { poster.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"][0]["lag_ms"].int }
        #expect(lag() == 0)
        for priority in ["low", "normal", "high"] {
            poster.post("a", more: #","priority":"\#(priority)""#)
            stage.advance(milliseconds: 1500)
        }
        // What is sent first has waited for the shortest time.
        #expect(lag() == 4500)
        reader.unblock()
        #expect(reader.read().count == 3)
        #expect(lag() == 0)
    }

    @Test("show subscriptions with everything that was asked for")
    func subscriptions() {
        let stage = Stage()
        let client = stage.connect(uid: 1000, pid: 812)
        client.subscribe(
            "a.*", #","sub":4,"type":"T","subject":"s","from_uid":3,"echo":false,"buffer":{"messages":5,"bytes":6}"#)
        client.subscribe("b")
        client.post("b")
        _ = client.read()
        let list = client.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements
        #expect(
            list.first { $0["sub"].int == 4 }
                == JSON(
                    #"{"client":1,"pid":812,"uid":1000,"sub":4,"channel":"a.*","type":"T","subject":"s","from_uid":3,"#
                        + #""echo":false,"policy":"newest","messages":5,"bytes":6,"queued_messages":0,"#
                        + #""queued_bytes":0,"lag_ms":0,"delivered":0,"dropped":0}"#))
        let plain = list.first { $0["sub"].int == 1 }
        #expect(plain?["delivered"].int == 1)
        #expect(plain?["echo"] == .null)
        #expect(plain?["messages"].int == 65536)
        #expect(client.ask(#"{"op":"subscriptions","id":1,"match":"a.*"}"#)["subscriptions"].elements.count == 1)
        #expect(client.ask(#"{"op":"subscriptions","id":1,"match":">"}"#)["subscriptions"].elements.count == 2)
    }

    @Test("end early rather than make a line that is too long")
    func truncated() {
        let stage = Stage { $0.lineBytes = 10_000 }
        let client = stage.connect()
        for number in 1...300 { client.post("channel.with.a.long.name.\(number)") }
        client.send(#"{"op":"channels","id":1}"#)
        let raw = client.readRaw()
        #expect(raw.count == 1)
        #expect((raw.first?.utf8.count ?? 0) < 10_000)
        let reply = JSON(raw.first ?? "")
        #expect(reply["truncated"].bool == true)
        #expect(reply["channels"].elements.isEmpty == false)
        #expect(client.ask(#"{"op":"channels","id":1,"match":"channel.with.a.long.name.7"}"#)["truncated"] == .null)
    }

    @Test("sum up in the statistics")
    func statistics() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: #","retain":true"#)
        client.send("nonsense")
        for succeeded in [true, false, true] { stage.announceReload(succeeded: succeeded) }
        stage.advance(seconds: 61)
        let state = stage.statistics
        #expect(state["version"].text == Broker.version)
        #expect(state["epoch"].text == "e1")
        #expect(state["uptime_s"].int == 61)
        let expected = [
            "pos": 1, "clients": 2, "subscriptions": 1, "channels": 1, "retained": 1, "posts": 1, "deliveries": 1,
            "dropped": 0, "refused": 1, "queued_messages": 0, "queued_bytes": 0, "bytes_in": 0,
            "scheduled": 0, "scheduled_bytes": 0, "dedup_bytes": 0, "traces": 0, "input_bytes": 0, "connections": 2,
            "turned_away": 0, "slow": 0,
            "denied": 0, "reloads": 2, "reloads_failed": 1,
        ]
        for (key, value) in expected { #expect(state[key].int == value, "\(key)") }
        #expect(state["retained_bytes"].int == stage.retainedBytes)
        #expect((state["bytes_out"].int ?? 0) > 200)
        #expect((state["history_bytes"].int ?? 0) > 80)
        #expect(
            state["limits"].keys == [
                "clients", "subscriptions", "channels", "retained_bytes", "history_bytes", "scheduled_posts",
                "scheduled_bytes", "dedup_bytes", "queued_bytes", "traces", "input_bytes",
            ])
        #expect(state["limits"]["clients"].int == 32768)
        #expect(state.keys.count == expected.count + 9)
    }

    @Test("count the refusals by their codes, and name every code")
    func refusals() {
        let stage = Stage { $0.subscriptionsPerClient = 1 }
        let client = stage.connect()
        let before = stage.statistics["refusals"]
        #expect(before.keys == Set(ErrorCode.allCases.map(\.rawValue)))
        #expect(before.keys.allSatisfy { before[$0].int == 0 })
        client.send("nonsense")
        client.send("more of it")
        client.post("$notifyd.slow")
        _ = client.read()
        client.subscribe("a")
        client.send(#"{"op":"subscribe","channel":"b"}"#)
        let state = stage.statistics
        let after = state["refusals"]
        #expect(after["invalid_json"].int == 2)
        #expect(after["denied"].int == 1)
        #expect(after["quota_exceeded"].int == 1)
        #expect(state["refused"].int == after.keys.reduce(0) { $0 + (after[$1].int ?? 0) })
    }

    @Test(
        "are not answered where nobody wants an answer", arguments: ["channels", "clients", "subscriptions", "stats"])
    func silent(op: String) {
        let stage = Stage()
        let client = stage.connect()
        client.send(#"{"op":"\#(op)"}"#)
        #expect(client.read().isEmpty)
    }
}
