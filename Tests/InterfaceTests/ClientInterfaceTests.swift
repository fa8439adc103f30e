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

    @Test(arguments: [[], ["-default-isolation", "MainActor"]])
    func `the client compiles without a warning, isolated to the main actor by default or not`(
        isolation: [String]
    ) async throws {
        let directory = Checkout.root.appending(path: "Tests/InterfaceTests/Client/Sources/Client").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".swift") }
        #expect(!sources.isEmpty)
        let outcome = try await Compiler.run(
            isolation + ["-wmo", "-emit-sil", "-o", "/dev/null", "-module-name", "Client", "-warnings-as-errors"],
            sources.map { "\(directory)/\($0)" })
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
