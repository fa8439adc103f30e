// Who gets what, in which order, and what comes before what (trials T054, T125 at the daemon's side).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct SubscriptionTests {
    let daemon: TestDaemon
    let listener: RawClient
    let poster: RawClient

    init() throws {
        daemon = try TestDaemon()
        listener = try daemon.client()
        poster = try daemon.client()
    }

    @Test func `a message has all that was posted, its numbers and its sender`() throws {
        try listener.subscribe("shop.cart", ",\"sub\":7")
        let hello = try poster.must(#"{"op":"hello","version":1,"name":"shopd"}"#)
        let receipt = try poster.post("shop.cart", "{\"n\":1}", ",\"type\":\"Cart\",\"subject\":\"c-1\"")
        #expect(receipt.integer("matched") == 1 && receipt.integer("dropped") == 0)
        let message = try listener.line()
        #expect(message.op == "message" && message["channel"] == "shop.cart" && message.integer("sub") == 7)
        #expect(message["type"] == "Cart" && message["subject"] == "c-1" && message.payload == "{\"n\":1}")
        #expect(message.integer("seq") == receipt.integer("seq") && message.integer("pos") == receipt.integer("pos"))
        #expect(message.integer("from", "client") == hello.integer("client"))
        #expect(message.integer("from", "pid") == hello.integer("pid"))
        #expect(message.integer("from", "uid") == hello.integer("uid"))
        let time: String? = message["time"]
        #expect(time?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        for absent in ["retain", "replay", "priority"] { #expect(!message.has(absent)) }
    }

    @Test(arguments: [1, 2, 5, 100], ["oldest", "fail"])
    func `a batch as large as a queue fits into it, whatever was posted before it at once`(size: Int, policy: String)
        throws
    {
        let batch = (0..<size).map { #"{"channel":"a","payload":\#($0)}"# }.joined(separator: ",")
        try listener.subscribe("a", #","buffer":{"messages":\#(size),"policy":"\#(policy)"}"#)
        for before in [0, 1, size] {
            let posts = String(repeating: "{\"op\":\"post\",\"channel\":\"a\"}\n", count: before)
            try poster.send(posts + #"{"op":"batch","id":1,"posts":[\#(batch)]}"#)
            #expect(try poster.line().op == "ok")
            #expect(try listener.lines(before + size).map(\.op) == Array(repeating: "message", count: before + size))
        }
    }

    @Test func `seq counts each channel from 1, pos everything`() throws {
        let names = ["a", "b", "a", "a", "b"]
        let receipts = try names.map { try poster.post($0) }
        #expect(receipts.map { $0.integer("seq") } == [1, 1, 2, 3, 2])
        #expect(receipts.map { $0.integer("pos") } == [1, 2, 3, 4, 5])
    }

    @Test func `two posters and three listeners: everybody sees the same order`() throws {
        let second = try daemon.client()
        let listeners = try (0..<3).map { _ in try daemon.client() }
        for listener in listeners { try listener.subscribe("order.>") }
        let rounds = 500
        for round in 0..<rounds {
            for (name, client) in [("order.a", poster), ("order.b", second)] {
                try client.send("{\"op\":\"post\",\"channel\":\"\(name)\",\"payload\":\(round)}")
            }
        }
        let seen = try listeners.map { try $0.lines(2 * rounds) }
        for lines in seen {
            #expect(lines.map { $0.integer("pos") } == Array(1...2 * rounds))
            for name in ["order.a", "order.b"] {
                let own = lines.filter { $0["channel"] == name }
                #expect(own.map { $0.integer("seq") } == Array(1...rounds))
                #expect(own.map(\.payload) == (0..<rounds).map(String.init))
            }
        }
    }

    @Test func `an answer stands where its request stood among the messages`() throws {
        let client = listener
        try client.send(
            #"{"op":"post","id":1,"channel":"o","payload":0}"#, #"{"op":"subscribe","id":2,"channel":"o"}"#,
            #"{"op":"post","id":3,"channel":"o","payload":1}"#, #"{"op":"post","channel":"o","payload":2}"#,
            #"{"op":"unsubscribe","id":4,"sub":1}"#, #"{"op":"post","id":5,"channel":"o","payload":3}"#)
        let lines = try client.lines { $0.integer("id") == 5 }
        #expect(lines.filter { $0.op == "ok" }.map { $0.integer("id") } == [1, 2, 3, 4, 5])
        #expect(lines.filter { $0.op == "message" }.map(\.payload) == ["1", "2"])
        let places = lines.map { $0.op == "message" ? "m" + $0.payload : String($0.integer("id")) }
        // The messages lie between the subscription's beginning and its end.
        let begin = try #require(places.firstIndex(of: "2"))
        let end = try #require(places.firstIndex(of: "4"))
        #expect(begin < places.firstIndex(of: "m1")! && places.firstIndex(of: "m2")! < end)
    }

    @Test func `a filter lets through what equals it`() throws {
        let filters = [
            #","type":"A""#, #","subject":"s""#, #","type":"A","subject":"s""#, #","type":"\u0041""#,
            #","from_uid":4294967295"#, "",
        ]
        for (index, filter) in filters.enumerated() { try listener.subscribe("f", filter + ",\"sub\":\(index + 1)") }
        let posts = [
            "", #","type":"A""#, #","type":"A","subject":"s""#, #","type":"a","subject":"S""#, #","type":"\u0041""#,
        ]
        let expected = [[6], [1, 4, 6], [1, 2, 3, 4, 6], [6], [1, 4, 6]]
        for (post, subs) in zip(posts, expected) {
            #expect(try poster.post("f", "0", post).integer("matched") == subs.count)
            #expect(try listener.lines(subs.count).map { $0.integer("sub") }.sorted() == subs, "\(post)")
        }
    }

    @Test func `echo false leaves out one's own posts only`() throws {
        try listener.subscribe("e", ",\"echo\":false")
        #expect(try listener.post("e", "1").integer("matched") == 0)
        try poster.post("e", "2")
        #expect(try listener.line().payload == "2")
    }

    @Test func `each of several matching subscriptions gets its own copy`() throws {
        // Numbers of one to ten digits, so that the line is written with each length of head.
        let numbers = [1, 2, 10, 99, 100, 12345, 999_999, 1_000_000, 4_294_967_295]
        for number in numbers { try listener.subscribe(number % 2 == 0 ? "m.*" : "m.a", ",\"sub\":\(number)") }
        for payload in ["{\"x\":[1,2]}", "\"\(String(repeating: "z", count: 70_000))\""] {
            #expect(try poster.post("m.a", payload, ",\"retain\":true").integer("matched") == numbers.count)
            let lines = try listener.lines(numbers.count)
            #expect(lines.map { $0.integer("sub") }.sorted() == numbers)
            #expect(lines.allSatisfy { $0.payload == payload && $0["channel"] == "m.a" })
        }
    }

    @Test func `a subscription's number is the next free one unless it is chosen`() throws {
        #expect(try listener.subscribe("a").integer("sub") == 1)
        #expect(try listener.subscribe("a", ",\"sub\":3").integer("sub") == 3)
        #expect(try listener.subscribe("a").integer("sub") == 2)
        #expect(try listener.subscribe("a").integer("sub") == 4)
        try listener.must(#"{"op":"unsubscribe","sub":2}"#)
        #expect(try listener.subscribe("b").integer("sub") == 2)
    }

    @Test func `unsubscribe ends that one, once, and nobody else's`() throws {
        try listener.subscribe("u.*")
        try poster.subscribe("u.x", ",\"sub\":9")
        for request in [#"{"op":"unsubscribe","sub":9}"#, #"{"op":"unsubscribe","sub":2}"#] {
            #expect(try listener.ask(request).code == "unknown_subscription")
        }
        #expect(try poster.post("u.y").integer("matched") == 1)
        #expect(try listener.line()["channel"] == "u.y")
        try listener.must(#"{"op":"unsubscribe","sub":1}"#)
        #expect(try listener.ask(#"{"op":"unsubscribe","sub":1}"#).code == "unknown_subscription")
        #expect(try poster.post("u.y").integer("matched") == 0)
    }

    @Test func `a batch is delivered in one piece, or not at all`() throws {
        try listener.subscribe(">")
        let answer = try poster.must(
            #"{"op":"batch","posts":[{"channel":"b.1","payload":1},{"channel":"b.2","type":"T"},{"channel":"b.1","payload":"\u0041"}]}"#
        )
        #expect(answer.list("results").map { $0["seq"] as? Int } == [1, 1, 2])
        #expect(answer.list("results").map { $0["pos"] as? Int } == [1, 2, 3])
        #expect(answer.list("results").allSatisfy { $0["matched"] as? Int == 1 && $0["dropped"] as? Int == 0 })
        #expect(try listener.lines(3).map(\.payload) == ["1", "null", #""\u0041""#])

        for bad in [
            #"{"channel":"b..1"}"#, #"{"channel":"$x"}"#, #"{"channel":"b","op":"post"}"#, #"{"channel":"b","id":1}"#,
            "5", "{}",
        ] {
            let refused = try poster.ask("{\"op\":\"batch\",\"posts\":[{\"channel\":\"b.1\"},\(bad)]}")
            #expect(refused.op == "error" && refused.text.contains("1"), "\(bad)")
        }
        #expect(try poster.must(#"{"op":"batch","posts":[]}"#).list("results").isEmpty)
        #expect(try poster.post("b.1").integer("seq") == 3)
        #expect(try listener.line().integer("pos") == 4)
    }

    @Test func `posts of others do not come between those of a batch`() throws {
        try listener.subscribe("*")
        let other = try daemon.client()
        let batch =
            "{\"op\":\"batch\",\"posts\":["
            + (0..<20).map { "{\"channel\":\"batch\",\"payload\":\($0)}" }.joined(separator: ",") + "]}"
        let rounds = 50
        for _ in 0..<rounds {
            try other.send(#"{"op":"post","channel":"single"}"#)
            try poster.send(batch)
            try other.send(#"{"op":"post","channel":"single"}"#)
        }
        let names: [String] = try listener.lines(22 * rounds).map { $0["channel"] ?? "" }
        let runs = names.joined(separator: " ").split(separator: "single", omittingEmptySubsequences: true)
        for run in runs { #expect(run.split(separator: " ").count % 20 == 0) }
    }

    @Test func `bye answers what was asked before, and nothing after`() throws {
        try listener.subscribe("b")
        try listener.send(
            #"{"op":"post","channel":"b","payload":1}"#, #"{"op":"bye","id":1}"#, #"{"op":"post","id":2,"channel":"b"}"#
        )
        let lines = try listener.linesToEnd()
        #expect(lines.filter { $0.op == "message" }.map(\.payload) == ["1"])
        #expect(lines.filter { $0.op == "ok" }.map { $0.integer("id") } == [1])
        #expect(try poster.post("b").integer("seq") == 2)
    }

    @Test func `who is there and what they hold can be listed`() throws {
        try listener.must(#"{"op":"hello","version":1,"name":"listd"}"#)
        try listener.subscribe("l.*", ",\"type\":\"T\",\"echo\":false,\"buffer\":{\"messages\":5,\"bytes\":4096}")
        try poster.post("l.a", "1", ",\"type\":\"T\",\"retain\":true")
        try poster.post("m", "1")
        let clients = try poster.must(#"{"op":"clients"}"#).list("clients")
        #expect(clients.map { $0["name"] as? String } == ["listd", nil])
        #expect(clients.map { $0["posts"] as? Int } == [0, 2])
        #expect(clients.map { $0["subscriptions"] as? Int } == [1, 0])
        let subscriptions = try poster.must(#"{"op":"subscriptions","match":"l.>"}"#).list("subscriptions")
        #expect(subscriptions.count == 1 && subscriptions[0]["channel"] as? String == "l.*")
        #expect(subscriptions[0]["type"] as? String == "T" && subscriptions[0]["echo"] as? Bool == false)
        #expect(subscriptions[0]["messages"] as? Int == 5 && subscriptions[0]["bytes"] as? Int == 4096)
        #expect(subscriptions[0]["delivered"] as? Int == 1)
        #expect(try poster.must(#"{"op":"subscriptions","match":"m"}"#).list("subscriptions").isEmpty)
        let channels = try poster.must(#"{"op":"channels","match":"*.*"}"#).list("channels")
        #expect(channels.map { $0["channel"] as? String } == ["l.a"])
        #expect(channels[0]["seq"] as? Int == 1 && channels[0]["retained"] as? Bool == true)
        let stats = try poster.must(#"{"op":"stats"}"#)
        #expect(stats.integer("stats", "posts") == 2 && stats.integer("stats", "deliveries") == 1)
        #expect(stats.integer("stats", "clients") == 2 && stats.integer("stats", "retained") == 1)
    }
}
