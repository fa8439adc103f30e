// The documentation builds without a warning, and every example in it is compiled or run.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
    static let catalog = "Sources/Notify/Notify.docc"
    static let articles =
        ((try? FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appending(path: catalog).path)) ?? []).filter { $0.hasSuffix(".md") }.sorted()
        .map { "\(catalog)/\($0)" }

    @Test func `it builds without a warning, and every public symbol is documented`() async throws {
        let directory = try TemporaryDirectory()
        let outcome = try await Interface.run("documentation.py", directory.path("archive"))
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test func `the Swift examples of articles, the README and doc comments compile`() async throws {
        #expect(Self.articles.count > 5)
        let sources = try ["Notify", "NotifyFoundation", "NotifyTesting"].flatMap { room in
            try FileManager.default.subpathsOfDirectory(atPath: Checkout.root.appending(path: "Sources/\(room)").path)
                .filter { $0.hasSuffix(".swift") }.map { "Sources/\(room)/\($0)" }.sorted()
        }
        let outcome = try await Interface.run("snippets.py", ["README.md"] + Self.articles + sources)
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test func `the other examples of articles are all run`() throws {
        for article in Self.articles {
            for block in try Checkout.text(of: article).matches(of: /\n(.*)\n```(console|python|sh|bash)\n/) {
                #expect(block.1 == "<!-- run -->", "\(article): \(block.2)")
            }
        }
    }

    @Test(arguments: articles.filter { ((try? Checkout.text(of: $0)) ?? "").contains("<!-- run -->") })
    func `the other examples do what the article shows`(article: String) async throws {
        let runner = Checkout.root.appending(path: "Tests/RepositoryTests/run_examples.py").path
        let outcome = try await Command.run(
            "python3", ["-B", runner, Checkout.root.appending(path: article).path, Checkout.products.path])
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
