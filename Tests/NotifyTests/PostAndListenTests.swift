// The main job, against the real daemon: what is posted arrives, whole, in order, and nothing else does.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PostAndListenTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    @Test func `a message posted after the call is not missed`() async throws {
        let messages = center.messages(of: "cart-42", for: CartDidChange.self)
        let receipt = try await center.post(CartDidChange(itemCount: 2, total: 19.98), subject: "cart-42")
        #expect(receipt == NotifyCenter.PostReceipt(sequence: 1, position: receipt.position, matched: 1, dropped: 0))
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next() == CartDidChange(itemCount: 2, total: 19.98))
    }

    @Test func `another process that is told after ready is heard`() async throws {
        let other = NotifyCenter.patient(at: daemon.socketPath)
        for round in 0..<50 {
            let messages = center.messages(for: .cartDidChange)
            try await center.ready()
            let receipt = try await other.post(CartDidChange(itemCount: round))
            #expect(receipt.matched == 1)
            var iterator = messages.makeAsyncIterator()
            #expect(await iterator.next() == CartDidChange(itemCount: round))
        }
    }

    @Test func `enqueued bytes arrive in their order, and can be looked at where they are`() async throws {
        let messages = center.rawMessages(matching: "numbers")
        try await center.ready()
        for number in 1...2000 { try center.enqueue(payload: "[\(number),\n\"é\"]".utf8, to: "numbers", type: "N") }
        var iterator = messages.makeAsyncIterator()
        for number in 1...2000 {
            let message = try #require(await iterator.next())
            #expect(message.info.sequence == UInt64(number))
            #expect(message.type == "N")
            let lent = message.withPayload { String(decoding: $0, as: UTF8.self) }
            #expect(lent == "[\(number), \"é\"]")
            #expect(String(decoding: message.payload, as: UTF8.self) == lent)
        }
    }

    @Test func `enqueued bytes that are no JSON are refused at once`() async throws {
        let error = #expect(throws: NotifyError.self) { try center.enqueue(payload: "[1,]".utf8, to: "numbers") }
        #expect(error?.code == .invalidJSON)
        #expect(error?.offset == 3)
    }

    @Test func `a message of an enqueued burst is not kept back until the next one comes`() async throws {
        let messages = center.rawMessages(matching: "numbers")
        var iterator = messages.makeAsyncIterator()
        for count in [1, 2, 3, 50, 1] {
            for number in 1...count { try center.enqueue(payload: "\(number)".utf8, to: "numbers") }
            for _ in 1...count { #expect(await iterator.next() != nil) }
        }
    }

    @Test func `a subject is asked for exactly`() async throws {
        let cart = center.messages(of: "cart-1", for: CartDidChange.self)
        let all = center.messages(for: CartDidChange.self)
        try await center.post(CartDidChange(itemCount: 1), subject: "cart-2")
        try await center.post(CartDidChange(itemCount: 2))
        try await center.post(CartDidChange(itemCount: 3), subject: "cart-1")
        var one = cart.makeAsyncIterator()
        #expect(await one.next()?.itemCount == 3)
        var every = all.makeAsyncIterator()
        for count in 1...3 { #expect(await every.next()?.itemCount == count) }
    }

    @Test func `an event says everything about its message`() async throws {
        let events = center.events(for: CartDidChange.self)
        let before = Date()
        try await center.post(CartDidChange(itemCount: 7), subject: "cart-é/\"\\", options: .retained)
        var iterator = events.makeAsyncIterator()
        guard case .message(let change, let info)? = try await iterator.next() else {
            Issue.record("no message")
            return
        }
        #expect(change.itemCount == 7)
        #expect(info.sequence == 1)
        #expect(info.subject == "cart-é/\"\\")
        #expect(info.sender.pid == getpid())
        #expect(info.sender.uid == getuid())
        #expect(info.sender.client == center.server?.client)
        #expect(!info.isReplay)
        #expect(abs(info.time.timeIntervalSince(before)) < 60)
        #expect(info.timestamp.hasSuffix("Z"))
    }

    @Test func `typed and untyped meet`() async throws {
        let typed = center.events(for: CartDidChange.self)
        let raw = center.rawMessages(matching: "shop.>")
        try await center.post(payload: Data(#"{"itemCount": 1,"total":0}"#.utf8), to: "shop.cart")
        try await center.post(payload: Data(#"{"itemCount":2,"total":0}"#.utf8), to: "shop.cart", type: "CartDidChange")
        try await center.post(payload: Data(#"{"itemCount":3,"total":0}"#.utf8), to: "shop.cart", type: "Other")
        try await center.post(payload: Data("[18446744073709551616]".utf8), to: "shop.cart")
        try await center.post(CartDidChange(itemCount: 5))
        var words: [String] = []
        var events = typed.makeAsyncIterator()
        for _ in 1...5 {
            switch try await events.next() {
            case .message(let change, _): words.append("\(change.itemCount)")
            case .undecodable(let raw, let error): words.append("\(raw.type ?? "-") \(error.code)")
            default: words.append("?")
            }
        }
        #expect(words == ["1", "2", "Other decoding_failed", "- decoding_failed", "5"])
        var messages = raw.makeAsyncIterator()
        let first = try #require(await messages.next())
        #expect(first.payload == Data(#"{"itemCount": 1,"total":0}"#.utf8))
        #expect(first.channel == "shop.cart")
        #expect(first.type == nil)
        for _ in 2...3 { _ = await messages.next() }
        #expect(await messages.next()?.payload == Data("[18446744073709551616]".utf8))
        let last = try #require(await messages.next())
        #expect(last.type == "CartDidChange")
        #expect(try last.decode(CartDidChange.self).itemCount == 5)
        #expect(String(decoding: last.line, as: UTF8.self).hasPrefix(#"{"op":"message","sub":"#))
    }

    @Test func `what cannot be decoded is skipped, counted and told`() async throws {
        let told = Told()
        let center = NotifyCenter.patient(
            at: daemon.socketPath,
            onDiagnostic: { if case .undecodable(let raw, _) = $0 { told.add(raw.payload) } })
        let messages = center.messages(for: CartDidChange.self)
        try await center.post(payload: Data("1".utf8), to: CartDidChange.channel)
        try await center.post(CartDidChange(itemCount: 2))
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.itemCount == 2)
        #expect(messages.undecodableCount == 1)
        #expect(center.diagnostics.undecodable == 1)
        #expect(told.payloads == [Data("1".utf8)])
    }

    @Test func `overlapping patterns bring a message once`() async throws {
        let events = center.rawEvents(matching: ["shop.*", "shop.>", "*.cart", "shop.*"])
        for channel in ["shop.cart", "shop.a.b", "other.cart", "shop.x"] as [NotifyCenter.Channel] {
            try await center.post(payload: "0".utf8, to: channel)
        }
        var counts: [NotifyCenter.Channel: Int] = [:]
        var iterator = events.makeAsyncIterator()
        for _ in 1...4 {
            if case .message(let message)? = try await iterator.next() { counts[message.channel, default: 0] += 1 }
        }
        #expect(counts == ["shop.cart": 1, "shop.a.b": 1, "other.cart": 1, "shop.x": 1])
    }

    @Test func `options choose what comes`() async throws {
        let other = NotifyCenter.patient(at: daemon.socketPath)
        let notMine = center.rawMessages(matching: "a", options: .init(echo: false))
        let typed = center.rawMessages(matching: "a", options: .init(type: "T"))
        let mine = center.rawMessages(matching: "a", options: .init(fromUID: getuid()))
        let nobodys = center.rawMessages(matching: "a", options: .init(fromUID: getuid() + 1))
        try await center.ready()
        try await center.post(payload: "1".utf8, to: "a")
        let receipt = try await other.post(payload: "2".utf8, to: "a", type: "T")
        #expect(receipt.matched == 3)
        for (messages, payload) in [(notMine, "2"), (typed, "2"), (mine, "1")] {
            var iterator = messages.makeAsyncIterator()
            #expect(await iterator.next()?.payload == Data(payload.utf8))
        }
        await center.shutdown()
        var none = nobodys.makeAsyncIterator()
        #expect(await none.next() == nil)
    }

    @Test func `a retained message waits for those who come later`() async throws {
        #expect(try await center.retained(on: "shop.cart") == nil)
        try await center.post(CartDidChange(itemCount: 9), subject: "s", options: .retained)
        let retained = try #require(await center.retained(on: "shop.cart"))
        #expect(try retained.decode(CartDidChange.self).itemCount == 9)
        #expect(retained.subject == "s")
        #expect(retained.info.isRetained)

        var words: [String] = []
        var events = center.events(for: CartDidChange.self, replay: .retained).makeAsyncIterator()
        try await center.post(CartDidChange(itemCount: 10))
        for _ in 1...3 {
            switch try await events.next() {
            case .message(let change, let info): words.append("\(change.itemCount) \(info.isReplay)")
            case .live: words.append("live")
            default: words.append("?")
            }
        }
        #expect(words == ["9 true", "live", "10 false"])
        try await center.clearRetained(on: "shop.cart")
        #expect(try await center.retained(on: "shop.cart") == nil)
    }

    @Test func `the daemon tells about itself`() async throws {
        let messages = center.messages(for: CartDidChange.self)
        try await center.post(CartDidChange(itemCount: 1), options: .retained)
        let channels = try await center.channels()
        #expect(channels.elements.map(\.channel) == ["shop.cart"])
        #expect(channels.elements.first?.retained == true)
        #expect(channels.elements.first?.subscriptions == 1)
        #expect(!channels.isTruncated)
        #expect(try await center.channels(matching: "other.>").elements.isEmpty)
        let client = try #require(try await center.clients().elements.first)
        #expect(client.pid == getpid())
        #expect(client.posts == 1)
        #expect(client.client == center.server?.client)
        let subscription = try #require(try await center.subscriptions().elements.first)
        #expect(subscription.channel == "shop.cart")
        #expect(subscription.policy == "newest")
        let statistics = try await center.statistics()
        #expect(statistics.posts == 1)
        #expect(statistics.epoch == center.server?.epoch)
        #expect(String(decoding: statistics.json, as: UTF8.self).hasPrefix("{\"version\":"))
        #expect(try await center.ping() > .zero)
        withExtendedLifetime(messages) {}
    }

    @Test func `the daemon's refusal is the error`() async throws {
        let error = await #expect(throws: NotifyError.self) {
            try await center.post(payload: "1".utf8, to: "$notifyd.x")
        }
        #expect(error.map { [.denied, .invalidChannel].contains($0.code) } == true)
        #expect(error?.message.contains("$notifyd") == true)
    }

    @Test func `a payload that is too long is refused, one that just fits passes`() async throws {
        try await center.ready()
        let limit = try #require(center.server?.limits.lineBytes)
        var fits = 0
        for excess in [-200, 1] {
            let payload = "\"" + String(repeating: "x", count: limit + excess - 2) + "\""
            do {
                try await center.post(payload: payload.utf8, to: "a")
                fits += 1
            } catch {
                #expect(error.code == .lineTooLong)
            }
        }
        #expect(fits == 1)
        #expect(try await center.ping() > .zero)
    }
}

/// What a diagnostics closure was told.
private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Data] = []

    func add(_ payload: Data) { lock.withLock { list.append(payload) } }
    var payloads: [Data] { lock.withLock { list } }
}
