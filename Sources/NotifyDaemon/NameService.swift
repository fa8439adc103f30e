// Users and groups by their names, as the system knows them (getpwnam_r(3), getgrnam_r(3)). Asked when the configuration is
// read, and never while somebody waits for an answer.

import Glibc
import NotifyBroker

package struct NameService: Sendable {
    package enum Answer: Equatable, Sendable {
        case found(UInt32)
        case unknown
        /// The service could not say: an errno.
        case failed(Int32)
    }

    package var user: @Sendable (String) -> Answer
    package var group: @Sendable (String) -> Answer

    package init(user: @escaping @Sendable (String) -> Answer, group: @escaping @Sendable (String) -> Answer) {
        self.user = user
        self.group = group
    }

    package static let system = NameService(
        user: { name in
            lookUp { buffer, count in
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                let result = getpwnam_r(name, &entry, buffer, count, &found)
                return (result, found.map { $0.pointee.pw_uid })
            }
        },
        group: { name in
            lookUp { buffer, count in
                var entry = Glibc.group()
                var found: UnsafeMutablePointer<Glibc.group>?
                let result = getgrnam_r(name, &entry, buffer, count, &found)
                return (result, found.map { $0.pointee.gr_gid })
            }
        })

    /// The user with all of their groups; one of whom nothing is known has none.
    static func identity(of uid: UInt32) -> Identity {
        var identity = Identity(uid: uid, gid: .max)
        _ = lookUp { buffer, count in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let result = getpwuid_r(uid, &entry, buffer, count, &found)
            guard let found else { return (result, nil) }
            identity = Identity(
                uid: uid, gid: found.pointee.pw_gid, groups: groups(of: found.pointee.pw_name, found.pointee.pw_gid))
            return (result, uid)
        }
        return identity
    }

    private static func groups(of name: UnsafePointer<CChar>, _ group: gid_t) -> [UInt32] {
        var count: Int32 = 32
        while true {
            var groups = [gid_t](repeating: 0, count: Int(count))
            let room = count
            if getgrouplist(name, group, &groups, &count) >= 0 { return Array(groups.prefix(Int(count))) }
            if count <= room { return [] }
        }
    }

    /// Calls with ever more room, while it is too little.
    private static func lookUp(_ call: (UnsafeMutablePointer<CChar>, Int) -> (Int32, UInt32?)) -> Answer {
        var room = 1024
        while true {
            let (result, number) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer in
                call(buffer.baseAddress!, room)
            }
            if result == ERANGE, room < 1 << 20 {
                room *= 4
                continue
            }
            if let number { return .found(number) }
            // What getpwnam_r(3) says about those that are not there.
            return [0, ENOENT, ESRCH, EBADF, EPERM].contains(result) ? .unknown : .failed(result)
        }
    }
}
