// Other limits for some: by user, group and unit.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Quotas")
struct QuotaTests {
    private func rule(_ who: Selector, subscriptions: Int, _ more: [QuotaRule.Change] = []) -> QuotaRule {
        QuotaRule(
            who, [("subscriptions", \.subscriptionsPerUID, subscriptions)] + more,
            text: "\(who) \(subscriptions) \(more.count)", origin: "x.json5, quota \(subscriptions)")
    }

    /// How many subscriptions of 10 it gets.
    private func subscriptions(_ client: StageClient) -> Int {
        (1...10).count { _ in client.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#).op == "ok" }
    }

    @Test("count by the first that is about somebody, and for nobody else")
    func first() {
        let stage = Stage { $0.subscriptionsPerUID = 9 }
        stage.setQuotas([
            rule(Selector(uid: 1, gid: 50), subscriptions: 2), rule(Selector(uid: 1), subscriptions: 4),
            rule(Selector(gid: 50), subscriptions: 6),
        ])
        #expect(subscriptions(stage.connect(Identity(uid: 1, gid: 1))) == 4)
        #expect(subscriptions(stage.connect(Identity(uid: 2, gid: 2, groups: [7, 50]))) == 6)
        #expect(subscriptions(stage.connect(Identity(uid: 3, gid: 3))) == 9)
        let refused = stage.connect(uid: 1).ask(#"{"op":"subscribe","id":1,"channel":"a"}"#)
        #expect(refused.message == "limit 'subscriptions' of uid 1 is 4 (x.json5, quota 4)")
    }

    @Test("count by their order if several are about somebody, not by how much they say about them")
    func order() {
        let stage = Stage()
        stage.setQuotas([
            rule(Selector(gid: 50), subscriptions: 2), rule(Selector(uid: 1, gid: 50), subscriptions: 4),
            rule(Selector(gid: 60), subscriptions: 6), rule(Selector(uid: 2), subscriptions: 8),
        ])
        #expect(subscriptions(stage.connect(Identity(uid: 1, gid: 50))) == 2)
        #expect(subscriptions(stage.connect(Identity(uid: 2, gid: 1, groups: [60]))) == 6)
        #expect(subscriptions(stage.connect(Identity(uid: 3, gid: 60, groups: [50]))) == 2)
    }

    @Test("give a unit an account of its own, whoever runs it; somebody of an unknown unit has that of the user")
    func unit() throws {
        let stage = Stage { $0.subscriptionsPerUID = 9 }
        stage.setQuotas([rule(Selector(unit: "shop.service"), subscriptions: 5)])
        let one = stage.connect(Identity(uid: 1, gid: 1, unit: "shop.service"))
        #expect(subscriptions(one) == 5)
        #expect(subscriptions(stage.connect(Identity(uid: 2, gid: 2, unit: "shop.service"))) == 0)
        #expect(
            one.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#).message
                == "limit 'subscriptions' of unit shop.service is 5 (x.json5, quota 5)")
        #expect(subscriptions(stage.connect(Identity(uid: 1, gid: 1))) == 9)
        let accounts = stage.statistics["accounts"].elements
        let unit = try #require(accounts.first { $0["unit"].text == "shop.service" })
        #expect(unit["clients"].int == 2 && unit["subscriptions"].int == 5 && unit["limits"]["subscriptions"].int == 5)
        #expect(accounts.first { $0["uid"].int == 1 }?["subscriptions"].int == 9)
    }

    @Test("count for those who are there when they are changed: nothing is taken away, nothing more given")
    func reload() {
        let stage = Stage()
        let client = stage.connect(uid: 1)
        for _ in 1...6 { client.subscribe("a") }
        stage.setQuotas([rule(Selector(uid: 1), subscriptions: 4, [("messages_per_s", \.messagesPerSecondPerUID, 3)])])
        #expect(client.peer.pointee.subscriptionCount == 6)
        #expect(client.ask(#"{"op":"subscribe","id":1,"channel":"a"}"#).code == "quota_exceeded")
        #expect(client.ask(#"{"op":"ping","id":1}"#).op == "ok")
        #expect(client.ask(#"{"op":"ping","id":1}"#).op == "ok")
        #expect(client.ask(#"{"op":"ping","id":1}"#).code == "rate_limited")
        stage.setQuotas([])
        client.subscribe("a")
    }

    @Test("a refusal names the key as the quota has it, and its place; what no quota says has its name in 'limits'")
    func names() {
        let stage = Stage {
            ($0.messagesPerSecondPerUID, $0.messagesPerSecondPerClient) = (9, 8)
            ($0.subscriptionsPerUID, $0.subscriptionsPerClient, $0.clientsPerUID) = (3, 2, 1)
        }
        func quota(_ changes: [QuotaRule.Change]) -> QuotaRule {
            QuotaRule(Selector(uid: 1), changes, text: "\(changes.count)", origin: "x.json5, quota 7")
        }
        let told = { (client: StageClient, line: String) in
            for _ in 1...20 {
                let reply = client.ask(line)
                if reply.op == "error" { return reply.message }
            }
            return "nothing was refused"
        }
        func connecting(_ stage: Stage) -> String? {
            if case .failure(let refusal) = stage.tryConnect(uid: 1) { return refusal.message }
            return nil
        }
        let subscribe = #"{"op":"subscribe","id":1,"channel":"a"}"#
        let ping = #"{"op":"ping","id":1}"#
        let client = stage.connect(uid: 1)
        #expect(told(client, subscribe) == "limit 'subscriptions_per_client' of this connection is 2")
        #expect(told(client, ping) == "limit 'messages_per_s_per_client' of this connection is 8")
        stage.setQuotas([
            quota([
                ("subscriptions_per_client", \.subscriptionsPerClient, 2), ("burst_s", \.burstSeconds, 1),
                ("messages_per_s_per_client", \.messagesPerSecondPerClient, 5), ("clients", \.clientsPerUID, 1),
            ])
        ])
        stage.pass(milliseconds: 5000)
        #expect(
            told(client, subscribe) == "limit 'subscriptions_per_client' of this connection is 2 (x.json5, quota 7)")
        #expect(
            told(client, ping) == "limit 'messages_per_s_per_client' of this connection is 5 (x.json5, quota 7)")
        #expect(connecting(stage) == "limit 'clients' of uid 1 is 1 (x.json5, quota 7)")
        // The key that counts is another one, which no quota says.
        stage.setQuotas([
            quota([
                ("subscriptions_per_client", \.subscriptionsPerClient, 5), ("clients", \.clientsPerUID, 5),
                ("messages_per_s_per_client", \.messagesPerSecondPerClient, 0),
                ("connects_per_s", \.connectsPerSecondPerUID, 1),
            ])
        ])
        stage.pass(milliseconds: 5000)
        #expect(told(client, subscribe) == "limit 'subscriptions_per_uid' of uid 1 is 3")
        #expect(told(client, ping) == "limit 'messages_per_s_per_uid' of uid 1 is 9")
        _ = stage.tryConnect(uid: 1)
        #expect(
            connecting(stage) == "limit 'connects_per_s' of uid 1 is 1 (x.json5, quota 7)")
        // And a quota that is gone is named no more.
        stage.setQuotas([])
        #expect(connecting(stage) == "limit 'clients_per_uid' of uid 1 is 1")
    }
}
