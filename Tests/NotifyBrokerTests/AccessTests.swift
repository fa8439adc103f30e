// What somebody may not do is refused, whichever way they try it, and tells them nothing.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("Without the right")
struct AccessTests {
    /// Uid 1 may do everything, uid 2 post and listen to `public.>` and no more.
    static let rules = AccessRules([
        .allow(to: Selector(uid: 1)), .allow(.post, .listen, on: "public.>", to: Selector(uid: 2)),
    ])

    let stage = Stage(access: Self.rules)

    private func denied(_ reply: JSON, _ right: String, _ channel: String) {
        #expect(reply.op == "error" && reply.code == "denied", "\(reply)")
        #expect(reply.message.contains("'\(right)'") && reply.message.contains("'\(channel)'"), "\(reply.message)")
    }

    // MARK: post

    static let posts = [
        #"{"op":"post","id":1,"channel":"secret.x","payload":1}"#,
        #"{"op":"post","id":1,"channel":"secret.x","payload":1,"type":"T","subject":"s"}"#,
        #"{"op":"post","id":1,"channel":"secret.x","retain":true}"#,
        #"{"op":"post","id":1,"channel":"secret.x","ttl_ms":5}"#,
        #"{"op":"post","id":1,"channel":"secret.x","delay_ms":5}"#,
        #"{"op":"post","id":1,"channel":"secret.x","at":"2001-01-01T00:00:00Z"}"#,
        #"{"op":"post","id":1,"channel":"secret.x","coalesce_ms":5}"#,
        #"{"op":"post","id":1,"channel":"secret.x","dedup":"k"}"#,
        #"{"op":"post","id":1,"channel":"secret.x","if_seq":9}"#,
        #"{"op":"post","id":1,"channel":"secret.x","require_subscribers":true}"#,
        #"{"op":"post","id":1,"channel":"secret.x","priority":"high"}"#,
        #"{"op":"batch","id":1,"posts":[{"channel":"public.x"},{"channel":"secret.x"}]}"#,
        #"{"op":"batch","id":1,"posts":[{"channel":"public.x","if_seq":7},{"channel":"secret.x"}]}"#,
        #"{"op":"will","id":1,"channel":"secret.x"}"#, #"{"op":"clear","id":1,"channel":"secret.x"}"#,
    ]

