// What waits for connections that do not read is shared: nobody who is stuck takes the room of others.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Queues of one uid and of all")
struct FairQueueTests {
    private let payload = "\"\(String(repeating: "x", count: 900))\""

    private func stuck(_ stage: Stage, uid: UInt32, _ buffer: String = "{}") -> StageClient {
        let client = stage.connect(uid: uid)
        client.subscribe("busy", #","buffer":\#(buffer)"#)
        client.block()
        return client
    }

    @Test("have a bound together, however many are stuck, and an innocent one of the same uid has room")
    func siblings() {
        let stage = Stage { $0.queuedBytesPerUID = 1_000_000 }
        let poster = stage.connect(uid: 2)
        let greedy = (1...20).map { _ in stuck(stage, uid: 1) }
        for _ in 1...1500 { poster.post("busy", payload) }
        let waiting = greedy.map { $0.peer.pointee.waitingMessageBytes }
        #expect(waiting.reduce(0, +) <= 1_000_000)
        // Those whose queue moves come to equal parts.
        #expect(waiting.allSatisfy { $0 >= 1_000_000 / 41 - 1200 && $0 <= 1_000_000 / 40 + 1200 }, "\(waiting)")
        let innocent = stage.connect(uid: 1)
        innocent.subscribe("quiet")
        innocent.block()
        for number in 1...20 { poster.post("quiet", "\(number)") }
        innocent.unblock()
        #expect(innocent.read().payloads == Array(1...20))
        #expect(greedy.allSatisfy { !$0.isEnding })
    }

    @Test("leave each connection room for an answer that is no more than its equal part", arguments: [24_000, 26_000])
    func answer(count: Int) {
        let stage = Stage {
            $0.queuedBytesPerUID = 1_000_000
            // An equal part is 25,000 bytes.
            ($0.clients, $0.clientsPerUID) = (400, 40)
        }
        let poster = stage.connect(uid: 2)
        poster.post("r", "\"\(String(repeating: "x", count: count))\"", more: #","retain":true"#)
        let greedy = (1...30).map { _ in stuck(stage, uid: 1) }
        for _ in 1...1500 { poster.post("busy", payload) }
        #expect(greedy.allSatisfy { $0.peer.pointee.waitingMessageBytes > 24_000 })
        let reply = stage.connect(uid: 1).ask(#"{"op":"get","id":1,"channel":"r"}"#)
        #expect(reply.op == (count < 25_000 ? "ok" : "error"), "\(reply.message)")
    }

    @Test(
        "lose nothing in silence: gaps and messages together are all that was posted", arguments: ["newest", "oldest"])
    func gaps(policy: String) {
        let stage = Stage { $0.queuedBytesPerUID = 50_000 }
        let poster = stage.connect(uid: 2)
        let readers = (1...5).map { _ in stuck(stage, uid: 1, #"{"policy":"\#(policy)"}"#) }
        for _ in 1...200 { poster.post("busy", payload) }
        for reader in readers {
            reader.unblock()
            let lines = reader.read()
            let lost = lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) }
            #expect(lost > 100 && lines.messages.count + lost == 200)
            #expect(lines.gaps.allSatisfy { $0["reason"].text == "overflow" })
        }
        poster.post("busy", "1")
        for reader in readers { #expect(reader.read().payloads == [1]) }
    }

    @Test("that fail end when their share is used up, and say so")
    func failing() {
        let stage = Stage { $0.queuedBytesPerUID = 20_000 }
        let poster = stage.connect(uid: 2)
        let reader = stuck(stage, uid: 1, #"{"policy":"fail"}"#)
        for _ in 1...30 { poster.post("busy", payload) }
        reader.unblock()
        let lines = reader.read()
        #expect(lines.last?.code == "overflow" && lines.messages.count < 15)
    }

    @Test("make posters wait, if the policy is to block, as with a queue that is full")
    func blocking() {
        let stage = Stage { $0.queuedBytesPerUID = 20_000 }
        let poster = stage.connect(uid: 1)
        let reader = stuck(stage, uid: 1, #"{"policy":"block"}"#)
        var posts = 0
        while !poster.isPaused, posts < 100 {
            poster.post("busy", payload)
            posts += 1
        }
        #expect(posts < 15 && poster.isPaused)
        reader.unblock()
        #expect(!poster.isPaused)
        #expect(reader.read().messages.count == posts)
    }

    @Test("of one uid leave room for those of another")
    func uids() {
        let stage = Stage {
            $0.queuedBytes = 100_000
            // No bound of its own keeps it from taking all.
            $0.queuedBytesPerUID = 100_000_000
        }
        let poster = stage.connect(uid: 3)
        let greedy = (1...10).map { _ in stuck(stage, uid: 1) }
        for _ in 1...300 { poster.post("busy", payload) }
        #expect(greedy.reduce(0) { $0 + $1.peer.pointee.waitingMessageBytes } <= 50_000)
        let innocent = stuck(stage, uid: 2)
        for _ in 1...12 { poster.post("busy", payload) }
        innocent.unblock()
        #expect(innocent.read().messages.count == 12)
    }

    @Test("give each connection its part at least, however many there are")
    func floor() {
        let stage = Stage {
            $0.queuedBytesPerUID = 100_000
            $0.clientsPerUID = 100
            $0.clients = 400
        }
        let poster = stage.connect(uid: 2)
        for _ in 1...98 { _ = stuck(stage, uid: 1, #"{"policy":"oldest"}"#) }
        for _ in 1...200 { poster.post("busy", payload) }
        let innocent = stage.connect(uid: 1)
        innocent.subscribe("quiet")
        innocent.block()
        for number in 1...4 { poster.post("quiet", "\(number)") }
        innocent.unblock()
        #expect(innocent.read().payloads == [1, 2, 3, 4])
    }

    @Test("have no room for a long answer that is not read when others have used it up; short ones are always given")
    func answers() {
        let stage = Stage { $0.queuedBytesPerUID = 200_000 }
        let poster = stage.connect(uid: 2)
        let long = "\"\(String(repeating: "x", count: 40_000))\""
        poster.post("r", long, more: #","retain":true"#)
        poster.post("s", long, more: #","retain":true"#)
        let get = #"{"op":"get","id":"g7","channel":"r"}"#
        let replay = #"{"op":"subscribe","id":8,"channel":">","replay":"retained"}"#
        let innocent = stage.connect(uid: 1)
        #expect(innocent.ask(get)["message"]["channel"].text == "r")
        let stuck = (1...3).map { _ in stage.connect(uid: 1) }
        for client in stuck {
            client.block()
            for _ in 1...9 { client.send(get) }
        }
        let waiting = stuck.reduce(0) { $0 + $1.peer.pointee.waitingReplyBytes }
        #expect(80_000...100_000 ~= waiting)
        let refused = innocent.ask(get)
        #expect(refused.code == "quota_exceeded" && refused.message.contains("'queued_bytes_per_uid' of uid 1"))
        innocent.send(replay)
        let lines = innocent.read()
        #expect(lines.map(\.op) == ["ok", "gap", "gap", "live"])
        #expect(lines.gaps.allSatisfy { $0["reason"].text == "overflow" && $0["count"].int == 1 })
        #expect(innocent.ask(get)["id"].text == "g7")
        #expect(innocent.ask(#"{"op":"ping","id":1}"#).op == "ok")
        #expect(stage.connect(uid: 3).ask(get)["message"]["channel"].text == "r")
        for client in stuck {
            client.unblock()
            let lines = client.read()
            #expect(lines.count == 9 && lines.allSatisfy { $0["id"].text == "g7" })
        }
        #expect(innocent.ask(get)["message"]["channel"].text == "r")
    }

    @Test("bound how much is replayed at a time")
    func replay() {
        var rule = ChannelRule(pattern: ">")
        rule.history.bytes = 1 << 20
        let stage = Stage(channelRules: [rule]) { $0.queuedBytesPerUID = 20_000 }
        let poster = stage.connect(uid: 2)
        for _ in 1...30 { poster.post("a", payload) }
        let reader = stage.connect(uid: 1)
        reader.block()
        reader.send(#"{"op":"subscribe","channel":"a","replay":{"last":30}}"#)
        #expect(1000...10_000 ~= reader.peer.pointee.waitingReplyBytes)
        reader.unblock()
        let lines = reader.read()
        #expect(lines.messages.count == 30 && lines.gaps.isEmpty)
    }

    @Test("have no room for a replay of more channels than may be kept in mind", arguments: [204, 205])
    func channels(count: Int) {
        let stage = Stage { $0.queuedBytesPerUID = 8000 }
        let poster = stage.connect(uid: 2)
        for number in 1...count { poster.post("a.\(number)", "1") }
        let reader = stage.connect(uid: 1)
        reader.send(#"{"op":"subscribe","id":1,"channel":"a.*","replay":{"last":1}}"#)
        let lines = reader.read()
        #expect(lines.first?.code == (count > 204 ? "quota_exceeded" : nil))
        #expect(lines.messages.count == (count > 204 ? 0 : 204))
    }
}
