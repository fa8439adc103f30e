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
        center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        poster = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
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
        try await daemon.start()
        await wait { !latest.isStale }
        try await poster.post(CartDidChange(itemCount: 5))
        await wait { latest.value?.itemCount == 5 }
    }

    @Test func `what was retained while it was away, beyond history, is caught up with`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter(endpoint: .socket(path: peer.path))
        let latest = center.latest(for: .cartDidChange)
        let first = await peer.acceptAndGreet(position: 5)
        let id = try #require(await first.id())
        await first.send(#"{"op":"ok","id":\#(id),"sub":1,"pos":5}"#)
        await first.send(#"{"op":"message","sub":1,\#(Self.message(3, items: 3)),"replay":true}"#)
        await first.send(#"{"op":"live","sub":1,"pos":5}"#)
        await wait { latest.value?.itemCount == 3 && !latest.isStale }
        first.hangUp()
        let second = await peer.acceptAndGreet(position: 9)
        let line = try #require(await second.line())
        #expect(line.contains(#""replay":{"after":5,"epoch":"e1"}"#))
        await second.send(#"{"op":"gap","sub":1,"channel":"shop.cart","to":8,"count":null,"reason":"history"}"#)
        let get = try #require(await second.line())
        #expect(get.contains(#""op":"get""#))
        let number = get.split(separator: ":")[2].prefix { $0.isNumber }
        await second.send(#"{"op":"ok","id":\#(number),"message":{"op":"message",\#(Self.message(8, items: 8))}}"#)
        await wait { latest.value?.itemCount == 8 }
    }

    private static func message(_ position: Int, items: Int) -> String {
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
        let refused = NotifyCenter(endpoint: .socket(path: peer.path)).latest(for: .cartDidChange)
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
