// Traces and rights: who may have one, of what it tells, and that it tells who may not listen.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("A trace and the access rules")
struct TraceAccessTests {
    /// Uid 1 may do everything; uid 2 observe and listen to `public.>`.
    private static let rules = AccessRules([
        .allow(to: Selector(uid: 1)), .allow(.observe, .listen, on: "public.>", to: Selector(uid: 2)),
    ])

    private let stage = Stage(access: Self.rules)

    @Test("it needs the right to observe, of some channel at least", arguments: ["secret.x", "secret.>"])
    func refused(pattern: String) {
        let guest = stage.connect(uid: 2)
        let reply = guest.ask(#"{"op":"subscribe","id":1,"channel":"$notifyd.trace.\#(pattern)"}"#)
        #expect(reply.code == "denied")
        #expect(reply.message.contains("'observe'") && reply.message.contains("'\(pattern)'"))
        guest.subscribe("$notifyd.trace.public.x")
        guest.subscribe("$notifyd.trace.>")
    }

    @Test("it is told of channels alone that its owner may observe")
    func told() {
        let guest = stage.connect(uid: 2)
        guest.subscribe("$notifyd.trace.>")
        let owner = stage.connect(uid: 1)
        owner.post("secret.x")
        owner.send(#"{"op":"post","channel":"secret.x","if_seq":9}"#)
        owner.post("public.x")
        #expect(guest.read().messages.map { $0["payload"]["channel"].text } == ["public.x"])
    }

    @Test("it tells who does not get a post because they may not listen")
    func denied() {
        let owner = stage.connect(uid: 1)
        owner.subscribe("$notifyd.trace.secret.x")
        let guest = stage.connect(uid: 2)
        guest.subscribe(">")
        owner.post("secret.x")
        let event = owner.read().messages.first?["payload"]
        #expect(event?["outcomes"] == JSON(#"{"denied":1}"#))
        #expect(event?["receivers"][0]["client"].int == Int(guest.number))
        #expect(event?["matched"].int == 0)
        guest.post("secret.x")
        let refused = owner.read().messages.first?["payload"]
        #expect(refused?["event"].text == "refused")
        #expect(refused?["code"].text == "denied")
    }

    private func explain(_ client: StageClient, _ right: String, _ pattern: String, _ more: String = "") -> JSON {
        client.ask(#"{"op":"explain","id":1,"right":"\#(right)","channel":"$notifyd.trace.\#(pattern)"\#(more)}"#)
    }

    @Test("explain says who may have one, and which rule decides", arguments: ["listen", "observe"])
    func explained(right: String) {
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for pattern in ["public.x", "public.>", ">", "*.x"] {
            let answer = explain(guest, right, pattern)["explain"]
            #expect(
                answer["allowed"].bool == true && answer["rule"].text == "allow listen observe on public.>",
                "\(pattern)")
            #expect(answer["channel"].text == "$notifyd.trace" && answer["pattern"].text == pattern)
            guest.subscribe("$notifyd.trace.\(pattern)")
        }
        for pattern in ["secret.x", "secret.*"] {
            let answer = explain(guest, right, pattern)["explain"]
            #expect(answer["allowed"].bool == false && answer["rule"] == .null, "\(pattern)")
        }
        // To observe the channel itself, which nothing else is on, is not what is needed.
        stage.setAccess(
            AccessRules([
                .deny(.observe, on: "secret.>", to: Selector(uid: 2)),
                .allow(.observe, on: "$notifyd.trace.secret.x other.x", to: Selector(uid: 2)),
                .allow(to: Selector(uid: 1)),
            ]))
        _ = guest.read()
        let answer = explain(owner, right, "secret.x", #","uid":2"#)["explain"]
        #expect(answer["allowed"].bool == false && answer["rule"].text == "deny observe on secret.>")
        #expect(guest.ask(#"{"op":"subscribe","id":1,"channel":"$notifyd.trace.secret.x"}"#).code == "denied")
        #expect(explain(owner, right, "other.*", #","uid":2"#)["explain"]["allowed"].bool == true)
        #expect(explain(owner, right, "a..b").code == "invalid_pattern")
    }

    @Test("explain says that nothing else can be done with them", arguments: ["post", "block", "admin"])
    func explainedOthers(right: String) {
        let answer = explain(stage.connect(uid: 1), right, "a.*")["explain"]
        #expect(answer["allowed"].bool == false && answer["origin"].text == "built in")
        #expect(answer["rule"].text?.isEmpty == false)
    }

    @Test("it ends when the right is gone")
    func revoked() {
        let guest = stage.connect(uid: 2)
        guest.subscribe("$notifyd.trace.public.x")
        stage.setAccess(AccessRules([.allow(to: Selector(uid: 1)), .allow(.listen, to: Selector(uid: 2))]))
        let lines = guest.read()
        #expect(lines.map(\.code) == ["denied"])
        #expect(lines.first?.message.contains("'observe'") == true)
        stage.connect(uid: 1).post("public.x")
        #expect(guest.read().isEmpty)
    }
}
