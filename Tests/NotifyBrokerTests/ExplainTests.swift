// `explain`: which rule decides.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("explain")
struct ExplainTests {
    let stage = Stage(
        access: AccessRules([
            .allow(.observe, to: Selector(uid: 1)), .allow(.post, on: "unit.x", to: Selector(unit: "x.service")),
            .deny(.post, on: "a.x", to: Selector(gid: 50)), .allow(.post, on: "a.>"),
        ]))

    private func ask(_ client: StageClient, _ right: String, _ channel: String, _ more: String = "") -> JSON {
        let reply = client.ask(#"{"op":"explain","id":1,"right":"\#(right)","channel":"\#(channel)"\#(more)}"#)
        return reply.op == "ok" ? reply["explain"] : reply
    }

    @Test("tells anybody about themselves, with the rule and where it stands")
    func own() {
        let client = stage.connect(Identity(uid: 2, gid: 7, groups: [50, 9]))
        #expect(
            ask(client, "post", "a.x")
                == JSON(
                    #"{"allowed":false,"right":"post","channel":"a.x","uid":2,"groups":[7,9,50],"#
                        + #""rule":"deny post on a.x","origin":"test"}"#))
        #expect(ask(client, "post", "a.y")["allowed"].bool == true)
        #expect(ask(client, "post", "a.y")["rule"].text == "allow post on a.>")
        let none = ask(client, "listen", "a.y")
        #expect(none["allowed"].bool == false && none["rule"] == .null && none["origin"] == .null)
        #expect(ask(client, "post", "$notifyd.x")["rule"].text?.contains("the daemon's own") == true)
        #expect(ask(client, "post", "a.x", #","uid":2"#)["groups"].elements.count == 3)
        #expect(
            stage.connect(Identity(uid: 2, gid: 2, unit: "x.service")).ask(
                #"{"op":"explain","id":1,"right":"post","channel":"unit.x"}"#)["explain"]["unit"].text == "x.service")
    }

    @Test("tells about others those who may observe")
    func others() {
        let (observer, client) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for more in [#","uid":3"#, #","groups":[50]"#, #","unit":"x.service""#, #","uid":2,"groups":[]"#] {
            #expect(ask(client, "post", "a.x", more).code == "denied")
        }
        #expect(ask(observer, "post", "a.x", #","uid":3"#)["allowed"].bool == true)
        #expect(ask(observer, "post", "a.x", #","uid":3,"groups":[ 7, 50 ]"#)["allowed"].bool == false)
        #expect(ask(observer, "post", "a.x", #","uid":3,"groups":[]"#)["groups"] == .array([]))
        #expect(ask(observer, "post", "unit.x", #","uid":3"#)["allowed"].bool == false)
        #expect(ask(observer, "post", "unit.x", #","uid":3,"unit":"x.service""#)["allowed"].bool == true)
        // Somebody else is not in the observer's groups.
        #expect(ask(observer, "observe", "b")["allowed"].bool == true)
        #expect(ask(observer, "observe", "b", #","uid":3"#)["allowed"].bool == false)
    }

    @Test("asks about a channel, which must be one")
    func names() {
        #expect(ask(stage.connect(uid: 1), "post", "a.*").code == "invalid_channel")
    }

    @Test("says what happens", arguments: ["post", "listen"])
    func truth(right: String) {
        let rules = AccessRules([.deny(.listen, on: "b.*"), .deny(.post, on: "a.* c"), .allow(.post, .listen)])
        let stage = Stage(access: rules)
        let client = stage.connect(uid: 3)
        for channel in ["a", "a.b", "b", "b.c", "b.c.d", "c", "$notifyd.reload"] {
            let line = right == "post" ? #"{"op":"post","id":1,"# : #"{"op":"subscribe","id":1,"#
            let reply = client.ask(line + #""channel":"\#(channel)"}"#)
            #expect((reply.code != "denied") == ask(client, right, channel)["allowed"].bool, "\(channel)")
        }
    }
}
