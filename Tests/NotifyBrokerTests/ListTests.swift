// Who is there, on which channels, and how it goes.

import NotifyBroker
import NotifyTestSupport
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
        #expect(
            client.ask(#"{"op":"channels","id":1}"#)["channels"]
                == JSON(
                    #"[{"channel":"a","seq":1,"subscriptions":0,"retained":false},"#
                        + #"{"channel":"b.x","seq":2,"subscriptions":2,"retained":true}]"#))
        #expect(client.ask(#"{"op":"channels","id":1,"match":"b.>"}"#)["channels"].elements.count == 1)
        #expect(client.ask(#"{"op":"channels","id":1,"match":"a"}"#)["channels"].elements.count == 1)
        #expect(client.ask(#"{"op":"channels","id":1,"match":"z"}"#)["channels"] == .array([]))
        #expect(client.ask(#"{"op":"channels","id":1,"match":"a..b"}"#).code == "invalid_pattern")
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
                        + #""delivered":0,"dropped":0,"queued_messages":0,"queued_bytes":0,"#
                        + #""connected":"2026-11-30T12:00:00.000000Z"}"#))
        #expect(list[1]["name"] == .null)
        #expect(list[1]["dropped"].int == 2)
        #expect(list[1]["queued_messages"].int == 1)
        #expect((list[1]["queued_bytes"].int ?? 0) > 100)
        #expect(list.elements.count == 2)
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
                        + #""queued_bytes":0,"delivered":0,"dropped":0}"#))
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
        stage.advance(seconds: 61)
        let state = stage.statistics
        #expect(state["version"].text == Broker.version)
        #expect(state["epoch"].text == "e1")
        #expect(state["uptime_s"].int == 61)
        let expected = [
            "pos": 1, "clients": 2, "subscriptions": 1, "channels": 1, "retained": 1, "posts": 1, "deliveries": 1,
            "dropped": 0, "refused": 1, "queued_messages": 0, "queued_bytes": 0, "bytes_in": 0,
            "scheduled": 0, "scheduled_bytes": 0, "dedup_bytes": 0,
        ]
        for (key, value) in expected { #expect(state[key].int == value, "\(key)") }
        #expect(state["retained_bytes"].int == stage.retainedBytes)
        #expect((state["bytes_out"].int ?? 0) > 200)
        #expect(state.keys.count == expected.count + 5)
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
