// Answers are never dropped; so who does not read them cannot ask for ever more, however many connections it has.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Answers that are not read")
struct UnreadAnswerTests {
    private let get = #"{"op":"get","id":7,"channel":"r"}"#

    /// `count` connections of one user that ask until they are not read from any more, and how much was asked.
    private func stuck(_ stage: Stage, _ count: Int) -> [(client: StageClient, asked: Int)] {
        stage.connect(uid: 9).post("r", "\"\(String(repeating: "x", count: 4000))\"", more: #","retain":true"#)
        return (1...count).map { _ in
            let client = stage.connect(uid: 1)
            client.block()
            var asked = 0
            while !client.isPaused, asked < 1000 {
                client.send(get)
                asked += 1
            }
            return (client, asked)
        }
    }

    @Test("come to no more for all connections of a user than it may have, and one for each of them")
    func bound() {
        let stage = Stage {
            $0.queuedBytesPerUID = 1_000_000
            ($0.clients, $0.clientsPerUID) = (1000, 1000)
        }
        let all = stuck(stage, 200)
        let waiting = all.map { $0.client.peer.pointee.waitingReplyBytes }
        #expect(all.allSatisfy { $0.asked >= 1 && $0.client.isPaused })
        #expect(waiting[0] > Limits.replyBytes && waiting[0] < Limits.replyBytes + Limits.shortAnswer)
        #expect(waiting.reduce(0, +) < 1_000_000 + 200 * Limits.shortAnswer)
        #expect(all.suffix(100).allSatisfy { $0.asked == 1 }, "each has its equal part, which is one")
    }

    @Test("keep nobody waiting who reads them, of the same user or another")
    func others() {
        let stage = Stage {
            $0.queuedBytesPerUID = 1_000_000
            ($0.clients, $0.clientsPerUID) = (1000, 1000)
        }
        let all = stuck(stage, 200)
        for uid: UInt32 in [1, 2] {
            let reader = stage.connect(uid: uid)
            for _ in 1...100 { #expect(reader.ask(get)["id"].int == 7) }
            #expect(!reader.isPaused)
        }
        // Each is answered all that it asked, and goes on then.
        for (client, asked) in all {
            client.unblock()
            #expect(client.read().filter { $0["message"]["channel"].text == "r" }.count == asked && !client.isPaused)
        }
    }

    @Test("let a batch be made only if there is room for its answer")
    func batch() {
        let stage = Stage { $0.queuedBytesPerUID = 100_000 }
        let client = stage.connect(uid: 1)
        func batch(_ count: Int, _ id: String) -> String {
            let posts = (1...count).map { _ in #"{"channel":"b"}"# }.joined(separator: ",")
            return "{\"op\":\"batch\"\(id),\"posts\":[\(posts)]}"
        }
        // Half of it is for one.
        let most = 50_000 / Limits.batchAnswer
        #expect(client.ask(batch(most, ",\"id\":1"))["results"].elements.count == most)
        let refused = client.ask(batch(most + 1, ",\"id\":2"))
        #expect(refused.code == "quota_exceeded" && refused.message.contains("'queued_bytes_per_uid' of uid 1"))
        // Without an answer there is nothing that needs room.
        client.send(batch(most + 1, ""))
        client.post("b", more: #","id":3"#)
        #expect(client.read().last?["seq"].int == 2 * most + 2)
    }
}
