// Where the store is put.

import Testing

@testable import NotifyDaemon

struct StateDirectoryTests {
    @Test(
        "systemd's directory counts before the configured one, and that before the user's",
        arguments: [
            (["STATE_DIRECTORY": "/s", "XDG_STATE_HOME": "/x"], "/c", true, "/s"),
            (["STATE_DIRECTORY": "/s/notifyd:/s/other"], "/c", false, "/s/notifyd"),
            (["STATE_DIRECTORY": ""], "/c", false, "/c"),
            (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/c", false, "/c"),
            (["XDG_STATE_HOME": "/x", "HOME": "/h"], nil, false, "/x/notifyd"),
            (["XDG_STATE_HOME": "x", "HOME": "/h"], nil, false, "/h/.local/state/notifyd"),
            (["HOME": "/h"], nil, true, "/var/lib/notifyd"),
            ([:], nil, false, "/var/lib/notifyd"),
        ] as [([String: String], String?, Bool, String)])
    func place(environment: [String: String], configured: String?, isRoot: Bool, path: String) {
        #expect(StateDirectory.path(configured: configured, isRoot: isRoot) { environment[$0] } == path)
    }
}
