// The look at all subscriptions when the rules change takes turns with what others want, and nobody gets anything by it that
// is denied by now.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Very many subscriptions when the access rules change")
struct ReviewTests {
    /// So many rules that one turn is enough for a few hundred subscriptions.
    private static let filler = (1...999).map { AccessRule.deny(.admin, on: "filler.\($0)") }
    private let all = AccessRules(filler + [.allow()])
    private let narrow = AccessRules(filler + [.deny(on: "secret.>", to: Selector(uid: 2)), .allow()])

    private func crowded(_ patterns: (Int) -> String, count: Int = 1000) -> (
        Stage, owner: StageClient, guest: StageClient
    ) {
        let stage = Stage(access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for number in 1...count { guest.subscribe(patterns(number)) }
        return (stage, owner, guest)
    }

    /// As often as the broker wants to be called at once.
    private func finish(_ stage: Stage) -> Int {
        var ticks = 0
        while let next = stage.deadline, next <= stage.now.monotonic {
            stage.tick()
            ticks += 1
        }
        return ticks
    }

    @Test("they are looked at in turns, and all end")
    func turns() {
        let (stage, _, guest) = crowded { "secret.\($0)" }
        stage.setAccess(narrow)
        let first = guest.read()
        #expect(first.count > 10 && first.count < 500)
        #expect(finish(stage) >= 2)
        #expect(guest.read().count == 1000 - first.count)
        #expect(stage.statistics["subscriptions"].int == 0)
        #expect(stage.deadline == nil)
    }

    @Test("one that has not been looked at gets nothing that is denied, and is told that it has ended")
    func nothing() {
        let (stage, owner, guest) = crowded { _ in "secret.x" }
        owner.subscribe("secret.x")
        stage.setAccess(narrow)
        let first = guest.read().count
        #expect(first < 500)
        owner.send(#"{"op":"post","id":5,"channel":"secret.x","payload":1,"require_subscribers":true}"#)
        owner.post("secret.x", "2")
        #expect(guest.read().isEmpty)
        let own = owner.read()
        #expect(own.payloads.count(where: { $0 > 0 }) == 2)
        #expect(own.first { $0["id"].int == 5 }?["matched"].int == 1)
        // That is so also for those who had the right again before they were told.
        stage.setAccess(all)
        _ = finish(stage)
        let lines = guest.read()
        #expect(lines.count == 1000 - first && lines.allSatisfy { $0.code == "denied" })
        #expect(stage.statistics["subscriptions"].int == 1)
        owner.post("secret.x", "3")
        #expect(guest.read().isEmpty && owner.read().payloads == [3])
    }

    @Test("nobody is there for a post that needs somebody")
    func required() {
        let (stage, owner, guest) = crowded { _ in "secret.x" }
        stage.setAccess(narrow)
        #expect(guest.read().count < 500)
        let reply = owner.ask(#"{"op":"post","id":5,"channel":"secret.x","require_subscribers":true}"#)
        #expect(reply.code == "no_subscribers")
    }

    @Test("those to patterns, with the policy block, and members of groups get nothing either")
    func others() {
        let (stage, owner, guest) = crowded { "secret.y\($0)" }
        // What came last is looked at first: another client comes after this one.
        let late = stage.connect(uid: 2)
        for more in ["", #","buffer":{"policy":"block"}"#, #","group":"g""#, #","min_interval_ms":1000"#] {
            late.subscribe("secret.*", more)
            late.subscribe("secret.x", more)
        }
        stage.setAccess(narrow)
        #expect(guest.read().count < 500 && late.read().isEmpty)
        let reply = owner.ask(#"{"op":"post","id":5,"channel":"secret.x"}"#)
        #expect(reply["matched"].int == 0)
        #expect(late.read().isEmpty)
        _ = finish(stage)
        let lines = late.read()
        #expect(lines.count == 8 && lines.allSatisfy { $0.code == "denied" })
    }

    @Test("what has gone before it is looked at is not missed", arguments: [false, true])
    func gone(isWhole: Bool) {
        let (stage, owner, guest) = crowded { "secret.\($0 % 10)" }
        let other = stage.connect(uid: 2)
        other.subscribe("secret.x")
        stage.setAccess(narrow)
        _ = guest.read()
        for number in 0..<10 { owner.post("secret.\(number)") }
        if isWhole {
            stage.disconnect(guest)
        } else {
            for number in 1...1000 { guest.send("{\"op\":\"unsubscribe\",\"sub\":\(number)}") }
        }
        _ = finish(stage)
        #expect(other.read().map(\.code) == ["denied"])
        #expect(stage.statistics["subscriptions"].int == 0)
    }

    @Test("channels whose listeners are all about to be told are not forgotten before that")
    func channels() {
        let stage = Stage(channelRules: [.noHistory], access: all)
        let (owner, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for number in 1...600 { guest.subscribe("secret.x\(number)") }
        for number in 1...Limits.idleChannels { owner.post("other.\(number)") }
        stage.advance(seconds: 3600)
        stage.setAccess(narrow)
        for number in 1...600 { owner.post("secret.x\(number)") }
        stage.advance(seconds: 3600)
        _ = finish(stage)
        #expect(guest.read().allSatisfy { $0.code == "denied" })
        #expect(stage.statistics["subscriptions"].int == 0)
    }

    @Test("what is allowed still comes, once and in order")
    func allowed() {
        let (stage, owner, guest) = crowded { $0 == 1 ? "public.x" : "secret.\($0)" }
        guest.subscribe("*.x")
        owner.post("public.x", "1")
        stage.setAccess(narrow)
        owner.post("public.x", "2")
        _ = finish(stage)
        owner.post("public.x", "3")
        let messages = guest.read().messages
        for sub in [1, 1001] { #expect(messages.filter { $0["sub"].int == sub }.payloads == [1, 2, 3]) }
    }
}
