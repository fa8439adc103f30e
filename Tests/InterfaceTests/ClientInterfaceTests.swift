// What others compile against does not change without a word, and all of it is compiled by a client. (The client as a
// package of its own, with and without isolation to the main actor by default, is a step of .ci/run: it takes long.)

import NotifyTestSupport
import Testing

@Suite struct ClientInterfaceTests {
    @Test func `the public interface is the one that is written down`() async throws {
        let outcome = try await Interface.run("baseline.py")
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test func `the client package uses every public entry`() async throws {
        let outcome = try await Interface.run("used.py")
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
