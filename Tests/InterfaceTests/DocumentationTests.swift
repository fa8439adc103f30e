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
            for block in try Checkout.text(of: article).matches(of: /\n(.*)\n```(console|python|sh|bash|c)\n/) {
                // A file is used by the examples of its page: the runner sees to it.
                let isRun = block.1 == "<!-- run -->" || block.1.hasPrefix("<!-- file ")
                #expect(isRun, "\(article): \(block.2)")
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

    @Test func `the lines that the protocol shows are those of the daemon`() async throws {
        let shown = try Checkout.text(of: "Sources/Notify/Notify.docc/Protocol.md")
            .matches(of: /\n```json\n((?:.*\n)*?)```\n/).flatMap { $0.1.split(separator: "\n").map(String.init) }
        let daemon = try await DaemonProcess()
        let client = try RawClient(daemon.socketPath)

        let error = try #require(shown.first { $0.contains("\"op\":\"error\"") })
        try client.send(#"{"op":"post","id":7,"channel":"a..b","payload":1}"#)
        #expect(try client.line().text == error)

        let message = try #require(shown.first { $0.contains("\"op\":\"message\"") })
        _ = try client.subscribe("shop.*")
        try client.send(
            #"{"op":"post","channel":"shop.cart","type":"CartDidChange","subject":"cart-42","payload":{"itemCount":2}}"#
        )
        #expect(try members(client.line().text) == members(message))

        for line in shown {
            #expect(throws: Never.self, "\(line)") { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    /// The names of all members, in their order.
    private func members(_ line: String) -> [Substring] { line.matches(of: /"(\w+)":/).map(\.1) }

    @Test func `the configuration that the README shows is accepted`() async throws {
        let text = try #require(try Checkout.text(of: "README.md").firstMatch(of: /\n```json5\n((?:.*\n)*?)```\n/)).1
        let directory = try TemporaryDirectory()
        let file = directory.path("notifyd.json5")
        try Data(text.utf8).write(to: URL(filePath: file))
        let outcome = try await Command.run(Checkout.program("notifyd"), ["--check-config", "--config", file])
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
