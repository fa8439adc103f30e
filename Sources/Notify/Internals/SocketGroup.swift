// The name of the group whose members may open a socket file: what somebody without permission must become a member of.

import Glibc

enum SocketGroup {
    /// nil, too, when membership would not help: who opens a socket must be allowed to write to it.
    static func name(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IWGRP != 0 else { return nil }
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        guard getgrgid_r(status.st_gid, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return String(cString: entry.gr_name)
    }
}
