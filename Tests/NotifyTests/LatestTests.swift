// The holder of a channel's last value.

import Notify
import NotifyLock
import NotifyTestSupport
import Observation
import Testing

@MainActor @Suite(.timeLimit(.minutes(1)))
struct LatestTests {
    let daemon: DaemonProcess
    let center: NotifyCenter
    let poster: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
        poster = NotifyCenter.patient(at: daemon.socketPath)
    }

    /// Waits for a change after which it is so.
    private func wait(until isSo: @escaping @MainActor @Sendable () -> Bool) async {
        for await isSo in Observations({ isSo() }) {
            if isSo { return }
        }
    }

    @Test func `it shows the retained value, then each that comes, and tells its observers`() async throws {
        try await poster.post(CartDidChange(itemCount: 1), options: .retained)
        let latest = center.latest(for: .cartDidChange)
        #expect(latest.value == nil)
        #expect(latest.isStale)
        await wait { latest.value?.itemCount == 1 && !latest.isStale }
        #expect(latest.info?.isReplay == true)
        try await poster.post(CartDidChange(itemCount: 2))
        await wait { latest.value?.itemCount == 2 }
        #expect(latest.info?.sequence == 2)
    }

    @Test func `only the subject that was asked for`() async throws {
        try await poster.post(CartDidChange(itemCount: 1), subject: "a", options: .retained)
        let latest = center.latest(of: "b", for: CartDidChange.self)
        await wait { !latest.isStale }
        #expect(latest.value == nil)
        try await poster.post(CartDidChange(itemCount: 2), subject: "a")
        try await poster.post(CartDidChange(itemCount: 3), subject: "b")
        await wait { latest.value != nil }
        #expect(latest.value?.itemCount == 3)
    }

    @Test func `what is not of its type is skipped and counted`() async throws {
        let latest = center.latest(for: .cartDidChange)
        await wait { !latest.isStale }
        try await poster.post(payload: "1".utf8, to: CartDidChange.channel)
        try await poster.post(CartDidChange(itemCount: 2))
        await wait { latest.value?.itemCount == 2 }
        #expect(center.diagnostics.undecodable == 1)
    }

    @Test func `without a daemon it is stale, with the last value that it had`() async throws {
        let latest = center.latest(for: .cartDidChange)
        try await poster.post(CartDidChange(itemCount: 1), options: .retained)
        await wait { latest.value?.itemCount == 1 && !latest.isStale }
        daemon.kill()
        await wait { latest.isStale }
        guard case .disconnected(let error) = latest.status else {
            Issue.record("it says why")
            return
        }
        #expect(error.code == .notConnected)
        #expect(latest.value?.itemCount == 1)
    }

    @Test func `a daemon that has begun anew does not know the value, which stays`() async throws {
        let latest = center.latest(for: .cartDidChange)
        try await poster.post(CartDidChange(itemCount: 1), options: .retained)
        await wait { latest.value?.itemCount == 1 && !latest.isStale }
        daemon.kill()
        try await daemon.start()
        await wait { latest.isUnconfirmed }
        #expect(latest.value?.itemCount == 1)
        #expect(latest.isStale)
        try await poster.post(CartDidChange(itemCount: 5))
        await wait { !latest.isStale }
        #expect(latest.value?.itemCount == 5)
    }

    @Test func `a daemon that has begun anew without a value is no reason to doubt that there is none`() async throws {
        let latest = center.latest(for: .cartDidChange)
        await wait { !latest.isStale }
        daemon.kill()
        await wait { latest.isStale }
        try await daemon.start()
        await wait { !latest.isStale }
        #expect(latest.value == nil)
    }

    @Test func `it is stale until what was posted meanwhile is through`() async throws {
        let peer = try ScriptedPeer()
        let (latest, first) = try await follow(peer, from: 3)
        first.hangUp()
        let second = await peer.acceptAndGreet(position: 6)
        let id = try #require(await second.id())
        await second.send(#"{"op":"ok","id":\#(id),"sub":1,"pos":6}"#)
        await second.send(#"{"op":"message","sub":1,\#(Self.message(6, items: 6)),"replay":true}"#)
        await wait { latest.value?.itemCount == 6 }
        #expect(latest.isStale)
        await second.send(#"{"op":"live","sub":1,"pos":6}"#)
        await wait { !latest.isStale }
    }

    @Test(arguments: [("null", false, 3), (message(3, items: 3), true, 3), (message(8, items: 8), true, 8)])
    func `after a loss the retained message says whether the value is the last one`(
        retained: String, isCurrent: Bool, items: Int
    ) async throws {
        let peer = try ScriptedPeer()
        let (latest, first) = try await follow(peer, from: 3)
        first.hangUp()
        let second = try await lose(peer, "history")
        await second.answerGet(with: retained)
        await wait { isCurrent ? !latest.isStale : latest.isUnconfirmed }
        #expect(latest.value?.itemCount == items)
        await second.send(#"{"op":"message","sub":1,\#(Self.message(10, items: 10))}"#)
        await wait { latest.value?.itemCount == 10 }
        #expect(!latest.isStale)
    }

    @Test func `a value of the new life counts, however low its number`() async throws {
        let peer = try ScriptedPeer()
        let (latest, first) = try await follow(peer, from: 3)
        first.hangUp()
        let second = try await lose(peer, "epoch", epoch: "e2")
        await second.answerGet(with: Self.message(1, items: 11))
        await wait { !latest.isStale }
        #expect(latest.value?.itemCount == 11)
    }

    @Test func `a daemon that is lost before it could say so is asked again`() async throws {
        let peer = try ScriptedPeer()
        let (latest, first) = try await follow(peer, from: 3)
        first.hangUp()
        let second = try await lose(peer, "history")
        _ = await second.line()
        second.hangUp()
        let third = await peer.acceptAndGreet(position: 9)
        let lines = [try #require(await third.line()), try #require(await third.line())]
        let subscribe = try #require(lines.first { $0.contains(#""op":"subscribe""#) })
        let get = try #require(lines.first { $0.contains(#""op":"get""#) })
        await third.send(#"{"op":"ok","id":\#(Self.id(subscribe)),"sub":1,"pos":9}"#)
        await third.send(#"{"op":"ok","id":\#(Self.id(get)),"message":null}"#)
        await third.send(#"{"op":"live","sub":1,"pos":9}"#)
        await wait { latest.isUnconfirmed }
        await third.send(#"{"op":"message","sub":1,\#(Self.message(10, items: 10))}"#)
        await wait { !latest.isStale }
        #expect(latest.value?.itemCount == 10)
    }

    /// A holder that has seen a value at a position and is up to date.
    private func follow(
        _ peer: ScriptedPeer, from position: Int
    ) async throws -> (NotifyCenter.Latest<CartDidChange>, ScriptedPeer.Connection) {
        let latest = NotifyCenter.patient(at: peer.path).latest(for: .cartDidChange)
        let connection = await peer.acceptAndGreet(position: 5)
        let id = try #require(await connection.id())
        await connection.send(#"{"op":"ok","id":\#(id),"sub":1,"pos":5}"#)
        await connection.send(#"{"op":"message","sub":1,\#(Self.message(position, items: position)),"replay":true}"#)
        await connection.send(#"{"op":"live","sub":1,"pos":5}"#)
        await wait { latest.value?.itemCount == position && !latest.isStale }
        return (latest, connection)
    }

    /// The next connection, on which something is missing and nothing is replayed.
    private func lose(
        _ peer: ScriptedPeer, _ reason: String, epoch: String = "e1"
    ) async throws -> ScriptedPeer.Connection {
        let connection = await peer.acceptAndGreet(epoch: epoch, position: 9)
        let line = try #require(await connection.line())
        #expect(line.contains(#""replay":{"after":5,"epoch":"e1"}"#))
        await connection.send(#"{"op":"ok","id":\#(Self.id(line)),"sub":1,"pos":9}"#)
        await connection.send(
            #"{"op":"gap","sub":1,"channel":"shop.cart","to":8,"count":null,"reason":"\#(reason)"}"#)
        await connection.send(#"{"op":"live","sub":1,"pos":9}"#)
        return connection
    }

    fileprivate nonisolated static func id(_ line: String) -> Substring {
        line.split(separator: #""id":"#)[1].prefix { $0.isNumber }
    }

    private nonisolated static func message(_ position: Int, items: Int) -> String {
        #""channel":"shop.cart","seq":\#(position),"pos":\#(position),"time":"2026-11-29T12:00:00Z","retain":true,"from":{"client":1,"pid":2,"uid":3},"payload":{"itemCount":\#(items),"total":0}"#
    }

    @Test func `it ends with its center, and says why`() async throws {
        let latest = center.latest(for: .cartDidChange)
        await wait { !latest.isStale }
        await center.shutdown()
        await wait {
            if case .ended(nil) = latest.status { return true }
            return false
        }
        let peer = try ScriptedPeer()
        let refused = NotifyCenter.patient(at: peer.path).latest(for: .cartDidChange)
        let connection = await peer.acceptAndGreet()
        let id = try #require(await connection.id())
        await connection.send(#"{"op":"error","id":\#(id),"code":"denied","message":"not you"}"#)
        await wait {
            if case .ended(let error?) = refused.status { return error.code == .denied }
            return false
        }
    }

    @Test func `let go of, it is gone, and with it the subscription`() async throws {
        weak var gone: NotifyCenter.Latest<CartDidChange>?
        do {
            let latest = center.latest(for: .cartDidChange)
            gone = latest
            await wait { !latest.isStale }
            #expect(try await center.subscriptions().elements.count == 1)
        }
        #expect(gone == nil)
        #expect(try await center.subscriptions().elements.isEmpty)
    }
}

extension NotifyCenter.Latest {
    fileprivate var isUnconfirmed: Bool {
        if case .unconfirmed = status { return true }
        return false
    }
}

extension ScriptedPeer.Connection {
    /// Waits for a `get` and answers it.
    fileprivate func answerGet(with message: String) async {
        guard let line = await line(), line.contains(#""op":"get""#) else {
            Issue.record("the retained message is asked for")
            return
        }
        let message = message == "null" ? message : #"{"op":"message",\#(message)}"#
        await send(#"{"op":"ok","id":\#(LatestTests.id(line)),"message":\#(message)}"#)
    }
}
