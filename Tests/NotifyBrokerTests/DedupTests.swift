// `dedup`: what was posted once is not posted again, and answered the same.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posts that must not be made twice")
struct DedupTests {
    private func post(_ client: StageClient, _ key: String, _ channel: String = "a", _ more: String = "") -> JSON {
        client.send(#"{"op":"post","id":1,"channel":"\#(channel)","dedup":"\#(key)"\#(more)}"#)
        return client.read().last { $0.op != "message" } ?? .null
    }

    @Test("are answered like the first of them, and not delivered again")
    func twice() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        let first = client.ask(#"{"op":"post","id":1,"channel":"b","dedup":"k"}"#)
        #expect(first["seq"].int == 1 && first["matched"].int == 0 && first["duplicate"] == .null)
        client.post("b")
        client.subscribe("b")
        let second = client.ask(#"{"op":"post","id":2,"channel":"b","dedup":"k","payload":"another"}"#)
        #expect(second == JSON(#"{"op":"ok","id":2,"seq":1,"pos":1,"matched":0,"dropped":0,"duplicate":true}"#))
        client.send(#"{"op":"post","channel":"b","dedup":"k"}"#)
        #expect(client.read().isEmpty)
    }

    @Test(
        "are told apart by uid, channel and string",
        arguments: [(1, "a", "k", true), (2, "a", "k", false), (1, "b", "k", false), (1, "a", "K", false)])
    func apart(uid: UInt32, channel: String, key: String, isDouble: Bool) {
        let stage = Stage()
        _ = post(stage.connect(uid: 1), "k")
        #expect((post(stage.connect(uid: uid), key, channel)["duplicate"].bool == true) == isDouble)
    }

    @Test(
        "are remembered for the window from the first of them on, and not a moment longer",
        arguments: [119_999, 120_000])
    func window(milliseconds: UInt64) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        _ = post(client, "k")
        stage.pass(milliseconds: 60_000)
        _ = post(client, "k")
        stage.pass(milliseconds: milliseconds - 60_000)
        #expect((post(client, "k")["duplicate"].bool == true) == (milliseconds < 120_000))
    }

    @Test("have a window that can be set, and take no memory after it")
    func forgotten() {
        let stage = Stage(channelRules: [.noHistory]) { $0.dedupWindowSeconds = 10 }
        let client = stage.connect()
        for number in 0..<3000 { _ = post(client, "\(number)") }
        #expect((stage.statistics["dedup_bytes"].int ?? 0) > 3000 * 100)
        stage.pass(milliseconds: 11_000)
        #expect(stage.statistics["dedup_bytes"].int == 0)
        #expect(stage.deadline == nil)
    }

    @Test("are refused when no more can be remembered, each uid at its share of the limit")
    func bound() {
        let stage = Stage { $0.dedupBytes = 2000 }
        let one = stage.connect(uid: 1)
        let cost = 192 + 3
        let fitting = 1000 / cost
        for number in 1...fitting { #expect(post(one, "\(number)").op == "ok") }
        let refused = post(one, "x")
        #expect(refused.code == "quota_exceeded")
        #expect(refused.message.contains("'dedup_bytes' of the daemon is 2000") && refused.message.contains("uid 1"))
        #expect(post(one, "1")["duplicate"].bool == true, "what is remembered is still answered")
        // Of 1025 that are left one more than a third, with the one before it, would be too much.
        for (uid, number) in [(2, 1), (3, 1)] as [(UInt32, Int)] {
            #expect(post(stage.connect(uid: uid), "\(number)").op == "ok")
            #expect(post(stage.connect(uid: uid), "\(number + 1)").op == "error")
        }
        #expect(stage.statistics["posts"].int == fitting + 2, "what is refused is not posted")
        stage.pass(milliseconds: 120_000)
        #expect(post(one, "x").op == "ok")
    }

    @Test("are not remembered when they were refused")
    func refused() {
        let stage = Stage()
        let client = stage.connect()
        #expect(post(client, "k", "a", #","require_subscribers":true"#).code == "no_subscribers")
        #expect(post(client, "k", "a", #","if_seq":7"#).code == "conflict")
        let reply = post(client, "k")
        #expect(reply.op == "ok" && reply["duplicate"] == .null)
        #expect(post(client, "k", "a", #","if_seq":7"#)["duplicate"].bool == true, "the answer comes before conditions")
    }

    @Test("are answered with the first one's schedule, or that it is held back")
    func later() {
        let stage = Stage()
        let client = stage.connect()
        for (key, more, field) in [("k", #","delay_ms":5"#, "schedule"), ("l", #","coalesce_ms":5"#, "held")] {
            let first = post(client, key, "a", more)
            let second = post(client, key, "a", more)
            #expect(first[field] != .null && first[field] == second[field])
            #expect(second["duplicate"].bool == true)
        }
        stage.pass(milliseconds: 5)
        #expect(stage.statistics["posts"].int == 2)
        #expect(post(client, "k")["schedule"].int == 1)
    }

    @Test("of a batch are seen in it and in one that comes later; the others are made")
    func batch() {
        let stage = Stage()
        let client = stage.connect()
        _ = post(client, "old", "b")
        let posts = [#""a","dedup":"x""#, #""a""#, #""a","dedup":"x""#, #""b","dedup":"old""#, #""b","dedup":"x""#]
            .map { #"{"channel":\#($0)}"# }.joined(separator: ",")
        let results = client.ask(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)["results"].elements
        #expect(results.map { $0["seq"].int } == [1, 2, 1, 1, 2])
        #expect(results.map { $0["pos"].int } == [2, 3, 2, 1, 4])
        #expect(results.map { $0["duplicate"].bool } == [nil, nil, true, true, nil])
        let again = client.ask(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)["results"].elements
        #expect(again.map { $0["duplicate"].bool } == [true, nil, true, true, true])
        #expect(again.map { $0["pos"].int } == [2, 5, 2, 1, 4])
    }
}
