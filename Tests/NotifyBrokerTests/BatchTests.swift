// A batch: all of its posts or none, one behind the other.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Batches")
struct BatchTests {
    @Test("are delivered contiguously, with a receipt for each post")
    func contiguous() {
        let stage = Stage()
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe(">")
        poster.post("a")
        let reply = poster.ask(
            #"{"op":"batch","id":8,"posts":[{"channel":"a","payload":1},{"channel":"b","payload":2,"type":"T"},"#
                + #"{"channel":"a","payload":3,"retain":true}]}"#)
        #expect(reply["id"].int == 8)
        #expect(reply["results"].elements.map { $0["seq"].int } == [2, 1, 3])
        #expect(reply["results"].elements.map { $0["pos"].int } == [2, 3, 4])
        #expect(reply["results"].elements.map { $0["matched"].int } == [1, 1, 1])
        let lines = listener.read()
        #expect(lines.map { $0["pos"].int } == [1, 2, 3, 4])
        #expect(lines[2]["type"] == .string("T"))
        #expect(lines[3]["retain"] == .bool(true))
    }

    @Test("may be empty")
    func empty() {
        let stage = Stage()
        let reply = stage.connect().ask(#"{"op":"batch","id":1,"posts":[ ]}"#)
        #expect(reply["results"] == .array([]))
    }

    @Test("say nothing on success without an id")
    func silent() {
        let stage = Stage()
        let client = stage.connect()
        client.send(#"{"op":"batch","posts":[{"channel":"a"}]}"#)
        #expect(client.read().isEmpty)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a"}"#)["seq"].int == 2)
    }

    @Test(
        "post nothing if one of the posts is refused",
        arguments: [
            (#"{"channel":"a..b"}"#, "invalid_channel"), (#"{"channel":"$x"}"#, "denied"),
            (#"{"payload":1}"#, "missing_field"), (#"{"channel":"a","op":"post"}"#, "unknown_field"),
            (#"{"channel":"a","id":1}"#, "unknown_field"), (#"{"channel":"a","ttl_ms":0}"#, "invalid_field"),
            (#"{"channel":"a","delay_ms":0}"#, "invalid_request"),
            (#"{"channel":"a","at":"2026-11-30T00:00:00Z"}"#, "invalid_request"),
            (#"{"channel":"a","coalesce_ms":0}"#, "invalid_request"),
            (#"{"channel":"a","channel":"b"}"#, "invalid_request"), (#"{"channel":"a","nope":1}"#, "unknown_field"),
            (#"{"channel":"a","sub":1}"#, "unknown_field"), ("7", "invalid_field"),
            (#"{"channel":7}"#, "invalid_field"),
            (#"{"channel":"a","type":""}"#, "invalid_field"),
        ])
    func allOrNone(bad: String, code: String) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe(">")
        let reply = client.ask(#"{"op":"batch","id":3,"posts":[{"channel":"a"},\#(bad),{"channel":"c"}]}"#)
        #expect(reply.code == code)
        #expect(reply["id"].int == 3)
        #expect(reply.message.hasPrefix("posts[1]: ") || code == "invalid_field", "\(reply.message)")
        #expect(stage.statistics["posts"].int == 0)
    }

    @Test("decode escapes of all their posts", arguments: [1, 2, 50])
    func escapes(count: Int) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("ch.*")
        let posts = (0..<count).map { #"{"\u0063hannel":"ch\u002e\#($0)","type":"t\u00e9\#($0)","payload":\#($0)}"# }
        client.send(#"{"\u006fp":"b\u0061tch","posts":[\#(posts.joined(separator: " , "))]}"#)
        let lines = client.read()
        #expect(lines.map { $0["channel"].text } == (0..<count).map { "ch.\($0)" })
        #expect(lines.map { $0["type"].text } == (0..<count).map { "té\($0)" })
    }

    @Test("find room for all of their new channels or for none", arguments: [8, 9])
    func newChannels(count: Int) {
        // Twice `channels` is where new ones are refused.
        let stage = Stage { $0.channels = 5 }
        let client = stage.connect()
        client.subscribe("k1")
        client.subscribe("k2")
        let posts = (0..<count).flatMap { [#"{"channel":"n\#($0)"}"#, #"{"channel":"n\#($0)"}"#] }
        let reply = stage.connect().ask(#"{"op":"batch","id":1,"posts":[\#(posts.joined(separator: ","))]}"#)
        if count == 8 {
            #expect(reply["results"].elements.count == 16)
        } else {
            #expect(reply.code == "quota_exceeded")
            #expect(stage.statistics["posts"].int == 0)
        }
    }
}
