// A reader that may lose nothing keeps the center from reading.

import Foundation
import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(2)))
struct BlockingTests {
    private let message =
        #"{"op":"message","sub":1,"channel":"clock.tick","seq":1,"pos":1,"time":"2026-11-29T12:00:00Z","payload":{"number":1}}"#

    @Test func `while its buffer is full nothing is read, and when it has room again everything comes`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let events = center.events(for: Tick.self, buffer: .blocking(10))
        let connection = await peer.acceptAndGreet()
        let id = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(id),"sub":1,"pos":0}"#)
        // More than the socket and one read hold: the rest can be sent only when somebody reads.
        let count = 20_000
        let sending = Task { [message] in
            await connection.send(bytes: Array(String(repeating: message + "\n", count: count).utf8), by: 65536)
        }
        while center.link.state.withLock({ $0.readsInput }) { await Task.yield() }
        #expect(center.link.state.withLock { $0.full.count } == 1)
        var iterator = events.makeAsyncIterator()
        var taken = 0
        while taken < count, case .message? = try await iterator.next() { taken += 1 }
        #expect(taken == count)
        await sending.value
        while !center.link.state.withLock({ $0.readsInput }) { await Task.yield() }
    }

    @Test func `who waits for an answer gets it all the same`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let events = center.events(for: Tick.self, buffer: .blocking(1))
        let connection = await peer.acceptAndGreet()
        let subscription = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(subscription),"sub":1,"pos":0}"#)
        for _ in 1...3 { await connection.send(message) }
        while center.link.state.withLock({ $0.readsInput }) { await Task.yield() }
        let pong = Task { try await center.ping() }
        let id = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(id)}"#)
        #expect(try await pong.value > .zero)
        withExtendedLifetime(events) {}
    }

    @Test func `a reader that leaves holds nobody up`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        var events: NotifyCenter.Events<Tick>? = center.events(for: Tick.self, buffer: .blocking(1))
        let connection = await peer.acceptAndGreet()
        let subscription = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(subscription),"sub":1,"pos":0}"#)
        await connection.send(message)
        while center.link.state.withLock({ $0.readsInput }) { await Task.yield() }
        withExtendedLifetime(events) {}
        events = nil
        while !center.link.state.withLock({ $0.readsInput }) { await Task.yield() }
    }
}
