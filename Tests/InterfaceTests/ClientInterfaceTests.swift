// What others compile against does not change without a word, and all of it is compiled by a client. (The client as a
// package that depends on this one is a step of .ci/run: that takes long.)

import Foundation
import NotifyTestSupport
import Testing

@Suite struct ClientInterfaceTests {
    @Test(.enabled(if: Compiler.isTheKnownOne, Compiler.unknown))
    func `the public interface is the one that is written down`() async throws {
        let outcome = try await Interface.run("baseline.py")
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test(.enabled(if: Compiler.isTheKnownOne, Compiler.unknown))
    func `the client package uses every public entry`() async throws {
        let outcome = try await Interface.run("used.py")
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    /// The settings that users have: none, those of new projects, those that are on their way, and Swift 5.
    private static let settings = [
        "", "-default-isolation MainActor", "-enable-upcoming-feature NonisolatedNonsendingByDefault",
        "-default-isolation MainActor -enable-upcoming-feature NonisolatedNonsendingByDefault"
            + " -enable-upcoming-feature InferIsolatedConformances",
        "-enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility"
            + " -enable-upcoming-feature InternalImportsByDefault",
        "-swift-version 5",
    ]

    @Test(arguments: settings) func `the client compiles without a warning`(settings: String) async throws {
        let directory = Checkout.root.appending(path: "Tests/InterfaceTests/Client/Sources/Client").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".swift") }
        #expect(!sources.isEmpty)
        let outcome = try await Compiler.run(
            settings.split(separator: " ").map(String.init)
                + ["-wmo", "-emit-sil", "-o", "/dev/null", "-module-name", "Client", "-warnings-as-errors"],
            sources.map { "\(directory)/\($0)" })
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
