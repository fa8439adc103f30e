// Who is at the other end of a socket, as the kernel recorded it at connect(2) (unix(7), SO_PEERCRED).

package struct Credentials: Equatable, Sendable {
    package var pid: Int32
    package var uid: UInt32
    package var gid: UInt32

    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}
