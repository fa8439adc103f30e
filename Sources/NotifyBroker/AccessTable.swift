// The rules in force, and the profiles of everybody who is there or has a post that waits.

import NotifyWire

struct AccessTable: ~Copyable {
    private(set) var rules: AccessRules
    private var profiles: [Identity: AccessProfileRef] = [:]
    private var lastNumber: UInt64 = 0

    init(_ rules: AccessRules) { self.rules = rules }

    deinit {
        for profile in profiles.values { Self.free(profile) }
    }

    var count: Int { profiles.count }

    /// The profile of this identity, used once more from now on.
    mutating func use(_ identity: Identity) -> AccessProfileRef {
        if let known = profiles[identity] {
            known.pointee.uses += 1
            return known
        }
        lastNumber += 1
        let profile = AccessProfileRef.allocate(capacity: 1)
        profile.initialize(to: AccessProfile(identity, rules, number: lastNumber))
        profile.pointee.uses = 1
        profiles[identity] = profile
        return profile
    }

    /// Used once less. Returns whether that was the last time, and it is gone.
    mutating func release(_ profile: AccessProfileRef) -> Bool {
        profile.pointee.uses -= 1
        guard profile.pointee.uses == 0 else { return false }
        profiles[profile.pointee.identity] = nil
        Self.free(profile)
        return true
    }

    mutating func change(to rules: AccessRules) {
        self.rules = rules
        for profile in profiles.values {
            lastNumber += 1
            profile.pointee.change(to: rules, number: lastNumber)
        }
    }

    private static func free(_ profile: AccessProfileRef) {
        profile.deinitialize(count: 1)
        profile.deallocate()
    }
}
