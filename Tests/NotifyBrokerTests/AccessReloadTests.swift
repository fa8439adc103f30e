// Other rules come into force while everybody is there.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("When the access rules change")
struct AccessReloadTests {
    let all = AccessRules([.allow()])
    /// Uid 2 has nothing but `public.>`.
    let narrow = AccessRules([.deny(on: "secret.>", to: Selector(uid: 2)), .allow()])

    @Test("subscriptions that are no longer allowed end, and are told why")
    func subscriptions() {
        let stage = Stage(access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for (number, pattern) in ["secret.x", "secret.>", "public.x", ">"].enumerated() {
            guest.subscribe(pattern, #","sub":\#(number + 1)"#)
        }
        owner.subscribe("secret.>")
        stage.setAccess(narrow)
        let lines = guest.read()
        #expect(lines.map(\.op) == ["error", "error"] && lines.allSatisfy { $0.code == "denied" && $0["id"] == .null })
        #expect(Set(lines.map { $0["sub"].int }) == [1, 2])
        #expect(lines.allSatisfy { $0.message.contains("has ended") && $0.message.contains("'listen'") })
        owner.post("secret.x", "1")
        owner.post("public.x", "2")
        #expect(guest.read().messages.map { "\($0["sub"])\($0["payload"])" } == ["32", "42"])
        #expect(owner.read().payloads == [1])
        // Their numbers are free again, and what is allowed again can be had again.
        #expect(guest.ask(#"{"op":"subscribe","id":1,"sub":1,"channel":"secret.x"}"#).code == "denied")
        stage.setAccess(all)
        #expect(guest.read().isEmpty)
        guest.subscribe("secret.x", #","sub":1"#)
        owner.post("secret.x", "3")
        #expect(guest.read().messages.map { "\($0["sub"])\($0["payload"])" }.sorted() == ["13", "43"])
    }

    @Test("it is told who has lost what by which rule, once for each client and right, and how many there were")
    func revocations() {
        let stage = Stage(access: all)
        let guest = stage.connect(Identity(uid: 2, gid: 3), pid: 77)
        for pattern in ["secret.x", "public.x", "secret.>", "$notifyd.trace.secret.>"] { guest.subscribe(pattern) }
        for _ in 1...20 { stage.connect(uid: 2).subscribe("secret.y") }
        stage.setAccess(narrow)
        let revocations = stage.takeRevocations()
        #expect(revocations.count == 23)
        // As many as denials are told at a time.
        #expect(revocations.told.count == 16 && Set(revocations.told.map(\.client)).count == 15)
        let own = revocations.told.filter { $0.client == guest.number }
        #expect(Set(own.map(\.right)) == [.listen, .observe])
        #expect(own.allSatisfy { $0.pid == 77 && $0.identity.uid == 2 && $0.rule == narrow.rules[0] })
        #expect(own.allSatisfy { $0.pattern.contains("secret.") })
        #expect(stage.takeRevocations().count == 0)
    }

    @Test("a post is refused that was allowed, also where the broker remembers who may post", arguments: [false, true])
    func posts(hasLimits: Bool) {
        // Whoever may post everywhere is not remembered with each channel.
        let all = hasLimits ? AccessRules([.deny(.post, on: "other"), .allow()]) : all
        let stage = Stage(access: all)
        let guest = stage.connect(uid: 2)
        for _ in 1...3 { guest.post("secret.x", "1") }
        #expect(guest.read().isEmpty && stage.position == 3)
        stage.setAccess(narrow)
        for _ in 1...3 { guest.post("secret.x", "1") }
        #expect(guest.read().map(\.code) == ["denied", "denied", "denied"] && stage.position == 3)
        stage.setAccess(all)
        guest.post("secret.x", "1")
        #expect(guest.read().isEmpty && stage.position == 4)
    }

    @Test("what was posted before is not told to whoever posts it again without the right")
    func duplicates() {
        let stage = Stage(access: all)
        let guest = stage.connect(uid: 2)
        let line = #"{"op":"post","id":1,"channel":"secret.x","dedup":"k"}"#
        let batch = #"{"op":"batch","id":1,"posts":[{"channel":"secret.x","dedup":"k"}]}"#
        #expect(guest.ask(line)["seq"].int == 1)
        stage.setAccess(narrow)
        for again in [line, batch] {
            let reply = guest.ask(again)
            #expect(reply.code == "denied" && reply["seq"] == .null)
        }
        stage.setAccess(all)
        #expect(guest.ask(line)["duplicate"].bool == true)
    }

    @Test("posts that were to be made later are made by those alone who may still post them")
    func held() {
        let stage = Stage(access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        owner.subscribe(">")
        for poster in [owner, guest] {
            for more in [
                #","delay_ms":5"#, #","coalesce_ms":5,"subject":"\#(poster.number)""#,
                #","at":"2001-09-09T01:46:40.005Z""#,
            ] {
                poster.post("secret.x", "\(poster.number)", more: more)
            }
        }
        _ = guest.ask(#"{"op":"will","id":1,"channel":"secret.x","payload":9}"#)
        stage.setAccess(narrow)
        stage.disconnect(guest)
        stage.pass(milliseconds: 2000)
        #expect(owner.read().payloads == [1, 1, 1])
        #expect(stage.takeDenials().count == 4)
        #expect(stage.deniedCount == 4)
        #expect(owner.ask(#"{"op":"stats","id":1}"#)["stats"]["scheduled"].int == 0)
    }

    @Test("what waits for a subscription that ends is still sent, before it is told")
    func waiting() {
        let stage = Stage(access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        guest.subscribe("secret.x", #","buffer":{"messages":2}"#)
        guest.block()
        for number in 1...3 { owner.post("secret.x", "\(number)") }
        stage.setAccess(narrow)
        owner.post("secret.x", "4")
        guest.unblock()
        #expect(guest.read().map(\.op) == ["gap", "message", "message", "error"])
        #expect(stage.pins == 0)
    }

    @Test(
        "so is what waits for the members of a group that all end, and what an interval holds back",
        arguments: [#","group":"g""#, #","group":"g","min_interval_ms":60000"#, #","min_interval_ms":60000"#])
    func lastOfGroup(terms: String) {
        let stage = Stage(access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        guest.subscribe("secret.x", terms)
        owner.post("secret.x", "1")
        #expect(guest.read().payloads == [1])
        guest.block()
        for number in 2...3 { owner.post("secret.x", "\(number)") }
        stage.setAccess(narrow)
        guest.unblock()
        let lines = guest.read()
        let lost = lines.filter { $0.op == "gap" }.reduce(0) { $0 + ($1["count"].int ?? 0) }
        #expect(lines.messages.last?["payload"].int == 3)
        #expect(lines.messages.count + lost == 2)
        #expect(lines.last?.op == "error")
    }

    @Test("the others of a group get what waits for a member that ends")
    func groups() {
        let before = AccessRules([.allow()])
        let after = AccessRules([.deny(.listen, to: Selector(gid: 50)), .allow()])
        let stage = Stage(access: before)
        let poster = stage.connect(uid: 1)
        let leaver = stage.connect(Identity(uid: 2, gid: 2, groups: [50]))
        leaver.subscribe("a.>", #","group":"g""#)
        leaver.block()
        for number in 1...3 { poster.post("a.b", "\(number)") }
        let heir = stage.connect(Identity(uid: 2, gid: 2))
        heir.subscribe("a.>", #","group":"g""#)
        stage.setAccess(after)
        #expect(Set(heir.read().payloads).isSuperset(of: [2, 3]))
        leaver.unblock()
        #expect(leaver.read().last?.code == "denied")
    }

    @Test("a client that asks nothing more ends with its last subscription")
    func halfClosed() {
        let stage = Stage(access: all)
        let guest = stage.connect(uid: 2)
        guest.subscribe("secret.x")
        stage.endInput(of: guest)
        stage.setAccess(narrow)
        #expect(guest.read().map(\.code) == ["denied"] && guest.isEnding)
    }

    @Test("the same rules change nothing")
    func same() {
        let stage = Stage(access: narrow)
        let guest = stage.connect(uid: 2)
        guest.subscribe("public.x")
        stage.setAccess(narrow)
        #expect(guest.read().isEmpty)
    }

    @Test("posts of an earlier life are made by those who may make them now")
    func restored() {
        var rule = ChannelRule(pattern: ">")
        rule.persist = true
        var disk = Disk()
        let first = Stage(channelRules: [rule], access: all, stored: disk.state)
        disk.write(first.firstOperations)
        for uid: UInt32 in [2, 3] {
            let poster = first.connect(Identity(uid: uid, gid: uid, groups: [50]))
            poster.post("secret.x", "\(uid)", more: #","delay_ms":1000"#)
        }
        disk.write(first.commit())
        let rules = AccessRules([.allow(.post, to: Selector(gid: 50)), .allow(.listen)])
        let second = Stage(
            channelRules: [rule], access: rules, stored: disk.state,
            identities: [2: Identity(uid: 2, gid: 2, groups: [50])], wall: first.now.wall)
        disk.write(second.firstOperations)
        let listener = second.connect(uid: 1)
        listener.subscribe("secret.x")
        second.pass(milliseconds: 2000)
        disk.write(second.commit())
        #expect(listener.read().payloads == [2])
        #expect(disk.state.posts.isEmpty)
    }
}