    @Test("nothing is posted, in no way, whether or not the channel is there", arguments: posts, [false, true])
    func post(line: String, isThere: Bool) {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        owner.subscribe(">")
        if isThere { owner.post("secret.x", "0", more: #","retain":true"#) }
        _ = owner.read()
        let position = stage.position
        denied(guest.ask(line), "post", "secret.x")
        stage.disconnect(guest)
        stage.pass(milliseconds: 100)
        #expect(owner.read().isEmpty)
        #expect(stage.position == position)
        #expect(owner.ask(#"{"op":"get","id":1,"channel":"secret.x"}"#)["message"]["seq"].int == (isThere ? 1 : nil))
        #expect(stage.channelCount == (isThere ? 1 : 0))
        // The same is no matter of rights for the other one.
        owner.send(line)
        #expect(!owner.read().contains { $0.code == "denied" })
    }

    @Test("an error comes also to a post that wants no answer")
    func silentPost() {
        let guest = stage.connect(uid: 2)
        guest.post("secret.x")
        let lines = guest.read()
        #expect(lines.count == 1 && lines[0].code == "denied" && lines[0]["id"] == .null)
    }

    @Test("nobody gets through with the line of somebody who may")
    func repeatedEnvelope() {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        owner.subscribe("secret.x")
        // The parser knows the line's beginning again, and the broker the channel.
        for _ in 1...3 { owner.post("secret.x", "1") }
        for _ in 1...3 { guest.post("secret.x", "2") }
        owner.post("secret.x", "3")
        guest.post("secret.x", "4")
        #expect(owner.read().messages.map { $0["payload"].int } == [1, 1, 1, 3])
        #expect(guest.read().map(\.code) == [String?](repeating: "denied", count: 4))
        for _ in 1...2 { guest.post("public.x", "5") }
        for _ in 1...2 { owner.post("public.x", "6") }
        #expect(guest.read().isEmpty && owner.read().isEmpty)
    }

    @Test("a name that is none is called that, and the daemon's own channels theirs")
    func names() {
        let guest = stage.connect(uid: 2)
        #expect(guest.ask(#"{"op":"post","id":1,"channel":"a..b"}"#).code == "invalid_channel")
        #expect(guest.ask(#"{"op":"post","id":1,"channel":"a..b","ttl_ms":1}"#).code == "invalid_channel")
        #expect(guest.ask(#"{"op":"batch","id":1,"posts":[{"channel":""}]}"#).code == "invalid_channel")
        #expect(guest.ask(#"{"op":"post","id":1,"channel":"$notifyd.x"}"#).message.contains("the daemon's own"))
        #expect(
            guest.ask(#"{"op":"post","id":1,"channel":"$notifyd.x","ttl_ms":1}"#).message.contains("the daemon's own"))
    }

    // MARK: listen

    @Test(
        "nothing is subscribed to that can bring nothing",
        arguments: ["secret.x", "secret.>", "secret.*", "*", "other.*.x", "$notifyd.>", "$notifyd.reload"])
    func subscribe(pattern: String) {
        let guest = stage.connect(uid: 2)
        let right = pattern.hasPrefix("$") ? "observe" : "listen"
        for more in ["", #","replay":"retained""#, #","replay":{"last":9}"#, #","group":"g""#, #","sub":7"#] {
            denied(guest.ask(#"{"op":"subscribe","id":1,"channel":"\#(pattern)"\#(more)}"#), right, pattern)
        }
        #expect(stage.channelCount == 0)
    }

    @Test(
        "a pattern brings what may be listened to, live, retained and from history",
        arguments: [">", "*.*", "*.x", "public.>"])
    func patterns(pattern: String) {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for channel in ["secret.x", "public.x"] {
            owner.post(channel, #""old""#, more: #","retain":true"#)
            owner.post(channel, #""newer""#)
        }
        for more in [
            "", #","replay":"retained""#, #","replay":{"last":9}"#, #","replay":{"after":0}"#,
            #","replay":{"since":"2001-01-01T00:00:00Z"}"#, #","group":"g""#,
        ] {
            guest.send(#"{"op":"subscribe","id":1,"sub":9,"channel":"\#(pattern)"\#(more)}"#)
            #expect(guest.peek().first?.op == "ok")
            owner.post("secret.x", #""live""#)
            owner.post("public.x", #""live""#)
            let lines = guest.readRaw()
            #expect(lines.contains { $0.contains("public.x") && $0.contains("live") })
            #expect(!lines.contains { $0.contains("secret") }, "\(lines)")
            _ = guest.ask(#"{"op":"unsubscribe","id":1,"sub":9}"#)
        }
    }

    @Test("a receipt counts those that get the message")
    func matched() {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        guest.subscribe(">")
        guest.subscribe("*.x")
        #expect(owner.ask(#"{"op":"post","id":1,"channel":"public.x"}"#)["matched"].int == 2)
        #expect(owner.ask(#"{"op":"post","id":1,"channel":"secret.x"}"#)["matched"].int == 0)
        #expect(
            owner.ask(#"{"op":"post","id":1,"channel":"secret.x","require_subscribers":true}"#).code == "no_subscribers"
        )
        #expect(
            owner.ask(#"{"op":"post","id":1,"channel":"secret.new","require_subscribers":true}"#).code
                == "no_subscribers")
        #expect(owner.ask(#"{"op":"channels","id":1,"match":"secret.x"}"#)["channels"][0]["subscriptions"].int == 0)
    }

    @Test("a retained message is not to be had")
    func get() {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        owner.post("secret.x", "1", more: #","retain":true"#)
        denied(guest.ask(#"{"op":"get","id":1,"channel":"secret.x"}"#), "listen", "secret.x")
        denied(guest.ask(#"{"op":"get","id":1,"channel":"secret.none"}"#), "listen", "secret.none")
        #expect(guest.ask(#"{"op":"get","id":1,"channel":"public.x"}"#).op == "ok")
    }

    @Test("the members of a group get what each of them may")
    func groups() {
        // The group is of one uid; the gids differ.
        let stage = Stage(
            access: AccessRules([
                .allow(.listen, on: "secret.>", to: Selector(gid: 50)), .allow(.listen, .post, on: "public.>"),
                .allow(.post),
            ]))
        let poster = stage.connect(uid: 1)
        let trusted = stage.connect(Identity(uid: 2, gid: 2, groups: [50]))
        let other = stage.connect(Identity(uid: 2, gid: 2))
        for member in [trusted, other] { member.subscribe(">", #","group":"g""#) }
        for number in 1...4 { poster.post("secret.x", "\(number)") }
        for number in 5...8 { poster.post("public.x", "\(number)") }
        let (secrets, rest) = (trusted.read(), other.read())
        #expect(Set(secrets.payloads).isSuperset(of: 1...4))
        #expect(!rest.isEmpty && Set(rest.payloads).isSubset(of: 5...8))
        #expect((secrets.payloads + rest.payloads).sorted() == Array(1...8))
        // What waits for one who goes goes to the other, if that one may have it.
        trusted.block()
        for number in 9...10 { poster.post("secret.x", "\(number)") }
        stage.disconnect(trusted)
        #expect(other.read().isEmpty)
    }

    // MARK: block

    @Test("nobody is made to wait")
    func block() {
        let rules = AccessRules([.deny(.block, on: "a.*", to: Selector(uid: 2)), .allow()])
        let stage = Stage(access: rules)
        let guest = stage.connect(uid: 2)
        let blocking = #","buffer":{"policy":"block"}"#
        denied(guest.ask(#"{"op":"subscribe","id":1,"channel":"a.b"\#(blocking)}"#), "block", "a.b")
        denied(guest.ask(#"{"op":"subscribe","id":1,"channel":"a.*"\#(blocking)}"#), "block", "a.*")
        guest.subscribe("a.b")
        guest.subscribe(">", blocking)
        // Such a subscription gets what it may listen to and hold up.
        guest.post("a.b", "1")
        guest.post("a.b.c", "2")
        #expect(guest.read().messages.map { "\($0["sub"])\($0["payload"])" } == ["11", "22"])
    }

    // MARK: observe

    @Test("lists show what is one's own, and channels that one may listen to")
    func lists() {
        let (owner, guest, sibling) = (stage.connect(uid: 1), stage.connect(uid: 2), stage.connect(uid: 2))
        owner.subscribe("secret.x")
        guest.subscribe(">")
        sibling.subscribe("public.x")
        owner.post("public.x")
        _ = guest.read()
        #expect(guest.ask(#"{"op":"clients","id":1}"#)["clients"].elements.map { $0["uid"].int } == [2, 2])
        #expect(owner.ask(#"{"op":"clients","id":1}"#)["clients"].elements.count == 3)
        #expect(
            guest.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements.map { $0["channel"].text }
                == [">", "public.x"])
        #expect(owner.ask(#"{"op":"subscriptions","id":1}"#)["subscriptions"].elements.count == 3)
        #expect(guest.ask(#"{"op":"channels","id":1}"#)["channels"].elements.map { $0["channel"].text } == ["public.x"])
        #expect(owner.ask(#"{"op":"channels","id":1}"#)["channels"].elements.count == 2)
    }

    @Test("the daemon tells of others only those who may observe it")
    func ownChannels() {
        let rules = AccessRules([
            .allow(.observe, on: "$notifyd.reload", to: Selector(uid: 2)), .allow(.observe, to: Selector(uid: 1)),
        ])
        let stage = Stage(access: rules)
        let (observer, partial, guest) = (stage.connect(uid: 1), stage.connect(uid: 2), stage.connect(uid: 3))
        observer.subscribe("$notifyd.>")
        partial.subscribe("$notifyd.>")
        denied(guest.ask(#"{"op":"subscribe","id":1,"channel":"$notifyd.>"}"#), "observe", "$notifyd.>")
        _ = stage.connect(uid: 3)
        stage.announceReload(succeeded: true)
        #expect(
            observer.read().messages.map { $0["channel"].text } == ["$notifyd.client.connected", "$notifyd.reload"])
        #expect(partial.read().messages.map { $0["channel"].text } == ["$notifyd.reload"])
    }

    @Test("the totals of everybody are for those who may observe the accounts; others are told of themselves alone")
    func statistics() {
        let rules = AccessRules([
            .allow(.post, .listen), .allow(.observe, on: "$notifyd.accounts", to: Selector(uid: 1)),
            .allow(.observe, on: "$notifyd.clients", to: Selector(uid: 2)),
        ])
        let stage = Stage(access: rules)
        let (observer, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for _ in 1...3 { guest.post("guest.x", "1") }
        observer.post("other.x", "1")
        let all = observer.ask(#"{"op":"stats","id":1}"#)["stats"]
        #expect(all["posts"].int == 4 && all["channels"].int == 2 && all["totals"] == .null)
        #expect(all["accounts"].elements.count == 2)
        let own = guest.ask(#"{"op":"stats","id":1}"#)["stats"]
        #expect(own.keys == ["version", "epoch", "pos", "uptime_s", "totals", "accounts"])
        #expect(own["totals"] == .bool(false))
        #expect(own["accounts"].elements.map { $0["uid"].int } == [2])
        #expect(own["accounts"][0]["posts"].int == 3)
        #expect(own["accounts"][0]["limits"]["clients"].int == 16384)
    }

    // MARK: admin

    @Test("what others have scheduled is taken back by those alone who administer it")
    func admin() {
        let stage = Stage(access: AccessRules([.allow(.admin, on: "a.>", to: Selector(uid: 1)), .allow(.post)]))
        let (admin, poster) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for channel in ["a.b", "b.b"] { poster.post(channel, "1", more: #","delay_ms":1000"#) }
        #expect(poster.read().isEmpty)
        #expect(admin.ask(#"{"op":"cancel","id":1,"schedule":1}"#).op == "ok")
        #expect(admin.ask(#"{"op":"cancel","id":1,"schedule":2}"#).code == "unknown_schedule")
        #expect(poster.ask(#"{"op":"cancel","id":1,"schedule":2}"#).op == "ok")
    }

    // MARK: What is told of it

    @Test("it is counted, and told with the rule that has decided")
    func denials() {
        let deny = AccessRule.deny(.post, on: "a.b")
        let stage = Stage(access: AccessRules([deny]))
        let guest = stage.connect(Identity(uid: 2, gid: 3, unit: "x.service"), pid: 77)
        guest.post("a.b")
        guest.post("c")
        guest.send(#"{"op":"subscribe","id":1,"channel":"$notifyd.>"}"#)
        let denials = stage.takeDenials()
        #expect(denials.map(\.channel) == ["a.b", "c", "$notifyd.>"])
        #expect(denials.map(\.right) == [.post, .post, .observe])
        #expect(denials.map(\.rule) == [deny, nil, nil])
        #expect(denials.allSatisfy { $0.pid == 77 && $0.identity.unit == "x.service" && $0.client == guest.number })
        #expect(stage.deniedCount == 3)
        // A flood is counted, and not kept.
        for _ in 1...1000 { guest.post("a.b") }
        #expect(stage.takeDenials().count <= 16)
        #expect(stage.deniedCount == 1003)
    }

    @Test("of a pattern it is told with the rule that denies all of it")
    func deniedPatterns() {
        let rules: [AccessRule] = [
            .deny(on: "a.x"), .deny(.listen, on: "a.>"), .allow(.listen, on: "a.b.>"), .deny(.listen, on: "b.*"),
            .deny(.listen, on: "b.*.>"), .deny(.observe), .deny(),
        ]
        let subscriptions: [(channel: String, rule: AccessRule?)] = [
            ("a.*", rules[1]), ("a.b.>", rules[1]), ("b.>", rules[6]), (">", rules[6]), ("$notifyd.*", rules[5]),
            ("$notifyd.trace.x.>", rules[5]),
        ]
        for (channel, rule) in subscriptions {
            let stage = Stage(access: AccessRules(rules))
            let guest = stage.connect(uid: 2)
            #expect(guest.ask(#"{"op":"subscribe","id":1,"channel":"\#(channel)"}"#).code == "denied")
            #expect(stage.takeDenials().map(\.rule) == [rule], "\(channel)")
        }
        let stage = Stage(access: AccessRules(Array(rules.prefix(5))))
        #expect(stage.connect(uid: 2).ask(#"{"op":"subscribe","id":1,"channel":"b.>"}"#).code == "denied")
        #expect(stage.takeDenials().map(\.rule) == [nil], "two rules together")
    }

    @Test("what is known of somebody is kept once, and as long as it is needed")
    func profiles() {
        let before = stage.profileCount
        let clients = (1...5).map { _ in stage.connect(Identity(uid: 9, gid: 9, groups: [4, 5])) }
        #expect(stage.profileCount == before + 1)
        let other = stage.connect(Identity(uid: 9, gid: 9, groups: [4]))
        #expect(stage.profileCount == before + 2)
        for client in clients + [other] { stage.disconnect(client) }
        #expect(stage.profileCount == before)
        // A post that is made later keeps it.
        let owner = stage.connect(uid: 1)
        owner.post("a", "1", more: #","delay_ms":1000"#)
        #expect(stage.profileCount == before + 1)
        stage.disconnect(owner)
        #expect(stage.profileCount == before + 1)
        stage.pass(milliseconds: 1000)
        #expect(stage.profileCount == before)
    }
}
