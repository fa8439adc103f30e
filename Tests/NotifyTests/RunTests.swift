// A center as a service: when it returns, why it throws, and that cancelling it is the good end.

import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(1)))
struct RunTests {
    @Test func `it connects by itself, and returns when the center is shut down`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        let running = Task { try await center.run() }
        for await state in center.states {
            if case .connected = state { break }
        }
        await center.shutdown()
        try await running.value
        // And when it was over before.
        try await center.run()
    }

    @Test func `cancelling it sends what was enqueued and says goodbye`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let running = Task { try await center.run() }
        let connection = await peer.acceptAndGreet()
        try center.enqueue(Tick(number: 1))
        let receipt = Task { try await center.submit(Tick(number: 2)).value }
        var ids: [Int] = []
        #expect(await connection.line()?.contains(#""number":1"#) == true)
        ids.append(try #require(await connection.id()))
        running.cancel()
        // What vouches for the first.
        ids.append(try #require(await connection.id()))
        for id in ids { await connection.send(#"{"op":"ok","id":\#(id),"seq":1,"pos":1,"matched":0,"dropped":0}"#) }
        #expect(await connection.line()?.contains(#""op":"bye""#) == true)
        try await running.value
        #expect(try await receipt.value.sequence == 1)
        let error = #expect(throws: NotifyError.self) { try center.enqueue(Tick(number: 3)) }
        #expect(error?.code == .closed)
    }

    @Test func `a task that is cancelled already ends the center before it begins`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await center.run()
        }.value
        let error = await #expect(throws: NotifyError.self) { try await center.ping() }
        #expect(error?.code == .closed)
    }

    @Test func `it does not wait for answers for longer than it may`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let running = Task { try await center.run(drainingFor: .milliseconds(20)) }
        let connection = await peer.acceptAndGreet()
        let pong = Task { try await center.ping() }
        _ = await connection.line()
        running.cancel()
        try await running.value
        let error = await #expect(throws: NotifyError.self) { try await pong.value }
        #expect(error?.code == .closed)
        withExtendedLifetime(connection) {}
    }

    @Test func `it throws why the center has ended by itself`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath, reconnects: false)
        let running = Task { try await center.run() }
        try await center.ready()
        daemon.kill()
        let error = await #expect(throws: NotifyError.self) { try await running.value }
        #expect(error?.code == .notConnected)
    }
}
