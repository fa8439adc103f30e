// The name of the group that a socket file belongs to: what somebody without permission must become a member of.

import Glibc

enum SocketGroup {
    static func name(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        guard getgrgid_r(status.st_gid, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return String(cString: entry.gr_name)
    }
}
