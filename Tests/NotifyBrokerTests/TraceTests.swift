// `$notifyd.trace.PATTERN`: what becomes of each post.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("A trace")
struct TraceTests {
    private let stage = Stage()

    private func trace(_ pattern: String, _ more: String = "") -> StageClient {
        let client = stage.connect(uid: 5, pid: 50)
        client.subscribe("$notifyd.trace.\(pattern)", more)
        return client
    }

    private func events(_ client: StageClient) -> [JSON] {
        let lines = client.read()
        #expect(lines.allSatisfy { $0.op == "message" && $0["channel"].text == "$notifyd.trace" })
        return lines.map { $0["payload"] }
    }

    /// The outcomes of the only event, by the pid of the receiver.
    private func outcomes(_ client: StageClient, sourceLocation: SourceLocation = #_sourceLocation) -> [Int: String] {
        let events = events(client)
        #expect(events.count == 1, "\(events)", sourceLocation: sourceLocation)
        let pairs = (events.first?["receivers"].elements ?? []).map { receiver in
            let reason = receiver["reason"].text.map { " \($0)" } ?? ""
            return (receiver["pid"].int ?? 0, (receiver["outcome"].text ?? "") + reason)
        }
        return Dictionary(pairs) { "\($0), \($1)" }
    }

    @Test("tells who posted what, and who gets it")
    func posted() {
        let tracer = trace("a.>")
        let reader = stage.connect(uid: 7, pid: 70)
        reader.subscribe("a.*", #","sub":4"#)
        let poster = stage.connect(uid: 8, pid: 80)
        poster.post("a.b", "12345", more: #","type":"T\"","subject":"s""#)
        #expect(
            events(tracer) == [
                JSON(
                    #"{"event":"posted","channel":"a.b","type":"T\"","subject":"s","bytes":5,"#
                        + #""from":{"client":\#(poster.number),"pid":80,"uid":8},"seq":1,"pos":1,"matched":1,"dropped":0,"#
                        + #""receivers":[{"client":\#(reader.number),"pid":70,"uid":7,"sub":4,"pattern":"a.*","#
                        + #""outcome":"sent"}],"outcomes":{"sent":1}}"#)
            ])
        #expect(reader.read().messages.count == 1)
        poster.post("b")
        #expect(events(tracer).isEmpty)
    }

    @Test("is of a channel by its name as well, and of nothing else", arguments: ["a", "*", ">"])
    func patterns(pattern: String) {
        let tracer = trace(pattern)
        let poster = stage.connect()
        for channel in ["a", "a.b"] { poster.post(channel) }
        #expect(events(tracer).map { $0["channel"].text } == (pattern == ">" ? ["a", "a.b"] : ["a"]))
    }

    @Test("says why somebody does not get it: filters, the own post, the group's choice, an interval")
    func reasons() {
        let tracer = trace("a")
        let poster = stage.connect(uid: 8, pid: 80)
        poster.subscribe("a", #","echo":false"#)
        for (pid, more) in [
            (1, #","type":"T""#), (2, #","subject":"s""#), (3, #","from_uid":9"#), (4, #","group":"g""#),
            (5, #","group":"g""#), (6, #","min_interval_ms":1000"#),
        ] {
            stage.connect(pid: Int32(pid)).subscribe("a", more)
        }
        poster.post("a")
        #expect(
            outcomes(tracer) == [
                80: "filtered echo", 1: "filtered type", 2: "filtered subject", 3: "filtered from_uid", 4: "sent",
                5: "not_chosen", 6: "sent",
            ])
        poster.post("a", more: #","type":"T","subject":"s""#)
        #expect(
            outcomes(tracer) == [
                80: "filtered echo", 1: "sent", 2: "sent", 3: "filtered from_uid", 4: "not_chosen", 5: "sent",
                6: "sent",
            ])
        poster.post("a")
        #expect(outcomes(tracer)[6] == "held min_interval_ms")
        poster.post("a")
        let later = events(tracer)
        // The one that is held takes the place of the one before.
        #expect(Set(later.map { $0["event"].text }) == ["posted", "lost"])
        let lost = later.first { $0["event"].text == "lost" }
        #expect(lost?["reason"].text == "coalesced")
        #expect(lost?["from"].int == 3)
        #expect(lost?["receiver"]["pid"].int == 6)
    }

    @Test("says what waits, what is dropped instead of it, and what is dropped later")
    func losses() {
        let tracer = trace("a")
        let poster = stage.connect()
        for (pid, policy) in [(1, "newest"), (2, "oldest"), (3, "fail")] {
            let reader = stage.connect(pid: Int32(pid))
            reader.subscribe("a", #","buffer":{"policy":"\#(policy)","messages":1}"#)
            reader.block()
        }
        poster.post("a", "1")
        _ = events(tracer)
        poster.post("a", "2")
        let told = events(tracer)
        let post = told.first { $0["event"].text == "posted" }
        let outcomes = post?["receivers"].elements.map { "\($0["pid"].int ?? 0) \($0["outcome"].text ?? "")" }
        #expect(Set(outcomes ?? []) == ["1 queued", "2 dropped", "3 dropped"])
        #expect(post?["outcomes"] == JSON(#"{"queued":1,"dropped":2}"#))
        #expect(post?["receivers"].elements.compactMap { $0["reason"].text } == ["overflow", "overflow"])
        let lost = told.filter { $0["event"].text == "lost" }
        #expect(lost.map { [$0["receiver"]["pid"].int, $0["from"].int, $0["to"].int] } == [[1, 1, 1]])
        #expect(lost.first?["reason"].text == "overflow")
    }

    @Test("tells losses that follow each other as one")
    func run() {
        let reader = stage.connect(pid: 1)
        reader.subscribe("a")
        reader.block()
        let poster = stage.connect()
        for _ in 1...20 { poster.post("a", more: #","ttl_ms":1000"#) }
        let tracer = trace("a")
        stage.advance(seconds: 2)
        reader.unblock()
        let told = events(tracer)
        // The first had begun to be sent.
        let runs = told.map { [$0["from"].int, $0["to"].int, $0["count"].int] }
        #expect(runs == [[1, 20, 20]] || runs == [[2, 20, 19]])
        #expect(told.first?["reason"].text == "expired")
    }

    @Test("tells of posts that are not made")
    func refused() {
        let tracer = trace("a")
        let poster = stage.connect(uid: 8, pid: 80)
        poster.send(#"{"op":"post","id":1,"channel":"a","if_seq":7}"#)
        poster.send(#"{"op":"post","id":2,"channel":"a","dedup":"k"}"#)
        poster.send(#"{"op":"post","id":3,"channel":"a","dedup":"k"}"#)
        poster.send(#"{"op":"post","id":4,"channel":"a","coalesce_ms":500}"#)
        poster.send(#"{"op":"post","id":5,"channel":"a","coalesce_ms":500,"payload":5}"#)
        let told = events(tracer)
        #expect(told.map { $0["event"].text } == ["refused", "posted", "duplicate", "replaced"])
        #expect(told.first?["code"].text == "conflict")
        #expect(told.first?["message"].text == "channel 'a': its seq is 0, not 7")
        #expect(told.allSatisfy { $0["from"]["pid"].int == 80 })
        stage.pass(milliseconds: 500)
        #expect(events(tracer).map { [$0["seq"].int, $0["bytes"].int] } == [[2, 1]])
    }

    @Test("tells only of the posts that its own filters let through")
    func filters() {
        let tracer = trace("a", #","type":"T""#)
        let reader = stage.connect()
        reader.subscribe("a", #","buffer":{"messages":1}"#)
        reader.block()
        let poster = stage.connect()
        for type in ["T", "U", "T"] { poster.post("a", more: #","type":"\#(type)""#) }
        #expect(events(tracer).map { $0["seq"].int } == [1, 3])
    }

    @Test("names no more receivers than an event may, and counts the others", arguments: [64, 65])
    func many(count: Int) {
        let tracer = trace("a")
        for number in 1...count { stage.connect().subscribe(number % 2 == 0 ? "a" : "*") }
        stage.connect().post("a")
        let told = events(tracer).first
        #expect(told?["receivers"].elements.count == 64)
        #expect(told?["outcomes"]["sent"].int == count)
        #expect(told?["matched"].int == count)
    }

    @Test("is seen by nobody else, leaves nothing to be replayed, and is not traced itself")
    func alone() {
        let other = stage.connect()
        other.subscribe("$notifyd.>")
        other.subscribe("$notifyd.trace")
        let tracer = trace(">")
        _ = other.read()
        let poster = stage.connect()
        _ = other.read()
        for _ in 1...3 { poster.post("a") }
        #expect(other.read().isEmpty)
        #expect(events(tracer).count == 3)
        let late = stage.connect()
        late.send(#"{"op":"subscribe","channel":"$notifyd.trace","replay":{"last":9}}"#)
        #expect(late.read().messages.isEmpty)
        let second = stage.connect()
        second.send(#"{"op":"subscribe","channel":"$notifyd.trace.>","replay":{"last":9}}"#)
        #expect(second.read().map(\.op) == ["live"])
    }

    @Test("is over when its subscription is")
    func end() {
        let tracer = trace("a")
        let poster = stage.connect()
        tracer.send(#"{"op":"unsubscribe","sub":1}"#)
        poster.post("a")
        #expect(events(tracer).isEmpty)
        tracer.subscribe("$notifyd.trace.a")
        stage.disconnect(tracer)
        poster.post("a")
        // It went in the wake-up in which its event was to be told.
        let third = trace("a")
        stage.wakeUp {
            poster.post("a")
            stage.disconnect(third)
        }
        // Nothing was told, so nothing was told on the channel of traces.
        #expect(stage.channelCount == 1)
    }

    @Test("that is slow is told of its own gaps, as others are")
    func slow() {
        let tracer = trace("a", #","buffer":{"messages":2}"#)
        tracer.block()
        let poster = stage.connect()
        for _ in 1...10 { poster.post("a") }
        tracer.unblock()
        let lines = tracer.read()
        #expect(lines.gaps.first?["channel"].text == "$notifyd.trace")
        #expect(lines.messages.count + (lines.gaps.first?["count"].int ?? 0) == 10)
    }

    @Test("keeps so many events until they can be told, and counts what comes beyond")
    func tooMany() {
        let tracer = trace("a.>")
        let poster = stage.connect()
        stage.wakeUp { for number in 1...4100 { poster.post("a.\(number)") } }
        // They are told in turns with what others want.
        for _ in 1...10 { stage.wakeUp {} }
        let told = events(tracer)
        #expect(told.count == 4097)
        #expect(told.last == JSON(#"{"event":"missed","count":4}"#))
    }

    @Test("counts what comes beyond for each trace, of the channels that it is about")
    func tooManyOfSeveral() {
        let (one, other, both) = (trace("a.>"), trace("b.x"), trace(">"))
        let poster = stage.connect()
        stage.wakeUp {
            for number in 1...4100 { poster.post("a.\(number)") }
            for _ in 1...3 { poster.post("b.x") }
        }
        for _ in 1...10 { stage.wakeUp {} }
        #expect(events(one).last == JSON(#"{"event":"missed","count":4}"#))
        #expect(events(other) == [JSON(#"{"event":"missed","count":3}"#)])
        #expect(events(both).last == JSON(#"{"event":"missed","count":7}"#))
    }

    @Test(
        "is refused what makes no sense for it, and an empty pattern",
        arguments: [
            (#""channel":"$notifyd.trace.a","group":"g""#, "invalid_field"),
            (#""channel":"$notifyd.trace.a","min_interval_ms":5"#, "invalid_field"),
            (#""channel":"$notifyd.trace.a","buffer":{"policy":"block"}"#, "invalid_field"),
            (#""channel":"$notifyd.trace.""#, "invalid_pattern"),
        ])
    func nonsense(fields: String, code: String) {
        #expect(stage.connect().ask(#"{"op":"subscribe","id":1,\#(fields)}"#).code == code)
    }

    /// Uid 99 is the daemon's own, which need leave nothing to others.
    @Test(
        "is one of a bounded number, of which a uid gets its share", arguments: [(1, 32), (99, 64)] as [(UInt32, Int)])
    func bound(uid: UInt32, share: Int) {
        let client = stage.connect(uid: uid)
        for _ in 1...share { client.subscribe("$notifyd.trace.a") }
        let refused = client.ask(#"{"op":"subscribe","id":1,"channel":"$notifyd.trace.a"}"#)
        let limit = uid == 1 ? "'traces' of the daemon" : "'traces_per_uid' of uid 99"
        #expect(refused.code == "quota_exceeded" && refused.message.contains("limit \(limit) is 64"))
        #expect(refused.message.contains("uid \(uid) has its share") == (uid == 1))
        if uid == 1 { stage.connect(uid: 2).subscribe("$notifyd.trace.a") }
        client.send(#"{"op":"unsubscribe","sub":1}"#)
        if uid == 1 { return }
        client.subscribe("$notifyd.trace.a")
        stage.disconnect(client)
        stage.connect(uid: 1).subscribe("$notifyd.trace.a")
    }

    @Test("is one of as many as a uid may have")
    func boundOfOne() {
        let stage = Stage { $0.tracesPerUID = 2 }
        let client = stage.connect(uid: 1)
        for _ in 1...2 { client.subscribe("$notifyd.trace.a") }
        let refused = client.ask(#"{"op":"subscribe","id":1,"channel":"$notifyd.trace.a"}"#)
        #expect(refused.code == "quota_exceeded" && refused.message.contains("'traces_per_uid' of uid 1 is 2"))
        let used = client.ask(#"{"op":"stats","id":1}"#)["stats"]
        #expect(used["traces"].int == 2 && used["limits"]["traces"].int == 64)
        #expect(used["accounts"][0]["traces"].int == 2)
        client.send(#"{"op":"unsubscribe","sub":1}"#)
        client.subscribe("$notifyd.trace.a")
    }

    @Test("tells of the posts of a batch that was refused, of each with the reason for which it was")
    func batch() {
        let (tracer, poster) = (stage.connect(), stage.connect())
        tracer.subscribe("$notifyd.trace.a")
        poster.send(
            #"{"op":"batch","posts":[{"channel":"a","payload":1},{"channel":"secret","if_seq":7},{"channel":"a","if_seq":9}]}"#
        )
        let events = tracer.read().messages.map { $0["payload"] }
        #expect(events.map { $0["event"].text } == ["refused", "refused"])
        #expect(events.map { $0["code"].text } == ["conflict", "conflict"])
        // The channel of another post is nothing to them.
        #expect(
            events.map { $0["message"].text } == [
                "posts[1] of its batch was refused", "posts[1] of its batch was refused",
            ])
        #expect(poster.read().map(\.code) == ["conflict"])
        poster.send(#"{"op":"batch","posts":[{"channel":"b"},{"channel":"a","if_seq":9}]}"#)
        let own = tracer.read().messages.map { $0["payload"] }
        #expect(own.count == 1)
        #expect(own.first?["message"].text?.hasPrefix("posts[1]: channel 'a': its seq is 0, not 9") == true)
        poster.send(#"{"op":"batch","posts":[{"channel":"b"},{"channel":"a"}]}"#)
        #expect(tracer.read().messages.map { $0["payload"]["event"].text } == ["posted"])
    }
}
