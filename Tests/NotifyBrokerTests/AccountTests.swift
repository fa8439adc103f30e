// What each uid uses, how much it may, and that nothing of it is forgotten or counted for ever.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Accounts")
struct AccountTests {
    private let big = "\"\(String(repeating: "x", count: 1000))\""

    private func use(_ stage: Stage, uid: UInt32) -> JSON? {
        let observer = stage.connect(uid: 4242)
        defer { stage.disconnect(observer) }
        return observer.ask(#"{"op":"stats","id":1}"#)["stats"]["accounts"].elements.first { $0["uid"].int == Int(uid) }
    }

    @Test("tell what is used, of which limits, and are gone with it")
    func use() throws {
        let stage = Stage { $0.messagesPerSecondPerUID = 5000 }
        let one = stage.connect(uid: 1)
        let two = stage.connect(uid: 1)
        one.subscribe("a")
        two.post("a", big)
        one.block()
        two.post("a", big)
        two.post("r", big, more: #","retain":true"#)
        two.post("later", big, more: #","delay_ms":5000,"dedup":"k""#)
        _ = two.ask(#"{"op":"get","id":1,"channel":"a..b"}"#)
        stage.countInput(10, from: one)
        stage.countInput(20, from: two)
        let used = try #require(use(stage, uid: 1))
        #expect(used["clients"].int == 2 && used["subscriptions"].int == 1)
        #expect(1000...1400 ~= used["queued_bytes"].int ?? 0)
        #expect(1000...1400 ~= used["retained_bytes"].int ?? 0)
        #expect(3000...4000 ~= used["history_bytes"].int ?? 0)
        #expect(used["scheduled_posts"].int == 1 && 1000...1400 ~= used["scheduled_bytes"].int ?? 0)
        #expect(used["dedup_bytes"].int == 192 + 7)
        #expect(used["posts"].int == 3 && used["refused"].int == 1)
        #expect(used["limits"]["clients"].int == 16384 && used["limits"]["messages_per_s"].int == 5000)
        stage.disconnect(one)
        stage.disconnect(two)
        let left = try #require(use(stage, uid: 1))
        #expect(used["bytes_in"].int == 30 && left["bytes_in"].int == 30)
        #expect(left["clients"].int == 0 && left["queued_bytes"].int == 0 && left["posts"].int == 3)
        stage.pass(milliseconds: 5000)
        stage.connect(uid: 2).send(#"{"op":"clear","channel":"r"}"#)
        stage.pass(milliseconds: 200_000)
        #expect(use(stage, uid: 1) == nil)
    }

    @Test("of posters that connect for each post are told also while none is there")
    func comeAndGo() {
        let stage = Stage(channelRules: [.noHistory])
        let observer = stage.connect(uid: 4242)
        for number in 1...3 {
            let poster = stage.connect(uid: 1)
            poster.post("a")
            stage.disconnect(poster)
            let accounts = observer.ask(#"{"op":"stats","id":1}"#)["stats"]["accounts"].elements
            #expect(accounts.map { $0["uid"].int } == [4242, 1])
            #expect(accounts.last?["posts"].int == number && accounts.last?["clients"].int == 0)
        }
    }

    @Test("that hold nothing are forgotten when others come, one that holds something is not")
    func forgotten() {
        let stage = Stage(channelRules: [.noHistory])
        let keeper = stage.connect(uid: 7)
        keeper.post("r", "1", more: #","retain":true"#)
        stage.disconnect(keeper)
        for uid in 1000..<3000 as Range<UInt32> { stage.disconnect(stage.connect(uid: uid)) }
        #expect(stage.accountCount < 10)
        #expect(use(stage, uid: 7)?["retained_bytes"].int ?? 0 > 0)
    }

    // MARK: Limits

    @Test("may have so many subscriptions, on all connections together, and not one more")
    func subscriptions() {
        let stage = Stage { $0.subscriptionsPerUID = 4 }
        let (one, two) = (stage.connect(uid: 1), stage.connect(uid: 1))
        for _ in 1...2 {
            one.subscribe("a")
            two.subscribe("a.*")
        }
        let refused = two.ask(#"{"op":"subscribe","id":1,"channel":"b"}"#)
        #expect(refused.code == "quota_exceeded")
        #expect(refused.message == "limit 'subscriptions_per_uid' of uid 1 is 4")
        stage.connect(uid: 2).subscribe("b")
        stage.disconnect(one)
        two.subscribe("b")
    }

    @Test("of others have their share of subscriptions and connections whatever one does")
    func shares() {
        let stage = Stage {
            $0.subscriptions = 40
            $0.clients = 40
        }
        let greedy = stage.connect(uid: 1)
        var taken = 0
        while greedy.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#).op == "ok" { taken += 1 }
        #expect(taken == 20)
        #expect(
            greedy.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#).message
                == "limit 'subscriptions' of the daemon is 40, and uid 1 has its share of what is left")
        var crowd = 1
        while case .success = stage.tryConnect(uid: 1) { crowd += 1 }
        #expect(crowd == 20)
        let other = stage.connect(uid: 2)
        for _ in 1...6 { other.subscribe("b") }
        #expect(other.ask(#"{"op":"subscribe","id":1,"channel":"b"}"#).code == "quota_exceeded")
    }

    @Test("share what may be retained: one that is full does not keep another from retaining")
    func retained() {
        let stage = Stage { $0.retainedBytes = 40_000 }
        let greedy = stage.connect(uid: 1)
        var taken = 0
        while greedy.ask(#"{"op":"post","id":1,"channel":"g.\#(taken)","payload":\#(big),"retain":true}"#).op == "ok" {
            taken += 1
        }
        #expect(15...19 ~= taken)
        let other = stage.connect(uid: 2)
        for number in 1...4 {
            #expect(
                other.ask(#"{"op":"post","id":1,"channel":"o.\#(number)","payload":\#(big),"retain":true}"#).op == "ok")
        }
        #expect(greedy.ask(#"{"op":"post","id":1,"channel":"g.0","payload":1,"retain":true}"#).op == "ok", "it shrinks")
        // What replaces another's is on the account of whoever posted it.
        #expect(other.ask(#"{"op":"post","id":1,"channel":"g.1","payload":2,"retain":true}"#).op == "ok")
        #expect(use(stage, uid: 2)?["retained_bytes"].int ?? 0 > 4 * 1000)
    }

    @Test("may replace what another has retained, even if there is no room for one more")
    func replaced() throws {
        let stage = Stage()
        let first = stage.connect(uid: 1)
        for channel in ["r", "s"] { first.post(channel, big, more: #","retain":true"#) }
        let used = try #require(use(stage, uid: 1)?["retained_bytes"].int)
        stage.setLimits { $0.retainedBytes = used + 5 * used / 4 }
        let other = stage.connect(uid: 2)
        func retain(_ channel: String) -> JSON {
            other.ask(#"{"op":"post","id":1,"channel":"\#(channel)","payload":\#(big),"retain":true}"#)
        }
        #expect(retain("new").code == "quota_exceeded")
        #expect(retain("r").op == "ok")
        #expect(use(stage, uid: 1)?["retained_bytes"].int == used / 2)
    }

    @Test("that use the most give up their histories first")
    func histories() {
        let stage = Stage { $0.historyBytes = 100_000 }
        let (greedy, other) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for number in 1...5 { other.post("o", "\(number)") }
        for number in 1...1000 { greedy.post("g.\(number)", big) }
        #expect(stage.historyBytes <= 100_000 && stage.historyBytes > 95_000)
        let replay = #"{"op":"subscribe","channel":"o","replay":{"last":9}}"#
        other.send(replay)
        #expect(other.read().payloads == [1, 2, 3, 4, 5])
        // Also against many who use less each, but more than it does.
        for uid in 10...60 as ClosedRange<UInt32> { stage.connect(uid: uid).post("m.\(uid)", big) }
        for _ in 1...20 { for uid in 10...60 as ClosedRange<UInt32> { stage.connect(uid: uid).post("m.\(uid)", big) } }
        other.send(replay)
        #expect(other.read().payloads == [1, 2, 3, 4, 5])
    }

    @Test("may have a bound of their own for histories")
    func ownHistories() throws {
        let stage = Stage { $0.historyBytesPerUID = 5000 }
        let client = stage.connect(uid: 1)
        for number in 1...100 { client.post("a.\(number)", big) }
        let used = try #require(use(stage, uid: 1)?["history_bytes"].int)
        #expect(used <= 5000 && used > 3500)
    }

    // MARK: Nothing is counted for ever

    @Test("are back to nothing after whatever clients did", arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let stage = Stage {
            $0.queuedBytesPerUID = 20_000
            $0.queuedBytes = 50_000
            $0.retainedBytes = 20_000
            $0.scheduledBytes = 20_000
            $0.historyBytes = 30_000
            $0.queueBytes = 4000
            $0.dedupBytes = 4000
            $0.subscriptionsPerUID = 20
        }
        for _ in 0..<600 { step(stage, &random) }
        for client in stage.clients { stage.disconnect(client) }
        for channel in 0..<6 { stage.connect(uid: 4242).send(#"{"op":"clear","channel":"c.\#(channel)"}"#) }
        for client in stage.clients { stage.disconnect(client) }
        stage.pass(milliseconds: 500_000)
        for channel in 0..<6 { stage.connect(uid: 4242).send(#"{"op":"clear","channel":"c.\#(channel)"}"#) }
        for client in stage.clients { stage.disconnect(client) }
        stage.pass(milliseconds: 500_000)
        #expect(stage.usedAccounts.isEmpty, "\(stage.usedAccounts)")
        #expect(stage.poolsInUse == 0)
    }

    private func step(_ stage: Stage, _ random: inout SplitMix) {
        let uid = UInt32.random(in: 1...3, using: &random)
        guard let client = stage.clients.randomElement(using: &random), stage.clients.count > 2 else {
            _ = stage.connect(uid: uid)
            return
        }
        let channel = "c.\(Int.random(in: 0..<6, using: &random))"
        let payload = "\"\(String(repeating: "y", count: Int.random(in: 0...900, using: &random)))\""
        switch Int.random(in: 0..<16, using: &random) {
        case 0: _ = stage.connect(uid: uid)
        case 1: stage.disconnect(client)
        case 2: stage.deafen(client)
        case 3: client.block()
        case 4: client.makeRoom(Int.random(in: 0...3000, using: &random))
        case 5: client.unblock()
        case 6, 7:
            let policy = ["newest", "oldest", "latest", "fail", "block"].randomElement(using: &random) ?? "newest"
            let more = ["", #","min_interval_ms":20"#, #","group":"g""#, #","replay":{"last":5}"#]
            let pattern = [channel, "c.*", ">"].randomElement(using: &random) ?? channel
            client.send(
                #"{"op":"subscribe","channel":"\#(pattern)","buffer":{"policy":"\#(policy)","messages":9}"#
                    + "\(more.randomElement(using: &random) ?? "")}")
        case 8: client.send(#"{"op":"unsubscribe","sub":\#(Int.random(in: 1...4, using: &random))}"#)
        case 9: client.send(#"{"op":"will","channel":"\#(channel)","payload":\#(payload),"retain":true}"#)
        case 10: client.send(#"{"op":"clear","channel":"\#(channel)"}"#)
        case 11: stage.pass(milliseconds: UInt64.random(in: 1...3000, using: &random))
        case 12: client.send(#"{"op":"bye"}"#)
        default:
            let more = [
                "", #","retain":true"#, #","retain":true,"ttl_ms":50"#, #","delay_ms":40"#,
                #","delay_ms":40,"retain":true"#, #","coalesce_ms":30"#,
                #","dedup":"d\#(Int.random(in: 0..<9, using: &random))""#,
                #","priority":"high""#,
            ]
            client.post(channel, payload, more: more.randomElement(using: &random) ?? "")
        }
    }
}
