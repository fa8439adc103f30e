// Whom a rule or a quota is about. What is nil does not matter; all else must hold at once. Names of users and groups
// were resolved when the configuration was read: here are numbers only.

package struct Selector: Hashable, Sendable {
    package var uid: UInt32?
    /// The process's own group or one of its others.
    package var gid: UInt32?
    package var unit: String?

    package init(uid: UInt32? = nil, gid: UInt32? = nil, unit: String? = nil) {
        self.uid = uid
        self.gid = gid
        self.unit = unit
    }

    package enum Answer {
        case yes
        case no
        /// It would be yes if the process were of this unit, and nobody knows of which it is. Whoever asks takes the
        /// answer that gives less away.
        case unknown
    }

    package func matches(_ identity: Identity) -> Answer {
        if let uid, uid != identity.uid { return .no }
        if let gid, !identity.isMember(of: gid) { return .no }
        guard let unit else { return .yes }
        guard let known = identity.unit else { return .unknown }
        return known == unit ? .yes : .no
    }
}
