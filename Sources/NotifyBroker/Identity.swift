// Who somebody is, as the kernel and systemd say, never as they say themselves. Rules and quotas ask about nothing else.

package struct Identity: Hashable, Sendable {
    package var uid: UInt32
    package var gid: UInt32
    /// Supplementary groups, in rising order.
    package var groups: [UInt32]
    /// The system's unit that the process belongs to (`shop.service`, `user@1000.service`); nil: nobody knows.
    package var unit: String?

    package init(uid: UInt32, gid: UInt32, groups: [UInt32] = [], unit: String? = nil) {
        self.uid = uid
        self.gid = gid
        self.groups = groups.sorted()
        self.unit = unit
    }

    package func isMember(of group: UInt32) -> Bool { gid == group || groups.contains(group) }
}
