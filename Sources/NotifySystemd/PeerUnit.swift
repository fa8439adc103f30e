// Which unit a process belongs to that has connected to us: the system's for the system's daemon, and one of the user's own
// for a user's. systemd knows it by the process's cgroup.

import CSystemd
import Glibc

package enum PeerUnit {
    /// nil: nobody knows, and whatever depends on it is denied.
    package static func name(of descriptor: Int32) -> String? {
        var unit: UnsafeMutablePointer<CChar>?
        let isSystem = geteuid() < 1000
        let result =
            isSystem ? csystemd_peer_get_unit(descriptor, &unit) : csystemd_peer_get_user_unit(descriptor, &unit)
        guard result >= 0, let unit else { return nil }
        defer { free(unit) }
        // Was it still that process, and not another that has got its number since?
        guard csystemd_peer_has_gone(descriptor) != 1 else { return nil }
        return String(cString: unit)
    }
}
