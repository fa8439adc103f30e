// Users and groups by their names, as this system knows them. A number stands for itself.

import Glibc
import Notify

enum Accounts {
    /// Who we are.
    static var own: NotifyCenter.AccessSubject {
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(max(0, count)))
        let found = getgroups(count, &groups)
        return NotifyCenter.AccessSubject(uid: geteuid(), groups: [getegid()] + groups.prefix(Int(max(0, found))))
    }

    static func uid(_ text: String) -> UInt32? {
        number(text)
            ?? withRoom { buffer, count in
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                let result = getpwnam_r(text, &entry, buffer, count, &found)
                return (result, found.map { $0.pointee.pw_uid })
            }
    }

    static func gid(_ text: String) -> UInt32? {
        number(text)
            ?? withRoom { buffer, count in
                var entry = Glibc.group()
                var found: UnsafeMutablePointer<Glibc.group>?
                let result = getgrnam_r(text, &entry, buffer, count, &found)
                return (result, found.map { $0.pointee.gr_gid })
            }
    }

    /// All groups of the user; of one that this system does not know, none.
    static func groups(of uid: UInt32) -> [UInt32] {
        withRoom { buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let result = getpwuid_r(uid, &entry, buffer, size, &found)
            guard let found else { return (result, nil) }
            var count: Int32 = 0
            getgrouplist(found.pointee.pw_name, found.pointee.pw_gid, nil, &count)
            var groups = [gid_t](repeating: 0, count: Int(count))
            guard getgrouplist(found.pointee.pw_name, found.pointee.pw_gid, &groups, &count) >= 0 else {
                return (0, [found.pointee.pw_gid])
            }
            return (0, groups)
        } ?? []
    }

    private static func number(_ text: String) -> UInt32? {
        guard let first = text.utf8.first, 48...57 ~= first else { return nil }
        return UInt32(text)
    }

    /// Calls with ever more room, while it is too little (ERANGE).
    private static func withRoom<Found>(_ call: (UnsafeMutablePointer<CChar>, Int) -> (Int32, Found?)) -> Found? {
        var room = 1024
        while room < 1 << 20 {
            var buffer = [CChar](repeating: 0, count: room)
            let (result, found) = buffer.withUnsafeMutableBufferPointer { call($0.baseAddress!, room) }
            if result != ERANGE { return found }
            room *= 4
        }
        return nil
    }
}
