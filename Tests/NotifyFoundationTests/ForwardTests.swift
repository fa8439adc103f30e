// Bridges to classic notifications: what arrives, and that nothing goes round in circles.

import Foundation
import Notify
import NotifyFoundation
import NotifyLock
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ForwardTests {
    let daemon: DaemonProcess
    let center: NotifyCenter
    let other: NotifyCenter
    let classic = NotificationCenter()

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        other = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
    }

    /// What a classic center posts, in words.
    private func words(from center: NotificationCenter, _ name: String? = nil) -> Heard {
        Heard(center, name.map { Notification.Name($0) })
    }

    @Test(arguments: [
        (#"{"n":1,"a":[true,null]}"#, "shop.cart s a=[true,null] n=1"), ("null", "shop.cart s -"),
        ("[1,2]", "shop.cart s payload=[1,2]"), (#""x""#, "shop.cart s payload=x"), ("7.5", "shop.cart s payload=7.5"),
    ])
    func `a message becomes a notification`(payload: String, expected: String) async throws {
        let heard = words(from: classic)
        let token = center.forward("shop.>", to: classic)
        try await center.ready()
        try await other.post(payload: payload.utf8, to: "shop.cart", subject: "s")
        #expect(await heard.next() == expected)
        withExtendedLifetime(token) {}
    }

    @Test func `messages of this program's own come, too, in their order`() async throws {
        let heard = words(from: classic)
        let token = center.forward("a", to: classic)
        for number in 1...100 { try await center.post(payload: "{\"n\":\(number)}".utf8, to: "a") }
        for number in 1...100 { #expect(await heard.next() == "a - n=\(number)") }
        withExtendedLifetime(token) {}
    }

    @Test func `a notification becomes a message`() async throws {
        let token = center.forward(Notification.Name("CartDidChange"), from: classic, to: "shop.cart")
        var messages = other.rawMessages(matching: "shop.cart").makeAsyncIterator()
        try await other.ready()
        classic.post(name: Notification.Name("CartDidChange"), object: "cart-1", userInfo: ["url": "a/b"])
        classic.post(name: Notification.Name("Other"), object: nil)
        classic.post(name: Notification.Name("CartDidChange"), object: nil)
        let first = try #require(await messages.next())
        #expect(String(decoding: first.payload, as: UTF8.self) == #"{"url":"a/b"}"#)
        #expect(first.subject == "cart-1")
        #expect(first.type == nil)
        let second = try #require(await messages.next())
        #expect(String(decoding: second.payload, as: UTF8.self) == "null")
        #expect(second.subject == nil)
        withExtendedLifetime(token) {}
    }

    @Test func `what JSON cannot say is told, and nothing else suffers`() async throws {
        let token = center.forward(Notification.Name("n"), from: classic, to: "n")
        var messages = other.rawMessages(matching: "n").makeAsyncIterator()
        try await other.ready()
        classic.post(name: Notification.Name("n"), object: nil, userInfo: ["when": Date()])
        classic.post(name: Notification.Name("n"), object: nil, userInfo: [1: "number"])
        classic.post(name: Notification.Name("n"), object: "", userInfo: ["a": 1])
        classic.post(name: Notification.Name("n"), object: nil, userInfo: ["a": 2])
        #expect(await messages.next()?.payload == Data(#"{"a":2}"#.utf8))
        #expect(center.diagnostics.refused == 3)
        withExtendedLifetime(token) {}
    }

    @Test func `both ways at once, in two programs, each hears each notification once`() async throws {
        let there = NotificationCenter()
        let name = Notification.Name("a.b")
        let tokens = [
            center.forward("a.b", to: classic), center.forward(name, from: classic, to: "a.b"),
            other.forward("a.>", to: there), other.forward(name, from: there, to: "a.b"),
        ]
        try await center.ready()
        try await other.ready()
        let here = words(from: classic)
        let far = words(from: there)
        for number in 1...50 {
            classic.post(name: name, object: nil, userInfo: ["here": number])
            there.post(name: name, object: nil, userInfo: ["there": number])
        }
        // By these answers the daemon has got everything that both have sent.
        try await center.ready()
        try await other.ready()
        try await center.post(payload: #"{"end":1}"#.utf8, to: "a.b")
        for heard in [here, far] {
            var all: [String] = []
            while all.last != "a.b - end=1" { all.append(await heard.next()) }
            #expect(all.count == 101)
            for place in ["here", "there"] {
                #expect(all.filter { $0.contains(" \(place)=") } == (1...50).map { "a.b - \(place)=\($0)" })
            }
        }
        #expect(try await center.channels().elements.map(\.seq) == [101])
        withExtendedLifetime(tokens) {}
    }

    @Test func `a notification that an observer posts in turn is forwarded`() async throws {
        let tokens = [
            center.forward("question", to: classic),
            center.forward(Notification.Name("answer"), from: classic, to: "answer"),
        ]
        let classic = classic
        let observer = classic.addObserver(forName: Notification.Name("question"), object: nil, queue: nil) { _ in
            classic.post(name: Notification.Name("answer"), object: nil, userInfo: ["n": 42])
        }
        var answers = other.rawMessages(matching: "answer").makeAsyncIterator()
        try await other.ready()
        try await center.ready()
        try await other.post(payload: "null".utf8, to: "question")
        #expect(await answers.next()?.payload == Data(#"{"n":42}"#.utf8))
        classic.removeObserver(observer)
        withExtendedLifetime(tokens) {}
    }

    @Test func `from one daemon to another over the same classic center`() async throws {
        let daemon = try await DaemonProcess()
        let far = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        let tokens = [center.forward("a", to: classic), far.forward(Notification.Name("a"), from: classic, to: "b")]
        var messages = far.rawMessages(matching: "b").makeAsyncIterator()
        try await far.ready()
        try await center.post(payload: "{}".utf8, to: "a")
        #expect(await messages.next()?.payload == Data("{}".utf8))
        withExtendedLifetime(tokens) {}
    }

    @Test func `nothing after cancel, in either direction`() async throws {
        let heard = words(from: classic)
        let forth = center.forward("a", to: classic)
        let back = center.forward(Notification.Name("b"), from: classic, to: "b")
        try await center.ready()
        forth.cancel()
        back.cancel()
        let receipt = try await other.post(payload: "{}".utf8, to: "a")
        #expect(receipt.matched == 0)
        classic.post(name: Notification.Name("b"), object: nil)
        #expect(await heard.next() == "b - -")
        try await center.ready()
        #expect(try await center.channels(matching: "b").elements.isEmpty)
        #expect(heard.isEmpty)
    }
}

/// An observer of all classic notifications: the kind that Foundation's typed messages crash.
private final class Heard: @unchecked Sendable {
    private let center: NotificationCenter
    private let observer: any NSObjectProtocol
    private let stream: AsyncStream<String>
    private let count = Locked(0)

    init(_ center: NotificationCenter, _ name: Notification.Name?) {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        self.center = center
        self.stream = stream
        observer = center.addObserver(forName: name, object: nil, queue: nil) { [count] notification in
            count.withLock { $0 += 1 }
            continuation.yield(Self.word(notification))
        }
    }

    deinit { center.removeObserver(observer) }

    var isEmpty: Bool { count.withLock { $0 } == 0 }

    func next() async -> String {
        var iterator = stream.makeAsyncIterator()
        let word = await iterator.next() ?? "?"
        count.withLock { $0 -= 1 }
        return word
    }

    private static func word(_ notification: Notification) -> String {
        let pairs = (notification.userInfo ?? [:]).map { "\($0.key)=\(text($0.value))" }.sorted()
        let subject = notification.object as? String ?? "-"
        return "\(notification.name.rawValue) \(subject) \(pairs.isEmpty ? "-" : pairs.joined(separator: " "))"
    }

    private static func text(_ value: Any) -> String {
        if let text = value as? String { return text }
        let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}
