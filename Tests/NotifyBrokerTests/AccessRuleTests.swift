// The rules by themselves: who is meant, which rule decides, and what the built-in ones say.

import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Access rules")
struct AccessRuleTests {
    static let alice = Identity(uid: 1000, gid: 1000, groups: [27, 100], unit: "shop.service")

    private func rule(
        _ effect: AccessRule.Effect, _ rights: [Right] = Right.allCases, _ channels: [String]? = nil,
        _ who: Selector = Selector()
    ) -> AccessRule {
        AccessRule(effect, RightSet(rights), on: channels.map { .patterns($0) } ?? .all, to: who, text: "", origin: "")
    }

    private func allows(
        _ rules: [AccessRule], _ right: Right = .post, _ channel: String = "a.b", _ identity: Identity = alice
    ) -> Bool {
        decide(AccessRules(rules), right, channel, identity).isAllowed
    }

    // MARK: Selectors

    @Test(
        "are about the one whom all that they name fits",
        arguments: [
            (Selector(), true), (Selector(uid: 1000), true), (Selector(uid: 1001), false), (Selector(uid: 999), false),
            (Selector(gid: 1000), true), (Selector(gid: 27), true), (Selector(gid: 100), true),
            (Selector(gid: 101), false), (Selector(unit: "shop.service"), true), (Selector(unit: "shop"), false),
            (Selector(unit: "shop.services"), false), (Selector(uid: 1000, gid: 27, unit: "shop.service"), true),
            (Selector(uid: 1001, gid: 27, unit: "shop.service"), false),
            (Selector(uid: 1000, gid: 28, unit: "shop.service"), false),
            (Selector(uid: 1000, gid: 27, unit: "other.service"), false),
        ])
    func selectors(selector: Selector, isMeant: Bool) {
        #expect(selector.matches(Self.alice) == (isMeant ? .yes : .no))
        #expect(allows([rule(.allow, [.post], nil, selector)]) == isMeant)
        #expect(allows([rule(.deny, [.post], nil, selector), rule(.allow)]) != isMeant)
    }

