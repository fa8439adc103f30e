// Where a daemon is looked for, and what is said when none is there.

// Where a center looks for its daemon, from the endpoint and the environment.

import Testing

@testable import Notify

struct PlacesTests {
    private func paths(_ endpoint: NotifyCenter.Endpoint, _ environment: [String: String]) throws -> [String] {
        try Places(endpoint, environment: { environment[$0] }).paths
    }

    @Test func `the variable wins, then the user's daemon, then the system's`() throws {
        let all = ["NOTIFYD_SOCKET": "/x", "XDG_RUNTIME_DIR": "/run/user/7"]
        #expect(try paths(.default, all) == ["/x"])
        #expect(
            try paths(.default, ["NOTIFYD_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"]) == [
                "/run/user/7/notifyd/socket", "/run/notifyd/socket",
            ])
        #expect(try paths(.default, ["XDG_RUNTIME_DIR": ""]) == ["/run/notifyd/socket"])
        #expect(try paths(.user, all) == ["/run/user/7/notifyd/socket"])
        #expect(try paths(.system, all) == ["/run/notifyd/socket"])
        #expect(try paths(.socket(path: "@a"), all) == ["@a"])
        #expect(throws: NotifyError.self) { try paths(.user, [:]) }
    }

    @Test func `an absent daemon's error says what to do`() {
        #expect(
            Places.absence(["/run/notifyd/socket"], hasSystemd: true).message
                == "no daemon at /run/notifyd/socket: start it with systemctl start notifyd.socket; "
                + "if it does not stay, see journalctl -u notifyd")
        #expect(
            Places.absence(["/run/notifyd/socket"], hasSystemd: false).message
                == "no daemon at /run/notifyd/socket: start it with notifyd")
        let user = "/run/user/7/notifyd/socket"
        #expect(
            Places.absence([user]).message
                == "no daemon at \(user): start it with systemctl --user enable --now notifyd.socket")
        #expect(
            Places.absence([user, "/run/notifyd/socket"], hasSystemd: true).message
                == "no daemon at \(user) or /run/notifyd/socket: start it with "
                + "systemctl --user enable --now notifyd.socket or systemctl start notifyd.socket")
        #expect(Places.absence(["/a/b"]).message == "no daemon at /a/b: start it with notifyd --socket /a/b")
    }

    @Test(arguments: [(107, true), (108, false), (300, false)])
    func `a socket path has at most 107 bytes`(count: Int, fits: Bool) {
        let path = "/" + String(repeating: "s", count: count - 1)
        if fits {
            #expect(throws: Never.self) { _ = try Places.address(path) }
        } else {
            let error = #expect(throws: NotifyError.self) { _ = try Places.address(path) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("\(count) bytes") == true)
        }
    }
}
