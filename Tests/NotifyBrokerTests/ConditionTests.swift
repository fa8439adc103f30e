// `if_seq` and `require_subscribers`, alone and in batches.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posts upon a condition")
struct ConditionTests {
    private func batch(_ client: StageClient, _ posts: String...) -> JSON {
        let posts = posts.map { #"{"channel":\#($0)}"# }.joined(separator: ",")
        client.send(#"{"op":"batch","id":1,"posts":[\#(posts)]}"#)
        return client.read().last { $0.op != "message" } ?? .null
    }

    @Test("are made if the channel stands where they say, and only then", arguments: [0, 1, 2, 3, 4])
    func sequence(expected: Int) {
        let stage = Stage()
        let client = stage.connect()
        for _ in 1...2 { client.post("a") }
        let reply = client.ask(#"{"op":"post","id":1,"channel":"a","if_seq":\#(expected)}"#)
        if expected == 2 {
            #expect(reply["seq"].int == 3)
        } else {
            #expect(reply.code == "conflict" && reply["seq"].int == 2)
            #expect(reply.message.contains("'a': its seq is 2, not \(expected)"))
            #expect(stage.statistics["posts"].int == 2)
        }
    }

    @Test("that nobody has posted yet stands at 0, whether or not somebody listens", arguments: [false, true])
    func new(isKnown: Bool) {
        let stage = Stage()
        let client = stage.connect()
        if isKnown { stage.connect().subscribe("a") }
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","if_seq":1}"#)["seq"].int == 0)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","if_seq":0}"#)["seq"].int == 1)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","if_seq":0}"#).code == "conflict")
        #expect(stage.channelCount == 1)
    }

    @Test("of channels that were forgotten cannot be made as if nobody had ever posted")
    func forgotten() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.post("lock")
        for number in 0...10_000 { client.post("c.\(number)") }
        stage.pass(milliseconds: 60_000)
        #expect(stage.channelCount == 0)
        let reply = client.ask(#"{"op":"post","id":1,"channel":"lock","if_seq":0}"#)
        #expect(reply.code == "conflict" && reply["seq"].int == 1)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"lock","if_seq":1}"#)["seq"].int == 2)
    }

    @Test("see what was held back before them")
    func coalesced() {
        let stage = Stage()
        let client = stage.connect()
        client.post("a", "1", more: #","coalesce_ms":10"#)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","if_seq":0}"#)["seq"].int == 1)
    }

    @Test("of one batch see each other's effect")
    func batchSequence() {
        let stage = Stage()
        let client = stage.connect()
        client.post("a")
        let good = batch(client, #""a","if_seq":1"#, #""b""#, #""a""#, #""a","if_seq":3"#, #""b","if_seq":1"#)
        #expect(good["results"].elements.map { $0["seq"].int } == [2, 1, 3, 4, 2])
        let bad = batch(client, #""a","if_seq":4"#, #""a","if_seq":4"#)
        #expect(bad.code == "conflict" && bad["seq"].int == 5)
        #expect(bad.message.hasPrefix("posts[1]: "))
        #expect(stage.statistics["posts"].int == 6)
    }

    @Test("do not count duplicates of a batch as posts")
    func batchDuplicates() {
        let stage = Stage()
        let client = stage.connect()
        let reply = batch(client, #""a","dedup":"k""#, #""a","dedup":"k""#, #""a","if_seq":1"#)
        #expect(reply["results"].elements.map { $0["seq"].int } == [1, 1, 2])
    }

    @Test(
        "that somebody gets it are made if somebody does",
        arguments: [
            ("", false), (#"{"channel":"a"}"#, true), (#"{"channel":"*"}"#, true), (#"{"channel":"b"}"#, false),
            (#"{"channel":"a","type":"T"}"#, true), (#"{"channel":">","type":"U"}"#, false),
            (#"{"channel":"a","subject":"s"}"#, false), (#"{"channel":"a","from_uid":1000}"#, true),
            (#"{"channel":"*","from_uid":7}"#, false),
        ])
    func subscribers(subscription: String, isMade: Bool) {
        let stage = Stage()
        if !subscription.isEmpty {
            stage.connect().send(#"{"op":"subscribe",\#(subscription.dropFirst())"#)
        }
        let poster = stage.connect()
        let line = #"{"op":"post","id":1,"channel":"a","type":"T","require_subscribers":true}"#
        let reply = poster.ask(line)
        #expect(isMade ? reply["matched"].int == 1 : reply.code == "no_subscribers", "\(reply)")
        #expect(stage.statistics["posts"].int == (isMade ? 1 : 0))
        #expect((batch(poster, #""a","type":"T","require_subscribers":true"#).op == "ok") == isMade)
    }

    @Test("that somebody gets it do not count a subscription that wants no echo", arguments: ["a", "*"])
    func echo(pattern: String) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe(pattern, #","echo":false"#)
        let line = #"{"op":"post","id":1,"channel":"a","require_subscribers":true}"#
        #expect(client.ask(line).code == "no_subscribers")
        #expect(stage.connect().ask(line)["matched"].int == 1)
    }

    @Test("that says nothing is none")
    func none() {
        let reply = Stage().connectAndAsk(#"{"op":"post","id":1,"channel":"a","require_subscribers":false}"#)
        #expect(reply["seq"].int == 1)
    }

    @Test("make nothing of a batch if one of them fails, nor remember its keys")
    func allOrNone() {
        let stage = Stage()
        let client = stage.connect()
        let reply = batch(client, #""a","dedup":"k""#, #""b","require_subscribers":true"#)
        #expect(reply.code == "no_subscribers" && reply.message.hasPrefix("posts[1]: "))
        #expect(stage.statistics["posts"].int == 0)
        #expect(batch(client, #""a","dedup":"k""#)["results"].elements.first?["duplicate"] == .null)
    }
}
