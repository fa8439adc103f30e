// A daemon that greets and then says nothing: no command waits for ever. --connect-timeout holds for answers, too.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl before a daemon that falls silent", .timeLimit(.minutes(2)))
struct NotifyctlSilenceTests {
    /// What becomes of a line of shell in which `"$@"` is notifyctl with these arguments, before a daemon that greets it and
    /// then talks as it is told. There is more time where the greeting has come too late.
    private func outcome(
        of script: String, _ arguments: [String], _ talk: (ScriptedPeer.Connection) async -> Void
    ) async throws -> Command.Outcome {
        var outcome: Command.Outcome?
        for patience in ["300ms", "3s", "30s"] where outcome?.errors.contains("does not answer") != false {
            let peer = try ScriptedPeer()
            async let run = Command.run(
                "/bin/bash",
                ["-c", script, "bash", Checkout.program("notifyctl")] + arguments
                    + ["--socket", peer.path, "--connect-timeout=\(patience)"])
            let connection = await peer.acceptAndGreet()
            await talk(connection)
            outcome = try await run
        }
        return try #require(outcome)
    }

    @Test(
        "ends with 69 and says so",
        arguments: [
            ["post", "a", "1"], ["post", "a", "--lines"], ["listen", "a"], ["get", "a"], ["clear", "a"], ["channels"],
            ["clients"], ["subscriptions"], ["stats"], ["ping"],
        ])
    func silence(arguments: [String]) async throws {
        let end = try await outcome(of: #"exec "$@""#, arguments) { _ = await $0.line() }
        #expect(end.status == 69, "\(end.summary)")
        #expect(end.output == "")
        #expect(end.errors.hasPrefix("notifyctl: \(arguments[0]): the daemon did not answer in time"))
        #expect(end.errors.split(separator: "\n").count == 1)
    }

    @Test("in the middle of many posts: says how many were accepted")
    func middle() async throws {
        let end = try await outcome(of: #"seq 3 | "$@""#, ["post", "a", "--lines"]) { connection in
            guard let ping = await connection.id() else { return }
            await connection.send(#"{"op":"ok","id":\#(ping)}"#)
            // It asks whether its account has rates. Where nobody says so it has one line under way at a time.
            guard let question = await connection.id() else { return }
            await connection.send(#"{"op":"error","id":\#(question),"code":"unknown_op","message":"what?"}"#)
            for number in 1...2 {
                guard let post = await connection.id() else { return }
                await connection.send(
                    #"{"op":"ok","id":\#(post),"seq":\#(number),"pos":\#(number),"matched":0,"dropped":0}"#)
            }
        }
        #expect(end.status == 69, "\(end.summary)")
        #expect(end.errors.contains("the daemon did not answer in time") && end.errors.contains("2 "))
    }
}
