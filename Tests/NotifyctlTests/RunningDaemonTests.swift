// Whether a daemon is running, told from what the kernel and systemd show.

import Testing

@testable import notifyctl

@Suite("A daemon that is running")
struct RunningDaemonTests {
    /// A machine with these files and no others.
    private func machine(
        locks: String = "", sockets: String = "", numbers: [String: UInt64] = [:], links: Set<String> = [],
        paths: [String: String] = [:]
    ) -> RunningDaemon {
        RunningDaemon(
            read: { ["/proc/locks": locks, "/proc/net/unix": sockets][$0] }, number: { numbers[$0] },
            exists: { links.contains($0) }, resolve: { paths[$0] })
    }

    @Test("holds the lock beside its socket")
    func lock() {
        let locks = """
            1: POSIX  ADVISORY  WRITE 812 00:19:33 0 EOF
            2: FLOCK  ADVISORY  WRITE 4711 00:19:34 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 4712 00:19:35 0 EOF
            3: FLOCK  ADVISORY  READ 4711 00:19:36 0 EOF

            """
        for (number, isHeld) in [(33, false), (34, true), (35, false), (36, false), (4, false)] as [(UInt64, Bool)] {
            let machine = machine(locks: locks, numbers: ["/s.lock": number])
            #expect(machine.serves("/s") == isHeld, "\(number)")
        }
        #expect(!machine(locks: locks).serves("/s"), "there is no such file")
        #expect(machine(locks: locks, numbers: ["/real.lock": 34], paths: ["/link": "/real"]).serves("/link"))
    }

    @Test("has accepted a connection that still stands")
    func connection() {
        let head = "Num       RefCount Protocol Flags    Type St Inode Path\n0000000000000000: "
        let rows: [(String, Bool)] = [
            ("00000003 00000000 00000000 0001 03 33467 /run/notifyd/socket", true),
            // It listens; a connection that nobody has accepted; one of another socket; one without a name.
            ("00000002 00000000 00010000 0001 01 33460 /run/notifyd/socket", false),
            ("00000002 00000000 00000000 0001 03     0 /run/notifyd/socket", false),
            ("00000003 00000000 00000000 0001 03 33467 /run/notifyd/socket2", false),
            ("00000003 00000000 00000000 0001 03 33467", false),
        ]
        for (row, isServed) in rows {
            #expect(machine(sockets: head + row + "\n").serves("/run/notifyd/socket") == isServed, "\(row)")
        }
        let row = "00000003 00000000 00000000 0001 03 33467 "
        #expect(machine(sockets: head + row + "@name").serves("@name"))
        #expect(machine(sockets: head + row + "/a b").serves("/a b"), "the path may have a space")
        #expect(machine(sockets: head + row + "/real", paths: ["/link": "/real"]).serves("/link"))
    }

    @Test("is the one that a command would get to, or none")
    func choice() {
        let listening = "1: 00000002 00000000 00010000 0001 01 33460 "
        let accepted = "1: 00000003 00000000 00000000 0001 03 33467 "
        let cases: [(rows: [String], found: String?)] = [
            ([], nil), ([listening + "/user"], nil), ([listening + "/user", listening + "/system"], nil),
            ([listening + "/user", listening + "/system", accepted + "/system"], nil),
            ([listening + "/system", accepted + "/system"], "/system"),
            ([listening + "/user", accepted + "/user", listening + "/system"], "/user"),
            ([accepted + "/user", accepted + "/system"], "/user"),
        ]
        for (rows, found) in cases {
            let machine = machine(sockets: rows.joined(separator: "\n"))
            #expect(machine.socket(of: ["/user", "/system"]) == found, "\(rows)")
        }
    }

    @Test("is a unit that runs, of the system or of the user")
    func unit() {
        let link = "systemd/units/invocation:notifyd.service"
        #expect(machine(links: ["/run/\(link)"]).serves("/run/notifyd/socket"))
        #expect(machine(links: ["/run/user/7/\(link)"]).serves("/run/user/7/notifyd/socket"))
        #expect(!machine(links: ["/run/\(link)"]).serves("/run/user/7/notifyd/socket"))
        #expect(!machine(links: ["/run/\(link)"]).serves("/run/other/socket"))
    }
}
