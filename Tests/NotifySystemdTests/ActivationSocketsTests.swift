// LISTEN_* and the descriptors from 3 on belong to a process as a whole, so each case starts one (ActivationProbe) with
// the variables and descriptors laid out as the case says, and reads what it took (trials T074, T076). What the daemon
// makes of it is in SystemdTests/Scenarios/handover.py.

import Testing

struct ActivationSocketsTests {
    @Test(
        "Variables that are not for this process are ignored and removed",
        arguments: [
            Launch(pid: nil, count: nil),
            Launch(pid: nil),
            Launch(pid: "1", count: "2"),
            Launch(pid: "1", count: "junk", names: ":::"),
            Launch(pid: "abc"),
            Launch(pid: "", count: ""),
            Launch(pid: "99999999999999999999"),
            Launch(pid: "-1"),
            Launch(pid: "self", count: nil),
        ])
    func foreign(_ launch: Launch) {
        #expect(launch.run() == [])
    }

    @Test(
        "Sockets that are for this process are taken with their names, closed on exec, non-blocking",
        arguments: [
            (Launch(), ["3 unknown cloexec nonblock"]),
            (Launch(names: "notifyd.socket"), ["3 notifyd.socket cloexec nonblock"]),
            (
                Launch(count: "2", descriptors: [.listening, .listening]),
                ["3 unknown cloexec nonblock", "4 unknown cloexec nonblock"]
            ),
            (
                Launch(count: "2", names: "b:a", descriptors: [.listening, .listening]),
                ["3 b cloexec nonblock", "4 a cloexec nonblock"]
            ),
            (
                Launch(count: "2", names: ":x", descriptors: [.listening, .listening]),
                ["3  cloexec nonblock", "4 x cloexec nonblock"]
            ),
        ])
    func ours(_ launch: Launch, taken: [String]) {
        #expect(launch.run() == taken)
    }

    @Test(
        "A count or names that do not fit are an error, not a crash",
        arguments: [
            (Launch(count: "0"), "LISTEN_FDS=0 is not"),
            (Launch(count: "-1"), "LISTEN_FDS=-1 is not"),
            (Launch(count: "1x"), "LISTEN_FDS=1x is not"),
            (Launch(count: ""), "LISTEN_FDS= is not"),
            (Launch(count: "99999999999"), "LISTEN_FDS=99999999999 is not"),
            (Launch(count: "99999"), "LISTEN_FDS=99999 announces descriptors from 3 on, but not all of them are open"),
            (Launch(count: "2"), "not all of them are open"),
            (Launch(count: "2", names: "one", descriptors: [.listening, .listening]), "LISTEN_FDNAMES does not name"),
            (Launch(count: "1", names: "one:two"), "LISTEN_FDNAMES does not name"),
        ])
    func malformed(_ launch: Launch, reason: String) {
        let output = launch.run()
        #expect(output.count == 1)
        #expect(output.first?.hasPrefix("error: ") == true)
        #expect(output.first?.contains(reason) == true, "\(output)")
    }

    @Test(
        "A descriptor that cannot be served is an error that names it",
        arguments: [
            (Launch(descriptors: [.closed]), "not all of them are open"),
            (Launch(descriptors: [.file]), "descriptor 3 (unknown), passed for socket activation, is not a socket"),
            (Launch(descriptors: [.pipe]), "is not a socket"),
            (Launch(descriptors: [.inet]), "is not an AF_UNIX socket"),
            (Launch(descriptors: [.datagram]), "is not a stream socket"),
            (Launch(descriptors: [.sequenced]), "is not a stream socket"),
            (Launch(descriptors: [.connected]), "does not listen"),
            (Launch(descriptors: [.idle]), "does not listen"),
            (
                Launch(count: "2", names: "good:bad", descriptors: [.listening, .file]),
                "descriptor 4 (bad), passed for socket activation, is not a socket"
            ),
        ])
    func unusable(_ launch: Launch, reason: String) {
        let output = launch.run()
        #expect(output.count == 1)
        #expect(output.first?.hasPrefix("error: ") == true)
        #expect(output.first?.contains(reason) == true, "\(output)")
    }
}
