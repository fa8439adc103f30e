// The command line of `explain`: about whom it asks.

import Notify
import Testing

@testable import notifyctl

@Suite("The words of explain")
struct ExplainTests {
    private func explain(_ words: [String]) throws(Failure) -> Explain {
        guard case .run(let command, _) = try Request((["explain"] + words).map { Word($0) }),
            let explain = command as? Explain
        else { throw Failure(.software, "nothing to run") }
        return explain
    }

    @Test(
        "a mistake is a usage error with one sentence, which names only what is missing",
        arguments: [
            ([], "RIGHT and CHANNEL are missing"), (["post"], "CHANNEL is missing"),
            (["pots", "a"], "right 'pots' is none of post, listen, observe, block, admin; did you mean 'post'?"),
            (["post", "a", "--uid=no one"], "--uid: there is no user 'no one'"),
            (["post", "a", "--group=no one"], "--group: there is no group 'no one'"),
        ])
    func mistakes(words: [String], sentence: String) {
        #expect(throws: Failure.usage("explain: \(sentence)")) { try explain(words) }
    }

    @Test(
        "a unit without a suffix is a service",
        arguments: [
            ("shop", "shop.service"), ("shop.service", "shop.service"), ("user@7", "user@7.service"),
            ("a.b", "a.b.service"), ("session-1.scope", "session-1.scope"), ("system.slice", "system.slice"),
        ])
    func unit(typed: String, asked: String) throws {
        #expect(try explain(["post", "a", "--unit", typed]).subject?.unit == asked)
    }

    @Test("a user has a number or a name, in explain and in --from-uid")
    func users() throws {
        #expect(try explain(["post", "a", "--uid=root", "--unit=s"]).subject?.uid == 0)
        #expect(try explain(["post", "a", "--uid=7", "--unit=s"]).subject?.uid == 7)
        for (command, name, uid) in [("listen", "root", 0), ("listen", "7", 7), ("trace", "root", 0)]
            as [(String, String, UInt32)]
        {
            guard case .run(let run, _) = try Request([command, "a", "--from-uid", name].map { Word($0) }) else {
                Issue.record("nothing to run")
                continue
            }
            let subscription = (run as? Listen)?.options.subscription ?? (run as? Trace)?.subscription
            #expect(subscription?.fromUID == uid)
        }
    }
}
