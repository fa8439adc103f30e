// Where what outlives the daemon is kept.

import Glibc

enum StateDirectory {
    /// systemd's `StateDirectory=`, else the configured one, else the place for this user.
    static func path(configured: String?, isRoot: Bool, environment: (String) -> String?) -> String {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        // A unit with several has them all in there, ours first.
        if let given = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(given) }
        if let configured { return configured }
        if !isRoot {
            if let state = variable("XDG_STATE_HOME") { return state + "/notifyd" }
            if let home = variable("HOME") { return home + "/.local/state/notifyd" }
        }
        return "/var/lib/notifyd"
    }

    static func path(configured: String?) -> String {
        path(configured: configured, isRoot: geteuid() == 0) { name in getenv(name).map { String(cString: $0) } }
    }
}
