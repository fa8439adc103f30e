// A daemon that greets and then says nothing: no command waits for ever. --connect-timeout holds for answers, too.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl before a daemon that falls silent", .timeLimit(.minutes(2)))
struct NotifyctlSilenceTests {
    @Test(
        "ends with 69 and says so",
        arguments: [
            ["post", "a", "1"], ["post", "a", "--lines"], ["listen", "a"], ["get", "a"], ["clear", "a"], ["channels"],
            ["clients"], ["subscriptions"], ["stats"], ["ping"],
        ])
    func silence(arguments: [String]) async throws {
        let peer = try ScriptedPeer()
        async let outcome = Command.run(
            Checkout.program("notifyctl"), arguments + ["--socket", peer.path, "--connect-timeout=300ms"],
            timeout: .seconds(30))
        let connection = await peer.acceptAndGreet()
        #expect(await connection.line() != nil, "a request")
        let end = try await outcome
        #expect(end.status == 69, "\(end.summary)")
        #expect(end.output == "")
        #expect(end.errors.hasPrefix("notifyctl: \(arguments[0]): the daemon did not answer in time"))
        #expect(end.errors.split(separator: "\n").count == 1)
    }

    @Test("in the middle of many posts: says how many were accepted")
    func middle() async throws {
        let peer = try ScriptedPeer()
        async let outcome = Command.run(
            "/bin/bash",
            [
                "-c", "seq 3 | \"$0\" post a --lines --socket \"$1\" --connect-timeout=300ms",
                Checkout.program("notifyctl"), peer.path,
            ],
            timeout: .seconds(30))
        let connection = await peer.acceptAndGreet()
        let ping = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(ping)}"#)
        // It asks whether its account has rates. Where nobody says so it has one line under way at a time.
        let question = try #require(await connection.id())
        await connection.send(#"{"op":"error","id":\#(question),"code":"unknown_op","message":"what?"}"#)
        for number in 1...2 {
            let post = try #require(await connection.id())
            await connection.send(
                #"{"op":"ok","id":\#(post),"seq":\#(number),"pos":\#(number),"matched":0,"dropped":0}"#)
        }
        let end = try await outcome
        #expect(end.status == 69, "\(end.summary)")
        #expect(end.errors.contains("the daemon did not answer in time") && end.errors.contains("2 "))
    }
}
