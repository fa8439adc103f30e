// What others compile against does not change without a word.

import NotifyTestSupport
import Testing

@Suite struct BaselineTests {
    @Test func `the public interface is the one that is written down`() async throws {
        let outcome = try await Interface.run("baseline.py")
        #expect(outcome.status == 0, "\(outcome.summary)")
    }
}
