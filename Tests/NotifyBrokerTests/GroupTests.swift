// Subscriptions that share their messages: who gets which, and what becomes of a member's when it goes.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Groups")
struct GroupTests {
    let stage = Stage()
    let poster: StageClient

    init() { poster = stage.connect() }

    private func member(_ more: String = "", pattern: String = "a", group: String = "g", uid: UInt32 = 1000)
        -> StageClient
    {
        let client = stage.connect(uid: uid)
        client.subscribe(pattern, #","group":"\#(group)"\#(more)"#)
        return client
    }

    private func post(_ numbers: ClosedRange<Int>, more: String = "") {
        for number in numbers { poster.post("a", "\(number)", more: more) }
    }

    @Test("give each message to one member, in turn while all read", arguments: [1, 2, 3, 7], ["a", "*"])
    func inTurn(members: Int, pattern: String) {
        let clients = (0..<members).map { _ in member(pattern: pattern) }
        let outsider = stage.connect()
        outsider.subscribe("a")
        for number in 1...42 {
            let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","payload":\#(number)}"#)
            #expect(receipt["matched"].int == 2 && receipt["dropped"].int == 0)
        }
        let shares = clients.map { $0.read().payloads }
        #expect(shares.map(\.count) == Array(repeating: 42 / members, count: members))
        #expect(shares.flatMap(\.self).sorted() == Array(1...42))
        for share in shares { #expect(share == share.sorted()) }
        #expect(outsider.read().payloads == Array(1...42))
    }

    @Test("are one only with the same pattern, name and user")
    func identity() {
        let clients = [member(), member(group: "h"), member(pattern: "*"), member(uid: 1001), member()]
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)
        #expect(receipt["matched"].int == 4)
        #expect(clients.map { $0.read().count }.reduce(0, +) == 4)
        let shown = poster.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements
        #expect(shown.map { $0["group"].text } == ["g", "h", "g", "g", "g"])
    }

    @Test("have members that want the same", arguments: ["type", "subject", "from_uid", "echo"])
    func filters(field: String) {
        let value = ["type": "\"T\"", "subject": "\"s\"", "from_uid": "1000", "echo": "false"][field] ?? ""
        let wish = ",\"\(field)\":\(value)"
        _ = member(wish)
        _ = member(wish)
        let other = stage.connect()
        let refused = other.ask(#"{"op":"subscribe","id":1,"channel":"a","group":"g"}"#)
        #expect(refused["code"].text == "invalid_request" && refused["message"].text?.contains("group 'g'") == true)
        #expect(other.ask(#"{"op":"subscribe","id":1,"channel":"a","group":"h"}"#).op == "ok")
    }

    @Test("match nobody when nobody may have the message")
    func nobody() {
        poster.subscribe("a", #","group":"g","echo":false"#)
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)["matched"].int == 0)
        let other = member(#","echo":false"#)
        for _ in 1...3 { #expect(poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)["matched"].int == 1) }
        #expect(other.read().sequences == [2, 3, 4])
    }

    @Test("give to those that have the least waiting")
    func load() {
        let (one, two, three) = (member(), member(), member())
        one.block()
        two.block()
        post(1...9)
        // The third reads: it gets all that the others did not have to take in their first turn.
        let waiting = [one, two].map { $0.peer.pointee.subscriptions?.pointee.waitingMessages ?? 0 }
        #expect(waiting == [1, 1])
        #expect(three.read().payloads.count == 7)
        three.block()
        post(10...13)
        stage.disconnect(three)
        one.unblock()
        two.unblock()
        let (first, second) = (one.read().payloads, two.read().payloads)
        #expect(abs(first.count - second.count) <= 1)
        #expect((first + second).sorted() == [1, 2, 10, 11, 12, 13])
    }

    @Test(
        "hand what waits for a member that goes to the others, in order", arguments: ["killed", "unsubscribe", "deaf"])
    func takeover(way: String) {
        let (dying, heir) = (member(#","sub":12"#), member())
        heir.block()
        dying.block()
        post(1...6, more: #","subject":"s""#)
        let own = dying.peer.pointee.subscriptions?.pointee.waitingMessages
        #expect(own == 3)
        switch way {
        case "killed": stage.disconnect(dying)
        case "deaf": stage.deafen(dying)
        default: dying.send(#"{"op":"unsubscribe","sub":12}"#)
        }
        heir.unblock()
        let lines = heir.read()
        #expect(lines.payloads == [2, 4, 6, 1, 3, 5] || lines.payloads == [1, 3, 5, 2, 4, 6])
        #expect(lines.allSatisfy { $0["sub"].int == 1 && $0["subject"].text == "s" })
        #expect(stage.statistics["queued_messages"].int == 0)
        #expect(stage.pins == 0)
    }

    @Test("hand it to one that reads at once, also what was only written in the same moment")
    func takeoverAtOnce() {
        let (dying, heir) = (member(), member())
        stage.wakeUp {
            post(1...4)
            stage.disconnect(dying)
        }
        #expect(heir.read().payloads.sorted() == [1, 2, 3, 4])
        #expect(stage.pins == 0)
    }

    @Test("tell somebody what a member had lost and was not told")
    func gaps() {
        let (dying, heir) = (member(#","buffer":{"messages":1}"#), member(#","buffer":{"messages":9}"#))
        dying.block()
        heir.block()
        post(1...6)
        stage.disconnect(dying)
        poster.post("a", "7")
        heir.unblock()
        let lines = heir.read()
        #expect(lines.messages.count + lines.gaps.reduce(0) { $0 + ($1["count"].int ?? 0) } == 7)
        #expect(lines.gaps.count == 1)
    }

    @Test("with echo false never give a member its own, whoever dies", arguments: [false, true])
    func echo(hasOther: Bool) {
        let (dying, poster) = (member(#","echo":false"#), member(#","echo":false"#))
        let other = hasOther ? member(#","echo":false"#) : nil
        dying.block()
        other?.block()
        // A subject that looks like a sender does not deceive.
        let subject = #","subject":",\"from\":{\"client\":99""#
        for number in 1...4 { poster.post("a", "\(number)", more: subject) }
        self.poster.post("a", "5")
        poster.block()
        self.poster.post("a", "6")
        let own = dying.peer.pointee.subscriptions?.pointee.waitingMessages
        stage.disconnect(dying)
        poster.unblock()
        other?.unblock()
        let (mine, theirs) = (poster.read().payloads, other?.read().payloads ?? [])
        #expect(!mine.contains { $0 <= 4 })
        if hasOther {
            #expect((mine + theirs).sorted() == Array(1...6))
        } else {
            #expect(own == 4 && mine.sorted() == [5, 6])
        }
        #expect(stage.statistics["queued_messages"].int == 0 && stage.pins == 0)
    }

    @Test("tell what was lost before a message that nobody else wants")
    func gapsBeforeUnwanted() {
        let (dying, poster) = (
            member(#","echo":false,"buffer":{"messages":1}"#), member(#","echo":false"#)
        )
        dying.block()
        for number in 1...3 { poster.post("a", "\(number)") }
        stage.disconnect(dying)
        self.poster.post("a", "4")
        let lines = poster.read()
        #expect(lines.payloads == [4] && lines.gaps.map { $0["count"].int } == [2])
    }

    @Test("hand on what a member held for its interval")
    func intervals() {
        let dying = member(#","min_interval_ms":100"#)
        post(1...3)
        let heir = member(#","min_interval_ms":100"#)
        #expect(dying.read().payloads == [1])
        stage.disconnect(dying)
        let lines = heir.read()
        #expect(lines.payloads == [3])
        #expect(lines.gaps.map { $0["count"].int } == [1])
        #expect(stage.pins == 0)
    }

    @Test("tell apart what was posted before anybody asked what it is about")
    func topics() {
        let dying = member()
        dying.block()
        for number in 1...4 { poster.post("a", "\(number)", more: #","subject":"\#(number % 2)""#) }
        let heir = member(#","buffer":{"policy":"latest"}"#)
        heir.block()
        stage.disconnect(dying)
        heir.unblock()
        let lines = heir.read()
        #expect(lines.payloads == [3, 4])
        #expect(lines.gaps.map { [$0["from"].int, $0["to"].int, $0["count"].int] } == [[1, 2, 2]])
    }

    @Test("have heirs that end when it is too much for them, and others after those")
    func failingHeirs() {
        let dying = member()
        dying.block()
        post(1...9)
        let failing = (1...2).map { _ in member(#","buffer":{"policy":"fail","messages":1}"#) }
        for heir in failing { heir.block() }
        stage.disconnect(dying)
        for heir in failing {
            heir.unblock()
            let lines = heir.read()
            #expect(lines.messages.count == 1 && lines.last?.code == "overflow")
        }
        #expect(stage.statistics["subscriptions"].int == 0)
        #expect(stage.pins == 0)
    }

    @Test("follow the priority and time to live of what they hand on")
    func terms() {
        let (dying, heir) = (member(), member())
        dying.block()
        heir.block()
        for (number, more) in [#","ttl_ms":5"#, "", #","priority":"low""#, "", #","priority":"high""#].enumerated() {
            // The one that reads gets nothing: both are blocked, and take turns.
            poster.post("a", "\(number + 1)", more: more)
            poster.post("a", "\(number + 11)")
        }
        stage.pass(milliseconds: 10)
        stage.disconnect(dying)
        heir.unblock()
        let lines = heir.read()
        #expect(lines.payloads.first == 5 && lines.payloads.last == 3)
        #expect(!lines.payloads.contains(1))
        #expect(lines.messages.count == 9)
    }

    @Test("of one connection alone lose what waits when it goes, and cost no more than that")
    func siblings() {
        let client = stage.connect()
        for _ in 1...50 { client.subscribe("a", #","group":"g""#) }
        client.block()
        post(1...200)
        stage.disconnect(client)
        #expect(stage.statistics["queued_messages"].int == 0)
        #expect(stage.pins == 0 && stage.statistics["subscriptions"].int == 0)
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"a"}"#)["matched"].int == 0)
    }

    @Test("let members come and go in any order")
    func churn() {
        var clients = (0..<10).map { _ in member() }
        var random = SplitMix(state: 7)
        var (posted, received) = (0, 0)
        for _ in 1...300 {
            posted += 1
            poster.post("a", "\(posted)")
            for client in clients { received += client.read().messages.count }
            if random.once(in: 3) {
                stage.disconnect(clients.remove(at: Int.random(in: 0..<clients.count, using: &random)))
            }
            while clients.count < 3 || random.once(in: 4) { clients.append(member()) }
        }
        #expect(received == posted)
    }
}
