// Subscribing, filters, and the end of a subscription.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    @Test("are numbered from the lowest free number unless the client chooses")
    func numbers() {
        let stage = Stage()
        let client = stage.connect()
        #expect(client.subscribe("a")["sub"].int == 1)
        #expect(client.subscribe("a", #","sub":3"#)["sub"].int == 3)
        #expect(client.subscribe("b.*")["sub"].int == 2)
        #expect(client.subscribe("c")["sub"].int == 4)
        #expect(client.ask(#"{"op":"unsubscribe","id":1,"sub":2}"#).op == "ok")
        #expect(client.subscribe("d")["sub"].int == 2)
        #expect(client.subscribe("e", #","sub":4294967295"#)["sub"].int == 4_294_967_295)
        let reply = client.ask(#"{"op":"subscribe","id":9,"channel":"z","sub":3}"#)
        #expect(reply.code == "duplicate_subscription")
        #expect(reply["id"].int == 9)
    }

    @Test("find the lowest free number also among many", arguments: [7, 8, 9, 10, 60])
    func manyNumbers(count: Int) {
        let stage = Stage()
        let client = stage.connect()
        for number in 1...count { #expect(client.subscribe("a.\(number)")["sub"].int == number) }
        for number in [3, 1, count] {
            #expect(client.ask(#"{"op":"unsubscribe","id":1,"sub":\#(number)}"#).op == "ok")
            #expect(client.ask(#"{"op":"unsubscribe","id":1,"sub":\#(number)}"#).code == "unknown_subscription")
        }
        for number in [1, 3, count] { #expect(client.subscribe("b")["sub"].int == number) }
        client.post("b")
        #expect(client.read().count == 3)
        #expect(stage.statistics["subscriptions"].int == count)
    }

    @Test(
        "deliver only what their filters pass",
        arguments: [
            ("", [1, 2, 3, 4, 5]), (#","type":"T""#, [2, 4]), (#","subject":"s""#, [3, 4]),
            (#","type":"T","subject":"s""#, [4]), (#","type":"t""#, []), (#","from_uid":1000"#, [1, 2, 3, 4]),
            (#","from_uid":7"#, [5]), (#","from_uid":0"#, []), (#","type":"T","from_uid":7"#, []),
            (#","type":"\u0054""#, [2, 4]),
        ])
    func filters(more: String, expected: [Int]) {
        let stage = Stage()
        let listener = stage.connect(uid: 1)
        listener.subscribe("a.*", more)
        listener.subscribe("a.x", more)
        let poster = stage.connect(uid: 1000)
        poster.post("a.x", "1")
        poster.post("a.x", "2", more: #","type":"T""#)
        poster.post("a.x", "3", more: #","subject":"s""#)
        poster.post("a.x", "4", more: #","subject":"s","type":"T""#)
        stage.connect(uid: 7).post("a.x", "5")
        let lines = listener.read()
        #expect(lines.filter { $0["sub"].int == 1 }.payloads == expected)
        #expect(lines.filter { $0["sub"].int == 2 }.payloads == expected)
        #expect(
            poster.ask(#"{"op":"post","id":1,"channel":"a.x","type":"Q"}"#)["matched"].int
                == (more.isEmpty ? 2 : more == #","from_uid":1000"# ? 2 : 0))
    }

    @Test("hear the connection's own posts unless they ask not to")
    func echo() {
        let stage = Stage()
        let client = stage.connect()
        let other = stage.connect()
        client.subscribe("a", #","echo":false"#)
        client.subscribe("a", #","echo":true"#)
        other.subscribe("a", #","echo":false"#)
        #expect(client.number != other.number)
        client.post("a", "1")
        other.post("a", "2")
        #expect(client.read().map { [$0["sub"].int, $0["payload"].int] } == [[2, 1], [1, 2], [2, 2]])
        #expect(other.read().payloads == [1])
    }

    @Test("end with their last line before the reply, and nothing comes after it")
    func unsubscribeWithWaitingLines() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        client.subscribe("a")
        client.room = 20
        for number in 1...3 { poster.post("a", "\(number)") }
        client.send(#"{"op":"unsubscribe","id":5,"sub":1}"#)
        poster.post("a", "4")
        client.unblock()
        let lines = client.read()
        #expect(lines.payloads == [1], "a line that has begun is finished, the rest is given up")
        #expect(lines.last?["id"].int == 5)
        #expect(stage.pins == 0)
        #expect(stage.statistics["queued_messages"].int == 0)
    }

    @Test("that reuse a number within one wake-up do not inherit the lines of the earlier one")
    func numberUsedAgain() {
        let stage = Stage()
        let poster = stage.connect()
        let client = stage.connect()
        client.subscribe("a", #","sub":1"#)
        client.block()
        stage.wakeUp {
            poster.post("a", "1")
            client.send(#"{"op":"unsubscribe","id":2,"sub":1}"#)
            client.send(#"{"op":"subscribe","id":3,"channel":"b","sub":1,"buffer":{"messages":1}}"#)
            poster.post("b", "2")
        }
        poster.post("b", "3")
        client.unblock()
        let lines = client.read()
        #expect(lines.map { $0["payload"].int ?? $0["id"].int ?? $0["count"].int } == [1, 2, 3, 1, 3])
        #expect(lines.gaps.map { $0["channel"].text } == ["b"])
        let own = client.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"][0]
        #expect(own["delivered"].int == 1)
        #expect(own["dropped"].int == 1)
    }

    @Test(
        "are refused where the request is wrong",
        arguments: [
            (#""channel":"a.>.b""#, "invalid_pattern"), (#""channel":"a*""#, "invalid_pattern"),
            (#""channel":"""#, "invalid_pattern"), (#""channel":"a","sub":0"#, "invalid_field"),
            (#""channel":"a","sub":4294967296"#, "invalid_field"), (#""channel":"a","sub":-1"#, "invalid_field"),
            (#""channel":"a","sub":"1""#, "invalid_field"), (#""channel":"a","from_uid":4294967296"#, "invalid_field"),
            (#""channel":"a","replay":{"last":0}"#, "invalid_field"), (#""channel":"a","group":"""#, "invalid_field"),
            (#""channel":"a","buffer":{"policy":"best"}"#, "invalid_field"),
            (#""channel":"a","buffer":{"messages":0}"#, "invalid_field"),
            (#""channel":"a","buffer":{"messages":65537}"#, "invalid_field"),
            (#""channel":"a","buffer":{"bytes":8388609}"#, "invalid_field"),
            (#""channel":"a","buffer":{"size":1}"#, "unknown_field"),
            (#""channel":"a","buffer":{"messages":1,"messages":1}"#, "invalid_request"),
        ])
    func refused(fields: String, code: String) {
        let stage = Stage()
        let client = stage.connect()
        #expect(client.ask(#"{"op":"subscribe","id":1,\#(fields)}"#).code == code)
        #expect(stage.statistics["subscriptions"].int == 0)
    }

    @Test("may be as many as the limit and not one more")
    func limit() {
        let stage = Stage { $0.subscriptionsPerClient = 3 }
        let client = stage.connect()
        for _ in 1...3 { client.subscribe("a") }
        let reply = client.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#)
        #expect(reply.code == "quota_exceeded")
        #expect(reply.message.contains("subscriptions_per_client") && reply.message.contains("3"))
        stage.connect().subscribe("a")
    }

    @Test("of one connection are no business of another")
    func foreignNumbers() {
        let stage = Stage()
        let one = stage.connect()
        let other = stage.connect()
        one.subscribe("a.*")
        #expect(other.ask(#"{"op":"unsubscribe","id":1,"sub":1}"#).code == "unknown_subscription")
        one.post("a.b", "1")
        #expect(one.read().payloads == [1])
    }
}