    @Test("deny to a unit that nobody knows, and never allow to one")
    func unknownUnit() {
        var nobody = Self.alice
        nobody.unit = nil
        let selector = Selector(uid: 1000, unit: "shop.service")
        #expect(selector.matches(nobody) == .unknown)
        #expect(!allows([rule(.allow, [.post], nil, selector)], .post, "a", nobody))
        #expect(!allows([rule(.deny, [.post], nil, selector), rule(.allow)], .post, "a", nobody))
        // Whoever is not meant anyway is not.
        #expect(
            allows(
                [rule(.deny, [.post], nil, Selector(uid: 1, unit: "shop.service")), rule(.allow)], .post, "a", nobody))
    }

    // MARK: The first that is about it

    @Test("count from the top, whatever comes after")
    func firstMatch() {
        #expect(allows([rule(.allow, [.post], ["a.>"]), rule(.deny)]))
        #expect(!allows([rule(.deny, [.post], ["a.>"]), rule(.allow)]))
        // A rule about another right, channel or user is passed over.
        #expect(allows([rule(.deny, [.listen]), rule(.allow)]))
        #expect(allows([rule(.deny, [.post], ["a"]), rule(.allow)]))
        #expect(allows([rule(.deny, [.post], ["a.b.c", "a.*.>"]), rule(.allow)]))
        #expect(!allows([rule(.deny, [.post], ["x", "a.*"]), rule(.allow)]))
        #expect(allows([rule(.deny, Right.allCases, nil, Selector(uid: 7)), rule(.allow)]))
    }

    @Test("deny what none of them is about")
    func end() {
        #expect(!allows([]))
        #expect(!allows([rule(.allow, [.post], ["b.>"]), rule(.allow, [.listen])]))
        let decision = decide(AccessRules([rule(.allow, [.listen])]), .post, "a", Self.alice)
        #expect(decision == AccessRules.Decision(isAllowed: false, rule: nil))
    }

    @Test("say which of them has decided")
    func decider() {
        let first = rule(.allow, [.listen], ["a.b"])
        let second = rule(.allow, [.post], ["a.*"])
        let decision = decide(AccessRules([first, second, rule(.deny)]), .post, "a.b", Self.alice)
        #expect(decision == AccessRules.Decision(isAllowed: true, rule: second))
    }

    @Test("let nobody post on the daemon's own channels, and let those listen who may observe")
    func ownChannels() {
        let all = AccessRules([rule(.allow)])
        #expect(!decide(all, .post, "$notifyd.reload", Self.alice).isAllowed)
        #expect(decide(all, .listen, "$notifyd.reload", Self.alice).isAllowed)
        #expect(!allows([rule(.allow, [.listen])], .listen, "$notifyd.reload"))
        #expect(allows([rule(.allow, [.observe])], .listen, "$notifyd.reload"))
        #expect(!allows([rule(.allow, Right.allCases, [">"])], .listen, "$notifyd.reload"))
        #expect(allows([rule(.allow, Right.allCases, ["$notifyd.*"])], .observe, "$notifyd.reload"))
    }

    // MARK: Patterns

    @Test(
        "know whether a pattern can bring anything at all",
        arguments: [
            (">", true), ("public.>", true), ("*.x", true), ("public.x", true), ("*", false), ("secret.>", false),
            ("public.closed.>", false), ("public.closed.x", false), ("public.*.x", true), ("$notifyd.>", false),
            ("other.>", false),
        ])
    func patterns(pattern: String, isWorthwhile: Bool) {
        let rules = [rule(.deny, [.listen], ["public.closed.>"]), rule(.allow, [.listen], ["public.>"])]
        #expect(AccessRules.mayAllow([.listen], onSomeOf: Array(pattern.utf8), uid: 1000, among: rules) == isWorthwhile)
    }

    // MARK: Built in

    @Test("that are built in give root and the daemon's own user everything")
    func owners() {
        let rules = AccessRules(configured: [], uid: 990, group: 42)
        for right in Right.allCases {
            for uid: UInt32 in [0, 990] {
                let who = Identity(uid: uid, gid: uid)
                for channel in ["a.b", "user.1000.x"] { #expect(decide(rules, right, channel, who).isAllowed) }
            }
            #expect(!decide(rules, right, "a.b", Identity(uid: 989, gid: 990, groups: [990])).isAllowed)
        }
        #expect(decide(rules, .observe, "$notifyd.reload", Identity(uid: 990, gid: 1)).isAllowed)
    }

    @Test("that are built in give a user their own channels, and others none of them")
    func ownUser() {
        let rules = AccessRules(configured: [], uid: 990, group: 42)
        let member = Identity(uid: 1000, gid: 1000, groups: [42])
        for right in [Right.post, .listen, .block] {
            #expect(decide(rules, right, "user.1000.x", Self.alice).isAllowed)
            #expect(decide(rules, right, "user.1000.x.y", Self.alice).isAllowed)
            for other in ["user.1001.x", "user.100.x", "user.10000.x", "user.01000.x", "user.0.x"] {
                #expect(!decide(rules, right, other, Self.alice).isAllowed)
                #expect(!decide(rules, right, other, member).isAllowed)
            }
            // These are nobody's.
            for plain in ["user", "user.1000", "user.x.y", "user.1000x.y", "users.1001.x", "a.user.1001.x"] {
                #expect(!decide(rules, right, plain, Self.alice).isAllowed)
                #expect(decide(rules, right, plain, member).isAllowed)
            }
        }
        #expect(!decide(rules, .observe, "user.1000.x", Self.alice).isAllowed)
    }

    @Test("that are built in let members of the group do what programs do, and only there")
    func group() {
        let system = AccessRules(configured: [], uid: 990, group: 42)
        let member = Identity(uid: 1000, gid: 1000, groups: [42])
        #expect([Right.post, .listen, .block, .observe].allSatisfy { decide(system, $0, "a.b", member).isAllowed })
        #expect(decide(system, .listen, "$notifyd.reload", member).isAllowed)
        #expect(!decide(system, .admin, "a.b", member).isAllowed)
        #expect(decide(system, .post, "a.b", Identity(uid: 1, gid: 42)).isAllowed)
        #expect(!decide(system, .post, "a.b", Identity(uid: 1, gid: 41, groups: [43])).isAllowed)
        let users = AccessRules(configured: [], uid: 1000, group: nil)
        #expect(decide(users, .post, "a.b", member).isAllowed)
        #expect(!decide(users, .post, "a.b", Identity(uid: 1001, gid: 42, groups: [42])).isAllowed)
    }

    @Test("that are configured stand before those that are built in")
    func configured() {
        let rules = AccessRules(
            configured: [rule(.deny, [.post], ["a.>"], Selector(uid: 0)), rule(.allow, [.post], ["user.>"])], uid: 990,
            group: nil)
        let root = Identity(uid: 0, gid: 0)
        #expect(!decide(rules, .post, "a.b", root).isAllowed)
        #expect(decide(rules, .post, "b.b", root).isAllowed)
        #expect(decide(rules, .post, "user.7.x", Self.alice).isAllowed)
    }

    private func decide(
        _ rules: AccessRules, _ right: Right, _ channel: String, _ identity: Identity
    ) -> AccessRules.Decision {
        Array(channel.utf8).withUnsafeBufferPointer {
            rules.decide(right, on: ByteSlice($0.baseAddress!, $0.count), for: identity)
        }
    }
}
