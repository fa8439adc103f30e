// `coalesce_ms`: the last of a burst goes out, on time, and never after what is newer.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posts that are held back for newer ones")
struct CoalesceTests {
    private func coalesce(_ milliseconds: Int, _ more: String = "") -> String {
        #","coalesce_ms":\#(milliseconds)\#(more)"#
    }

    @Test("are replaced, and the last one is posted when the first has waited long enough")
    func burst() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        let replies = (1...3).map { number in
            defer { stage.pass(milliseconds: 20) }
            return client.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number),"coalesce_ms":100}"#)
        }
        #expect(replies.map { $0["replaced"].bool } == [false, true, true])
        #expect(replies.allSatisfy { $0["held"].bool == true && $0["seq"] == .null })
        stage.pass(milliseconds: 39)
        #expect(client.read().isEmpty)
        stage.pass(milliseconds: 1)
        let lines = client.read()
        #expect(lines.payloads == [3] && lines.sequences == [1])
        #expect(stage.deadline == nil && stage.pins == 0)
        #expect(stage.statistics["scheduled"].int == 0)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","coalesce_ms":1}"#)["replaced"].bool == false)
    }

    @Test("wait no longer than the newest of them may")
    func shorter() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: coalesce(100))
        client.post("a", "2", more: coalesce(10))
        stage.pass(milliseconds: 9)
        #expect(client.read().isEmpty)
        stage.pass(milliseconds: 1)
        #expect(client.read().payloads == [2])
    }

    @Test("leave those of other channels and subjects alone")
    func topics() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe(">")
        client.post("a", "1", more: coalesce(10))
        client.post("b", "2", more: coalesce(10))
        client.post("a", "3", more: coalesce(10, #","subject":"s""#))
        client.post("a", "4", more: coalesce(10, #","subject":"t","type":"T""#))
        client.post("a", "5", more: coalesce(10, #","subject":"\u0073""#))
        stage.pass(milliseconds: 10)
        #expect(client.read().payloads.sorted() == [1, 2, 4, 5])
    }

    @Test("are posted before any other post of their channel and subject", arguments: [false, true])
    func overtaken(inBatch: Bool) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe(">")
        // The usual post, whose channel is remembered.
        for _ in 1...3 { client.post("a", "0") }
        #expect(client.read().count == 3)
        client.post("a", "1", more: coalesce(10))
        client.post("b", "2", more: coalesce(10))
        client.post("a", "3", more: coalesce(10, #","subject":"s""#))
        if inBatch {
            client.send(#"{"op":"batch","posts":[{"channel":"c","payload":4},{"channel":"a","payload":5}]}"#)
            #expect(client.read().payloads == [1, 4, 5])
        } else {
            client.post("a", "5")
            #expect(client.read().payloads == [1, 5])
            client.post("a", "6", more: #","subject":"s","ttl_ms":1000"#)
            #expect(client.read().payloads == [3, 6])
        }
        stage.pass(milliseconds: 10)
        #expect(client.read().payloads == (inBatch ? [2, 3] : [2]))
        #expect(stage.deadline == nil)
    }

    @Test("are from who posted the newest of them")
    func sender() {
        let stage = Stage(channelRules: [.noHistory])
        let one = stage.connect(uid: 1)
        let two = stage.connect(uid: 2)
        one.subscribe("a", #","echo":false"#)
        two.subscribe("a", #","echo":false"#)
        one.post("a", "1", more: coalesce(10))
        two.post("a", "2", more: coalesce(10))
        stage.pass(milliseconds: 10)
        #expect(one.read().messages.map { $0["from"]["uid"].int } == [2])
        #expect(two.read().isEmpty)
    }

    @Test("may replace one another however full it is, but not be one too many", arguments: [99, 1] as [UInt32])
    func limits(uid: UInt32) {
        let stage = Stage(channelRules: [.noHistory]) {
            $0.scheduledPosts = 3
            $0.scheduledPostsPerUID = 1
            $0.scheduledBytes = 6000
        }
        let client = stage.connect(uid: uid)
        let other = stage.connect(uid: 99)
        client.subscribe(">")
        let big = "\"\(String(repeating: "x", count: 1500))\""
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","coalesce_ms":5,"payload":\#(big)}"#).op == "ok")
        let again = other.ask(#"{"op":"post","id":1,"channel":"a","coalesce_ms":5,"payload":\#(big)}"#)
        #expect(again["replaced"].bool == true)
        #expect(other.ask(#"{"op":"post","id":1,"channel":"b","coalesce_ms":5}"#).code == "quota_exceeded")
        let bigger = "\"\(String(repeating: "x", count: 7000))\""
        let refused = other.ask(#"{"op":"post","id":1,"channel":"a","coalesce_ms":5,"payload":\#(bigger)}"#)
        #expect(refused.message.contains("scheduled_bytes"))
        stage.pass(milliseconds: 5)
        #expect(client.read().messages.map { $0["payload"].text?.count } == [1500], "the refused one replaced nothing")
    }

    @Test("are posted when the daemon stops; scheduled ones are not")
    func shutDown() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: coalesce(1000))
        client.post("a", "2", more: #","subject":"s","delay_ms":1"#)
        stage.shutDown()
        #expect(client.read().map(\.op) == ["message", "bye"])
    }
}
