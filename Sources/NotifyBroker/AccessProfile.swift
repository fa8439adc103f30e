// What peers of one identity may do, kept once for all of them: the rules that count for it, and what is asked most.
// A reload gives it a new number; whoever has kept an answer with the number asks again.

import NotifyWire

typealias AccessProfileRef = UnsafeMutablePointer<AccessProfile>

struct AccessProfile {
    let identity: Identity
    /// Peers and held posts with this identity.
    var uses = 0
    /// Never that of another profile, or of this one with other rules.
    private(set) var number: UInt64
    private var rules: [AccessRule]
    /// On every channel that anybody may post on.
    private(set) var mayPostAnywhere: Bool
    /// To every channel but the daemon's own.
    private(set) var mayListenAnywhere: Bool

    /// The answers to one search for subscriptions, for the next subscription that it finds.
    private var memo = (search: UInt64(0), mayListen: false, mayBlock: false)

    init(_ identity: Identity, _ access: AccessRules, number: UInt64) {
        self.identity = identity
        self.number = number
        rules = access.rules.filter { $0.counts(for: identity) }
        mayPostAnywhere = Self.isUnlimited(.post, rules)
        mayListenAnywhere = Self.isUnlimited(.listen, rules)
    }

    mutating func change(to access: AccessRules, number: UInt64) {
        let uses = uses
        self = AccessProfile(identity, access, number: number)
        self.uses = uses
    }

    private static func isUnlimited(_ right: Right, _ rules: [AccessRule]) -> Bool {
        for rule in rules where rule.rights.contains(right) {
            if rule.effect == .deny { return false }
            if rule.scope.covers([UInt8(ascii: ">")], uid: 0) { return true }
        }
        return false
    }

    func decide(_ right: Right, on channel: ByteSlice) -> AccessRules.Decision {
        AccessRules.decide(right, on: channel, uid: identity.uid, among: rules)
    }

    func may(_ right: Right, on channel: ByteSlice) -> Bool { decide(right, on: channel).isAllowed }

    /// The same as `may`, and cheap for whoever may listen to everything.
    func mayListen(to channel: ByteSlice) -> Bool {
        mayListenAnywhere && !ChannelName.isReserved(channel) || may(.listen, on: channel)
    }

    /// Whether it may know that there is this channel.
    func maySee(_ channel: ByteSlice) -> Bool { mayListen(to: channel) || may(.observe, on: channel) }

    func mayOnSome(_ rights: [Right], of pattern: ByteSlice) -> Bool {
        AccessRules.mayAllow(rights, onSomeOf: [UInt8](pattern), uid: identity.uid, among: rules)
    }

    func rule(denying right: Right, onAllOf pattern: ByteSlice) -> AccessRule? {
        AccessRules.rule(denying: right, onAllOf: pattern, uid: identity.uid, among: rules)
    }

    /// Whether a subscription gets what is posted on the channel that `search` looks for.
    mutating func mayGet(_ channel: ByteSlice, blocking: Bool, search: UInt64) -> Bool {
        if memo.search != search {
            memo = (search, may(.listen, on: channel), may(.block, on: channel))
        }
        return memo.mayListen && (memo.mayBlock || !blocking)
    }

    /// What one look costs, in subscriptions looked at.
    var cost: Int { 1 + rules.count }
}
