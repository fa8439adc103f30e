// notifyd under a real systemd: one boot for each group of things that systemd and the daemon do for each other. What
// is done and expected is told in Scenarios/NAME.py.

import Testing

@Suite(
    "Under a real systemd", .serialized,
    .enabled(if: Rig.obstacle == nil, Comment(rawValue: Rig.obstacle ?? "")))
struct SystemdTests {
    @Test("The first connection starts the daemon, and messages go through it")
    func activation() async throws {
        try await Rig.run("activation")
    }

    @Test("A reload takes a good configuration and refuses a bad one")
    func reload() async throws {
        try await Rig.run("reload")
    }

    @Test("Members of the group, strangers and units may do what the rules say")
    func access() async throws {
        try await Rig.run("access")
    }

    @Test("A daemon that crashed or hangs is started anew, and nobody is refused meanwhile")
    func recovery() async throws {
        try await Rig.run("recovery")
    }

    @Test("A stopped daemon leaves its socket to systemd, and the next connection starts it again")
    func stop() async throws {
        try await Rig.run("stop")
    }

    @Test("A socket file that was removed is told, and comes back with its unit")
    func lostSocket() async throws {
        try await Rig.run("lost_socket")
    }

    @Test("A daemon that cannot start says why, is not tried for ever, and works after the repair")
    func brokenConfiguration() async throws {
        try await Rig.run("broken_configuration")
    }

    @Test("The units are correct in systemd's eyes, and the daemon can do no more than it must")
    func hardening() async throws {
        try await Rig.run("hardening")
    }

    @Test("A journal that takes no more does not stop the daemon")
    func blockedJournal() async throws {
        try await Rig.run("blocked_journal")
    }

    @Test("What was installed and runs is stopped and removed without a trace")
    func uninstall() async throws {
        try await Rig.run("uninstall", copying: Rig.checkout)
    }

    @Test("Units tell when they are ready, that they have ended and how, as the page of recipes shows")
    func recipes() async throws {
        let page = "Sources/Notify/Notify.docc/Recipes.md:/usr/local/src/notifyd/Recipes.md"
        try await Rig.run("recipes", copying: Rig.installed + [page])
    }

    @Test("A user's own systemd serves the user's own socket")
    func user() async throws {
        try await Rig.run("user")
    }
}
