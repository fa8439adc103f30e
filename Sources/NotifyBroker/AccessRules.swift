// Who may do what: a list of rules. The FIRST rule that is about the right, the channel and the one who asks decides; where
// none is, the answer is no. There is no second list and no weighing: whoever reads the list from its top knows the answer.
//
// The rules of the configuration come first, in the order in which `ConfigurationLoader` has laid its files over each other,
// and the built-in ones behind them. So a configuration can allow more than they do, and deny more, also to root.

package import NotifyWire

package struct AccessRules: Equatable, Sendable {
    package var rules: [AccessRule]

    package init(_ rules: [AccessRule]) { self.rules = rules }

    /// Everybody may do with each other what they like: for a daemon that nobody else can reach.
    package static let open = AccessRules([
        AccessRule(
            .allow, RightSet([.post, .listen, .observe, .block]),
            text: #"{ allow: ["post", "listen", "observe", "block"] }"#, origin: builtIn)
    ])

    package static let builtIn = "built in"

    /// The configured rules and the built-in ones.
    ///
    /// - Parameters:
    ///   - uid: the daemon's own user.
    ///   - group: whose members may do what programs do with each other; nil for the daemon of a user.
    package init(configured: [AccessRule], uid: UInt32, group: UInt32?) {
        rules = configured + Self.builtIn(uid: uid, group: group)
    }

    package static func builtIn(uid: UInt32, group: UInt32?) -> [AccessRule] {
        func rule(
            _ effect: AccessRule.Effect, _ rights: RightSet, _ scope: AccessRule.Scope, _ who: Selector, _ text: String
        ) -> AccessRule {
            AccessRule(effect, rights, on: scope, to: who, text: text, origin: builtIn)
        }
        let usual: RightSet = RightSet([.post, .listen, .block])
        var rules = [rule(.allow, .all, .all, Selector(uid: 0), #"{ allow: "all", uid: 0 }"#)]
        if uid != 0 { rules.append(rule(.allow, .all, .all, Selector(uid: uid), #"{ allow: "all", uid: \#(uid) }"#)) }
        rules += [
            rule(
                .allow, usual, .ownUser, Selector(),
                #"{ allow: ["post", "listen", "block"], channels: "user.UID.>" } for the user with this uid"#),
            rule(
                .deny, .all, .anyUser, Selector(),
                #"{ deny: "all", channels: "user.UID.>" } for everybody else"#),
        ]
        if let group {
            rules.append(
                rule(
                    .allow, usual.union(RightSet(.observe)), .all, Selector(gid: group),
                    #"{ allow: ["post", "listen", "block", "observe"], group: "notify" }"#))
        }
        return rules
    }

    package struct Decision: Equatable, Sendable {
        package var isAllowed: Bool
        /// Which rule has decided; nil: none is about it.
        package var rule: AccessRule?
    }

    package func decide(_ right: Right, on channel: ByteSlice, for identity: Identity) -> Decision {
        Self.decide(right, on: channel, uid: identity.uid, among: rules.filter { $0.counts(for: identity) })
    }

    /// The same where the rules are those that count for the identity.
    static func decide(
        _ right: Right, on channel: ByteSlice, uid: UInt32, among rules: [AccessRule]
    ) -> Decision {
        let right = self.right(for: right, on: channel)
        if right == .post, ChannelName.isReserved(channel) { return Decision(isAllowed: false, rule: own) }
        for rule in rules where rule.rights.contains(right) && rule.scope.contains(channel, uid: uid) {
            return Decision(isAllowed: rule.effect == .allow, rule: rule)
        }
        return Decision(isAllowed: false, rule: nil)
    }

    /// The right that is asked for when somebody wants to do this: what the daemon tells on its own channels is about others,
    /// so that listening to it is observing.
    static func right(for right: Right, on name: ByteSlice) -> Right {
        right == .listen && ChannelName.isReserved(name) ? .observe : right
    }

    /// The same for the channel on which posts on all that match a pattern are traced: to listen to it is to observe them.
    /// It can be had by whoever may observe one of them, and tells of those alone.
    package func decide(_ right: Right, onTracing pattern: ByteSlice, for identity: Identity) -> Decision {
        let rules = rules.filter { $0.counts(for: identity) }
        switch right {
        case .listen, .observe:
            let bytes = [UInt8](pattern)
            if let rule = Self.rule(allowing: .observe, onSomeOf: bytes, uid: identity.uid, among: rules) {
                return Decision(isAllowed: true, rule: rule)
            }
            return Decision(
                isAllowed: false,
                rule: Self.rule(denying: .observe, onAllOf: pattern, uid: identity.uid, among: rules))
        case .post: return Decision(isAllowed: false, rule: Self.own)
        case .block, .admin: return Decision(isAllowed: false, rule: Self.patient)
        }
    }

    /// Whether there may be a channel that matches the pattern, and for which all of these rights are allowed. Where it is
    /// not worth knowing for certain the answer is yes: what is delivered is decided channel by channel.
    static func mayAllow(
        _ rights: [Right], onSomeOf pattern: [UInt8], uid: UInt32, among rules: [AccessRule]
    ) -> Bool {
        rights.allSatisfy { right in
            let right = pattern.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { self.right(for: right, on: ByteSlice($0, bytes.count)) } ?? right
            }
            return rule(allowing: right, onSomeOf: pattern, uid: uid, among: rules) != nil
        }
    }

    /// The first rule that may allow the right for a channel that matches the pattern.
    private static func rule(
        allowing right: Right, onSomeOf pattern: [UInt8], uid: UInt32, among rules: [AccessRule]
    ) -> AccessRule? {
        var denied: [AccessRule.Scope] = []
        for rule in rules where rule.rights.contains(right) {
            if rule.effect == .deny {
                denied.append(rule.scope)
            } else if rule.scope.common(with: pattern, uid: uid).contains(where: { common in
                !denied.contains { $0.covers(common, uid: uid) }
            }) {
                return rule
            }
        }
        return nil
    }

    /// The first rule that denies the right on all that matches the pattern; nil where none does alone. To be asked when
    /// nothing of it is allowed.
    static func rule(
        denying right: Right, onAllOf pattern: ByteSlice, uid: UInt32, among rules: [AccessRule]
    ) -> AccessRule? {
        let right = self.right(for: right, on: pattern)
        return rules.first {
            $0.effect == .deny && $0.rights.contains(right) && $0.scope.contains(pattern, uid: uid)
        }
    }

    private static let patient = AccessRule(
        .deny, RightSet([.block, .admin]), on: .patterns(["$notifyd.trace.>"]),
        text: "a trace holds nobody up, and there is nothing to take back on it",
        origin: builtIn)

    private static let own = AccessRule(
        .deny, RightSet(.post), on: .patterns(["$notifyd.>"]),
        text: "channels that start with '$' are the daemon's own",
        origin: builtIn)
}
