// What the library and the tool make of a rate: an error that says when to come again, and the exit status for "later".

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct RateClientTests {
    private func post(_ daemon: TestDaemon, _ arguments: String...) async throws -> Command.Outcome {
        try await Command.run(
            Checkout.program("notifyctl"), ["--socket", daemon.socketPath, "post"] + arguments)
    }

    /// Nobody of this uid has anything left for more than a minute.
    private func spend(_ daemon: TestDaemon) throws {
        let client = try daemon.client()
        try client.send(RateTests.batch(1, 1000))
        #expect(try client.line().op == "ok")
    }

    @Test func `the library's error says when to come again, and then the post goes through`() async throws {
        let daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 2, burst_s: 3 } }")
        let center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        var posted: UInt64 = 0
        var refusal: NotifyError?
        while refusal == nil, posted < 1000 {
            do throws(NotifyError) {
                posted = try await center.post(payload: Array("1".utf8), to: "r").sequence
            } catch {
                refusal = error
            }
        }
        #expect(posted >= 5, "six may come at once, and hello is one of them")
        #expect(refusal?.code == .rateLimited)
        #expect(refusal?.message == "limit 'messages_per_s_per_client' of this connection is 2")
        let pause = try #require(refusal?.retryAfter)
        #expect(pause > .zero && pause <= .milliseconds(500))
        try await Task.sleep(for: pause)
        #expect(try await center.post(payload: Array("2".utf8), to: "r").sequence == posted + 1)
        await center.shutdown()
    }

    @Test func `a center that is not let in says so, and comes in when its uid may do more`() async throws {
        let daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_uid: 1 } }")
        try spend(daemon)
        let center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        let error = await #expect(throws: NotifyError.self) {
            _ = try await center.post(payload: Array("1".utf8), to: "r")
        }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter ?? .zero > .seconds(60))
        try daemon.configure("{}")
        daemon.signal(SIGHUP)
        try daemon.waitForLog("limits.messages_per_s_per_uid: 1 → 0")
        _ = try await center.post(payload: Array("1".utf8), to: "r")
        await center.shutdown()
    }

    @Test func `subscriptions that come back faster than they may are asked for until all are there`() async throws {
        let daemon = try TestDaemon()
        let center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        let patterns = (1...8).map { NotifyCenter.Pattern(rawValue: "r\($0)")! }
        var listeners = patterns.map { center.rawMessages(matching: $0).makeAsyncIterator() }
        try daemon.wait(daemon.client(), "subscriptions", 8)
        // Of nine requests, hello being the first, five may come at once, and then two in a second.
        try daemon.configure("{ limits: { messages_per_s_per_client: 2, burst_s: 2 } }")
        daemon.end()
        try daemon.start()
        for pattern in patterns { _ = try daemon.client().post(pattern.rawValue) }
        for index in listeners.indices {
            #expect(await listeners[index].next()?.channel.rawValue == patterns[index].rawValue)
        }
        #expect(center.diagnostics.refused > 0)
        await center.shutdown()
    }

    @Test func `notifyctl post ends with 75, whether it is greeted or not`() async throws {
        // Its hello passes, but then there is not as much left as a line of nearly the longest needs.
        let daemon = try TestDaemon(configuration: "{ limits: { line_bytes: 8192, bytes_per_s_per_client: 1 } }")
        let long = try await post(daemon, "r", "--text", String(repeating: "x", count: 8105), "-v")
        #expect(long.status == 75 && long.errors.contains("connected to"), "\(long.summary)")
        #expect(
            long.errors.contains(
                "\nnotifyctl: post: limit 'bytes_per_s_per_client' of this connection is 1; try again in "),
            "\(long.summary)")
        #expect(try await post(daemon, "r", "1").status == 0)

        let spent = try TestDaemon(configuration: "{ limits: { messages_per_s_per_uid: 1 } }")
        try spend(spent)
        let refused = try await post(spent, "r", "1")
        #expect(refused.status == 75 && refused.output.isEmpty)
        #expect(
            refused.errors.hasPrefix(
                "notifyctl: post: limit 'messages_per_s_per_uid' of uid \(getuid()) is 1; try again in "))
    }

    @Test func `notifyctl post --lines --no-wait says which line was refused and how many were taken`() async throws {
        let daemon = try TestDaemon(configuration: "{ limits: { messages_per_s_per_client: 1, burst_s: 5 } }")
        let script = """
            seq 1000 | "$0" post --socket "$1" r --lines --no-wait
            """
        let outcome = try await Command.run(
            "/bin/sh", ["-c", script, Checkout.program("notifyctl"), daemon.socketPath])
        #expect(outcome.status == 75 && outcome.output.isEmpty, "\(outcome.summary)")
        let found = try #require(
            outcome.errors.firstMatch(
                of: /^notifyctl: post: line (\d+): limit 'messages_per_s_per_client' of this .* is 1; try.* s; (.*)\n$/),
            "\(outcome.summary)")
        // Of the five are also its hello and a ping; on a slow machine some more come in meanwhile.
        let line = try #require(Int(found.1))
        #expect(line >= 4)
        let sequence = try daemon.client().post("r").integer("seq")
        #expect(sequence >= line, "\(outcome.summary)")
        #expect(found.2.contains("\(sequence - 1) "), "\(outcome.summary)")
    }
}
