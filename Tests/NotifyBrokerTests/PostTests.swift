// Numbering, fan-out and what the receipt says.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Posting")
struct PostTests {
    @Test("numbers each channel from 1 without holes, and the whole daemon by rising positions")
    func numbering() {
        let stage = Stage()
        let poster = stage.connect()
        var positions: [Int] = []
        var sequences: [String: [Int]] = [:]
        for channel in ["a", "b", "a", "c.d", "a", "b"] {
            let receipt = poster.ask(#"{"op":"post","id":7,"channel":"\#(channel)"}"#)
            #expect(receipt["op"] == .string("ok"))
            #expect(receipt["id"].int == 7)
            positions.append(receipt["pos"].int ?? -1)
            sequences[channel, default: []].append(receipt["seq"].int ?? -1)
        }
        #expect(positions == [1, 2, 3, 4, 5, 6])
        #expect(sequences == ["a": [1, 2, 3], "b": [1, 2], "c.d": [1]])
    }

    @Test("gives a subscriber the whole message, with the sender as the kernel names it")
    func wholeMessage() {
        let stage = Stage()
        let poster = stage.connect(uid: 1000, pid: 812)
        let listener = stage.connect(uid: 7)
        listener.subscribe("shop.cart", #","sub":5"#)
        stage.now.wall = 1_796_040_000_123_456_789
        poster.post("shop.cart", #"{"n": 1.50}"#, more: #","type":"CartDidChange","subject":"cart-42""#)
        #expect(
            listener.readRaw() == [
                #"{"op":"message","sub":5,"channel":"shop.cart","seq":1,"pos":1,"time":"2026-11-30T12:00:00.123456Z","#
                    + #""type":"CartDidChange","subject":"cart-42","from":{"client":1,"pid":812,"uid":1000},"#
                    + #""payload":{"n": 1.50}}"#
            ])
    }

    @Test(
        "passes the payload on byte for byte",
        arguments: [
            "18446744073709551616", "1.0", "1e2", "-0", "0.30000000000000004", "1E+400", #""\/\u002f\ud83d\ude00""#,
            #"{"b":1,"a":2,"b":3}"#, "[ 1 ,\t2 ]", #""é\#u{2028}\#u{85}""#, "null", "false", #""""#, "{}",
        ])
    func payload(text: String) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        client.subscribe("a", #","sub":12345"#)
        client.post("a", text)
        let lines = client.readRaw()
        #expect(lines.count == 2)
        for line in lines { #expect(line.hasSuffix(#","payload":\#(text)}"#), "\(line)") }
    }

    @Test("takes an absent payload as null")
    func absentPayload() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        client.send(#"{"op":"post","channel":"a"}"#)
        #expect(client.readRaw().first?.hasSuffix(#","payload":null}"#) == true)
    }

    @Test("reaches every subscription, each under its own number", arguments: [1, 2, 8, 9, 10, 11, 40, 130])
    func fanOut(count: Int) {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        let other = stage.connect()
        for number in 1...count { listener.subscribe(number % 2 == 0 ? "a.b" : "a.*", #","sub":\#(number * 7)"#) }
        other.subscribe("a.b", #","sub":14"#)
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a.b","payload":"p","retain":true}"#)
        #expect(receipt["matched"].int == count + 1)
        #expect(receipt["dropped"].int == 0)
        let lines = listener.read()
        #expect(Set(lines.map { $0["sub"].int }) == Set((1...count).map { $0 * 7 }))
        for line in lines + other.read() {
            #expect(line["payload"] == .string("p"))
            #expect(line["seq"].int == 1)
            #expect(line["channel"] == .string("a.b"))
            #expect(line["from"]["client"].int == Int(poster.number))
        }
        let kept = poster.ask(#"{"op":"get","id":2,"channel":"a.b"}"#)["message"]
        #expect(kept.keys == ["channel", "seq", "pos", "time", "from", "retain", "payload"])
    }

    @Test("counts what matched, also when nobody did")
    func matchedNobody() {
        let stage = Stage()
        let poster = stage.connect()
        stage.connect().subscribe("b")
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)["matched"].int == 0)
    }

    @Test("shows every subscriber all messages in the order of their positions")
    func totalOrder() {
        let stage = Stage()
        let posters = (0..<3).map { _ in stage.connect() }
        let listeners = ["a.>", "*.x", "a.x"].map { pattern in
            let client = stage.connect()
            client.subscribe(pattern)
            return client
        }
        stage.wakeUp {
            for round in 0..<30 { posters[round % 3].post(round % 2 == 0 ? "a.x" : "a.y") }
        }
        let positions = listeners.map { $0.read().map { $0["pos"].int ?? -1 } }
        #expect(positions[0] == Array(1...30))
        #expect(positions[1] == Array(stride(from: 1, through: 29, by: 2)))
        #expect(positions[2] == positions[1])
    }

    @Test(
        "refuses the daemon's own channels and names that are none",
        arguments: [
            ("$notifyd.x", "denied"), ("$x", "denied"), ("a..b", "invalid_channel"), ("a.*", "invalid_channel"),
            (">", "invalid_channel"), ("", "invalid_channel"), ("a b", "invalid_channel"),
        ])
    func refusedChannels(channel: String, code: String) {
        let stage = Stage()
        let client = stage.connect()
        let reply = client.ask(#"{"op":"post","id":"x","channel":"\#(channel)"}"#)
        #expect(reply.code == code)
        #expect(reply["id"] == .string("x"))
        #expect(client.ask(#"{"op":"post","channel":"\#(channel)"}"#)["id"] == .null)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"ok"}"#)["pos"].int == 1, "a refused post takes no number")
    }
}
