// Cancelling a task at whatever await of the library: it ends, and says so; the center lives on.

import Foundation
import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(2)))
struct CancellationTests {
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether it throws; others end without a word.
        var throwsCancelled = true
        let body: @Sendable (NotifyCenter) async throws -> Void

        init(
            _ name: String, throwsCancelled: Bool = true,
            _ body: @escaping @Sendable (NotifyCenter) async throws -> Void
        ) {
            testDescription = name
            self.throwsCancelled = throwsCancelled
            self.body = body
        }
    }

    static let calls: [Call] = [
        Call("post") { try await $0.post(Tick(number: 1)) },
        Call("post(payload:)") { try await $0.post(payload: "1".utf8, to: "a") },
        Call("submit") { _ = try await $0.submit(Tick(number: 1)).value },
        Call("setWill") { try await $0.setWill(Tick(number: 1)) },
        Call("removeWill") { try await $0.removeWill() },
        Call("ready") { try await $0.ready() },
        Call("ping") { _ = try await $0.ping() },
        Call("retained") { _ = try await $0.retained(on: "a") },
        Call("clearRetained") { try await $0.clearRetained(on: "a") },
        Call("cancel(schedule:)") { try await $0.cancel(schedule: 1) },
        Call("channels") { _ = try await $0.channels() },
        Call("clients") { _ = try await $0.clients() },
        Call("subscriptions") { _ = try await $0.subscriptions() },
        Call("statistics") { _ = try await $0.statistics() },
        Call("withMessages") { try await $0.withMessages(for: Tick.self) { _ in } },
        Call("messages", throwsCancelled: false) { for await _ in $0.messages(for: Tick.self) {} },
        Call("events", throwsCancelled: false) { for try await _ in $0.events(for: Tick.self) {} },
        Call("rawMessages", throwsCancelled: false) { for await _ in $0.rawMessages(matching: "a") {} },
        Call("rawEvents", throwsCancelled: false) { for try await _ in $0.rawEvents(matching: ["a"]) {} },
        Call("states", throwsCancelled: false) { for await _ in $0.states {} },
        Call("debounce", throwsCancelled: false) {
            for await _ in $0.messages(for: Tick.self).debounce(for: .seconds(1)) {}
        },
    ]

    /// A daemon that takes no connection, or greets and answers nothing; the task is cancelled sooner or later.
    @Test(arguments: calls, [false, true])
    func `a call that waits is left when its task is cancelled`(_ call: Call, greets: Bool) async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let connection = Locked<ScriptedPeer.Connection?>(nil)
        if greets {
            let pong = Task { try await center.ping() }
            let greeted = await peer.acceptAndGreet()
            let id = try #require(await greeted.id())
            await greeted.send(#"{"op":"ok","id":\#(id)}"#)
            _ = try await pong.value
            connection.withLock { $0 = greeted }
        }
        for yields in 0..<8 {
            let task = Task { try await call.body(center) }
            for _ in 0..<(1 << yields) { await Task.yield() }
            task.cancel()
            switch await task.result {
            case .success: #expect(!call.throwsCancelled)
            case .failure(let error as NotifyError): #expect(call.throwsCancelled && error.code == .cancelled)
            case .failure(let error): Issue.record(error)
            }
        }
        // What an operator has begun ends a moment later.
        while !center.link.state.withLock({ $0.machine.table.isEmpty }) { await Task.yield() }
        withExtendedLifetime(connection) {}
    }

    @Test func `who waits for room in the send buffer is left, too`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let payload = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        while center.link.state.withLock({ $0.machine.hasRoom }) { try center.enqueue(payload: payload.utf8, to: "a") }
        let task = Task { _ = try await center.submit(Tick(number: 1)) }
        while center.link.state.withLock({ $0.waitingForRoom.isEmpty }) { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: NotifyError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: [false, true])
    func `who has no patience for a shutdown ends it at once`(runs: Bool) async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let receipt = Task { try await center.submit(Tick(number: 1)).value }
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        let ending = Task {
            runs ? try await center.run(drainingFor: .zero) : await center.shutdown(drainingFor: .seconds(600))
        }
        await Task.yield()
        ending.cancel()
        try await ending.value
        await #expect(throws: NotifyError.self) { try await receipt.value }
        #expect(await connection.line()?.contains("bye") == true)
    }
}
