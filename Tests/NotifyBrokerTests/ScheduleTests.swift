// `delay_ms`, `at` and `cancel` by a clock that the test sets.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Scheduled posts")
struct ScheduleTests {
    private func delay(_ milliseconds: Int) -> String { #","delay_ms":\#(milliseconds)"# }

    /// The stage's wall clock begins at 2001-09-09T01:46:40Z.
    private func at(_ time: String) -> String { #","at":"2001-09-09T\#(time)Z""# }

    @Test("with a delay are made when it is over, and not before")
    func delayed() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        let reply = client.ask(#"{"op":"post","id":7,"channel":"a","payload":1,"delay_ms":50}"#)
        #expect(reply["schedule"].int == 1 && reply["seq"] == .null && reply["id"].int == 7)
        stage.pass(milliseconds: 49)
        #expect(client.read().isEmpty)
        client.post("a", "2")
        stage.pass(milliseconds: 1)
        let lines = client.read()
        #expect(lines.payloads == [2, 1])
        #expect(lines.map { $0["pos"].int } == [1, 2])
        #expect(lines.sequences == [1, 2])
        #expect(stage.deadline == nil && stage.pins == 0)
    }

    @Test("of the same moment are made in the order in which they were accepted, without an id in silence")
    func order() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        for number in 1...100 { client.post("a", "\(number)", more: delay(number % 2 == 0 ? 5 : 10)) }
        #expect(client.read().isEmpty)
        stage.pass(milliseconds: 20)
        let even = Array(stride(from: 2, through: 100, by: 2))
        #expect(client.read().payloads == even + even.map { $0 - 1 })
    }

    @Test("with no delay, or at a time that is past, are made at once", arguments: [#","delay_ms":0"#, ""])
    func past(more: String) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: more.isEmpty ? at("01:46:39") : more)
        stage.pass(milliseconds: 0)
        #expect(client.read().payloads == [1])
    }

    @Test("carry all that was posted, and who posted it, though that client has gone")
    func content() {
        let stage = Stage(channelRules: [.noHistory])
        let listener = stage.connect()
        listener.subscribe("a")
        let poster = stage.connect(uid: 7, pid: 70)
        let number = poster.number
        poster.post("a", #"{"x": "é"}"#, more: #","type":"T\"\u00e9","subject":"s\\","retain":true,"delay_ms":5"#)
        stage.disconnect(poster)
        // Somebody else has the place now.
        let other = stage.connect(uid: 8)
        stage.pass(milliseconds: 5)
        let lines = listener.readRaw()
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasSuffix(
                #""type":"T\"\u00e9","subject":"s\\","from":{"client":\#(number),"pid":70,"uid":7},"retain":true,"#
                    + #""payload":{"x": "é"}}"#) == true, "\(lines)")
        #expect(lines.first?.contains("2001-09-09T01:46:40.005") == true)
        let kept = other.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]
        #expect(kept["type"].text == "T\"é" && kept["from"]["uid"].int == 7)
    }

    @Test("are no echo to their own connection, and pass filters like others")
    func filters() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect(uid: 7)
        poster.subscribe("a", #","echo":false"#)
        poster.subscribe("a", #","from_uid":7,"subject":"s""#)
        poster.subscribe("a", #","from_uid":8"#)
        poster.post("a", "1", more: #","subject":"s""# + delay(5))
        stage.pass(milliseconds: 5)
        #expect(poster.read().map { $0["sub"].int } == [2])
    }

    @Test("live from when they are made")
    func timeToLive() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect()
        let reader = stage.connect()
        reader.subscribe("a")
        reader.block()
        poster.post("a", "1", more: delay(100) + #","ttl_ms":10"#)
        stage.pass(milliseconds: 109)
        reader.unblock()
        #expect(reader.read().payloads == [1])
        reader.block()
        poster.post("a", "2", more: delay(100) + #","ttl_ms":10"#)
        stage.pass(milliseconds: 110)
        reader.unblock()
        #expect(reader.read().gaps.map { $0["reason"].text } == ["expired"])
    }

    // MARK: The wall clock

    @Test("at a time of day are made at that time", arguments: [(1999, 0), (2000, 1)])
    func atTime(milliseconds: UInt64, count: Int) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: at("01:46:42"))
        stage.pass(milliseconds: milliseconds)
        #expect(client.read().count == count)
        #expect(stage.deadline == nil || count == 0)
    }

    @Test("follow a clock that is set forward, within a second")
    func forward() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: at("02:46:40"))
        client.post("a", "2", more: delay(3_600_000))
        stage.pass(milliseconds: 10)
        stage.now.wall += 3_599_000_000_000
        #expect((stage.secondsToDeadline ?? .infinity) <= 1)
        stage.pass(milliseconds: 989)
        #expect(client.read().isEmpty)
        stage.pass(milliseconds: 1)
        #expect(client.read().payloads == [1], "the delay goes by the other clock")
        stage.pass(milliseconds: 3_599_000)
        #expect(client.read().payloads == [2])
    }

    @Test("follow a clock that is set back")
    func back() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        client.post("a", "1", more: at("01:46:42"))
        stage.pass(milliseconds: 1500)
        stage.now.wall -= 3_600_000_000_000
        stage.pass(milliseconds: 3_600_000)
        #expect(client.read().isEmpty)
        stage.pass(milliseconds: 500)
        #expect(client.read().payloads == [1])
    }

    @Test("leave no deadline behind when they are cancelled", arguments: [true, false])
    func cancelled(followsWallClock: Bool) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("a")
        let when = followsWallClock ? at("01:46:42") : delay(2000)
        let number = client.ask(#"{"op":"post","id":1,"channel":"a"\#(when)}"#)["schedule"].int ?? 0
        #expect(client.ask(#"{"op":"cancel","id":2,"schedule":\#(number)}"#).op == "ok")
        #expect(client.ask(#"{"op":"cancel","id":3,"schedule":\#(number)}"#).code == "unknown_schedule")
        stage.pass(milliseconds: 3000)
        #expect(client.read().isEmpty)
        #expect(stage.deadline == nil && stage.pins == 0)
        #expect(client.ask(#"{"op":"stats","id":1}"#)["stats"]["scheduled_bytes"].int == 0)
    }

    // MARK: Rights and bounds

    @Test("may be cancelled by their own uid alone, from any connection")
    func ownUID() {
        let stage = Stage(channelRules: [.noHistory])
        let poster = stage.connect(uid: 7)
        poster.subscribe("a")
        poster.post("a", "1", more: delay(5))
        poster.post("a", "2", more: delay(5))
        for uid in [8, 0] as [UInt32] {
            let reply = stage.connect(uid: uid).ask(#"{"op":"cancel","id":1,"schedule":1}"#)
            #expect(reply.code == "unknown_schedule")
        }
        #expect(stage.connect(uid: 7).ask(#"{"op":"cancel","id":1,"schedule":2}"#).op == "ok")
        stage.pass(milliseconds: 5)
        #expect(poster.read().payloads == [1])
        #expect(poster.ask(#"{"op":"cancel","id":1,"schedule":1}"#).code == "unknown_schedule")
    }

    @Test("are as many as the limits say, for one uid and for all, and one more when one has been made")
    func count() {
        let stage = Stage(channelRules: [.noHistory]) {
            $0.scheduledPosts = 8
            $0.scheduledPostsPerUID = 3
        }
        let one = stage.connect(uid: 1)
        let two = stage.connect(uid: 2)
        let line = #"{"op":"post","id":1,"channel":"a","delay_ms":10}"#
        for _ in 1...3 { #expect(one.ask(line).op == "ok") }
        let refused = one.ask(line)
        #expect(refused.code == "quota_exceeded")
        #expect(refused.message.contains("'scheduled_posts_per_uid' of uid 1 is 3"))
        #expect(two.ask(line).op == "ok")
        #expect(two.ask(line).message.contains("'scheduled_posts' of the daemon is 8, and uid 2 has its share"))
        stage.pass(milliseconds: 10)
        #expect(one.ask(line).op == "ok")
        #expect(stage.statistics["scheduled"].int == 1)
    }

    @Test("take as many bytes as the limit says")
    func bytes() {
        let stage = Stage(channelRules: [.noHistory]) { $0.scheduledBytes = 4000 }
        let client = stage.connect(uid: 99)
        let big = "\"\(String(repeating: "x", count: 1500))\""
        for number in 1...3 {
            let reply = client.ask(#"{"op":"post","id":1,"channel":"a","delay_ms":10,"payload":\#(big)}"#)
            #expect(number < 3 ? reply.op == "ok" : reply.message.contains("'scheduled_bytes' of the daemon is 4000"))
        }
    }

    @Test("that will be retained have room kept for them, so that nothing can refuse them later")
    func retained() {
        let stage = Stage(channelRules: [.noHistory]) { $0.retainedBytes = 3000 }
        let client = stage.connect(uid: 99)
        let big = "\"\(String(repeating: "x", count: 1500))\""
        client.post("a", big, more: #","retain":true"# + delay(10))
        #expect(
            client.ask(#"{"op":"post","id":1,"channel":"b","payload":\#(big),"retain":true}"#).code == "quota_exceeded")
        #expect(
            client.ask(#"{"op":"batch","id":1,"posts":[{"channel":"b","payload":\#(big),"retain":true}]}"#).code
                == "quota_exceeded")
        stage.pass(milliseconds: 10)
        #expect(stage.retainedBytes > 1500 && stage.retainedBytes <= 3000)
        client.send(#"{"op":"clear","channel":"a"}"#)
        #expect(client.ask(#"{"op":"post","id":1,"channel":"b","payload":\#(big),"retain":true}"#).op == "ok")
    }

    @Test("are checked when they are accepted", arguments: [("a..b", "invalid_channel"), ("$notifyd.x", "denied")])
    func refused(channel: String, code: String) {
        let reply = Stage().connectAndAsk(#"{"op":"post","id":1,"channel":"\#(channel)","delay_ms":1}"#)
        #expect(reply.code == code)
    }

    @Test("keep their channel known, however idle it is")
    func idle() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.subscribe("x.*")
        client.post("x.late", "1", more: delay(60_000))
        for number in 0...10_000 { client.post("c.\(number)") }
        stage.pass(milliseconds: 59_999)
        #expect(stage.channelCount == 1)
        stage.pass(milliseconds: 1)
        #expect(client.read().payloads == [1])
    }

    @Test("of a crowd are all made, in turns with others")
    func crowd() throws {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        for number in 0..<100_000 { client.post("a", more: delay(number % 100)) }
        #expect(client.ask(#"{"op":"post","id":1,"channel":"a","delay_ms":1}"#).code == "quota_exceeded")
        stage.advance(milliseconds: 100)
        stage.tick()
        let made = try #require(stage.statistics["posts"].int)
        #expect(made > 0 && made < 100_000)
        #expect((stage.deadline ?? .max) <= stage.now.monotonic)
        stage.pass(milliseconds: 0)
        #expect(stage.statistics["posts"].int == 100_000)
        #expect(stage.statistics["scheduled_bytes"].int == 0)
    }
}
