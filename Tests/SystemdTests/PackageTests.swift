// The Debian package, built twice from the same programs with two revisions, and what it does to a system: told in
// Scenarios/package.py and package_offline.py. The programs are those built beside the tests, which stay on this machine, or
// those in the directory that NOTIFYD_BUILT names.

import Foundation
import NotifyTestSupport
import Testing

@Suite(
    "The Debian package", .serialized,
    .enabled(if: Rig.obstacle == nil, Comment(rawValue: Rig.obstacle ?? "")))
struct PackageTests {
    /// Absolute: `make deb` builds what is in .build/release before it takes it, and waits for `swift test` to end.
    private static let built: String = {
        let named = ProcessInfo.processInfo.environment["NOTIFYD_BUILT"] ?? ""
        return named.isEmpty ? Checkout.products.path : URL(filePath: named, relativeTo: Checkout.root).absoluteURL.path
    }()

    @Test("It serves clients through an upgrade, leaves what administrators decide, and goes without a trace")
    func life() async throws {
        let directory = try TemporaryDirectory()
        let packages = directory.path("packages")
        for revision in 1...2 {
            let outcome = try await Command.run(
                "make",
                ["-C", Checkout.root.path, "deb", "BUILT=\(Self.built)", "DEBDIR=\(packages)", "REVISION=\(revision)"],
                environment: ["FOR_TESTS": "1", "DPKG_DEB_COMPRESSOR_LEVEL": "1"], timeout: .seconds(240))
            #expect(outcome.status == 0, "\(outcome.summary)")
        }
        for scenario in ["package", "package_offline"] {
            try await Rig.run(scenario, copying: Rig.checkout + ["\(packages):/usr/local/lib/notifyd-packages"])
        }
    }
}
