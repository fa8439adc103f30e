// What is a post and what is none, and that payloads pass byte for byte: the daemon against an independent reading of
// the protocol's page, in Python. What a run sends depends on its seed alone.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct StrictnessTests {
    @Test(arguments: 1...3) func `the daemon and Python agree on what is a post`(seed: Int) async throws {
        let daemon = try TestDaemon(configuration: "{limits: {line_bytes: 16384}}")
        let script = Checkout.root.appending(path: "Tests/Fuzz/posts.py").path
        let outcome = try await Command.run("python3", ["-B", script, daemon.socketPath, "\(seed)", "4000", "16384"])
        #expect(outcome.status == 0, "seed \(seed): \(outcome.summary)")
    }
}
