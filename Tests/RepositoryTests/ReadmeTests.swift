// What the README shows was run: every block that is marked so is run here, and has to print what it shows.

import Foundation
import NotifyTestSupport
import Testing

struct ReadmeTests {
    private static let path = Checkout.root.appending(path: "README.md").path

    @Test(
        "The marked examples of the README print what it shows",
        .enabled(if: FileManager.default.fileExists(atPath: path), "there is no README yet"))
    func examples() async throws {
        try await run(Self.path)
    }

    @Test("So do those of the page about access")
    func access() async throws {
        try await run(Checkout.root.appending(path: "Sources/Notify/Notify.docc/Access.md").path)
    }

    private func run(_ page: String) async throws {
        let runner = Checkout.root.appending(path: "Tests/RepositoryTests/run_examples.py").path
        let outcome = try await Command.run("python3", ["-B", runner, page, Checkout.products.path])
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
