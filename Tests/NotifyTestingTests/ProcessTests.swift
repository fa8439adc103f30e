// Centers that stand for programs of their own.

import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProcessTests {
    let daemon = InProcessDaemon()

    @Test func `a message says which program it is from`() async throws {
        let shop = daemon.makeCenter(configuration: .init(name: "shop"), pid: 7, uid: 33)
        let other = daemon.makeCenter()
        let changes = daemon.makeCenter().record(CartDidChange.self)
        await daemon.settle()
        try await shop.post(CartDidChange(itemCount: 1))
        try await other.post(CartDidChange(itemCount: 2))
        await daemon.settle()
        let senders = changes.events.compactMap { event in
            if case .message(_, let info) = event { info.sender } else { nil }
        }
        #expect(senders.map(\.pid) == [7, 1002])
        #expect(senders.map(\.uid) == [33, 1000])
        #expect(senders.map(\.client) == [2, 3])
        let clients = try await other.clients()
        #expect(clients.elements.map(\.name).contains("shop"))
    }

    @Test func `typed and untyped meet`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        var raw = center.rawMessages(matching: "shop.*").makeAsyncIterator()
        try await center.post(payload: #"{"itemCount":3}"#.utf8, to: "shop.cart")
        try await center.post(payload: "[]".utf8, to: "shop.cart")
        await daemon.settle()
        #expect(changes.messages == [CartDidChange(itemCount: 3)])
        #expect(await raw.next()?.channel == "shop.cart")
    }

    @Test func `a daemon keeps its rules: a duplicate, a conflict, nobody there`() async throws {
        let center = daemon.makeCenter()
        let options = NotifyCenter.PostOptions(deduplicationKey: "once")
        try await center.post(CartDidChange(itemCount: 1), options: options)
        #expect(try await center.post(CartDidChange(itemCount: 1), options: options).isDuplicate)
        await daemon.clock.advance(by: .seconds(122))
        #expect(try await !center.post(CartDidChange(itemCount: 1), options: options).isDuplicate)
        let conflict = await #expect(throws: NotifyError.self) {
            try await center.post(CartDidChange(itemCount: 2), options: .onlyIf(sequence: 1))
        }
        #expect(conflict?.code == .conflict)
        #expect(conflict?.sequence == 2)
    }

    @Test func `a shutdown ends in good order`() async throws {
        let (center, other) = (daemon.makeCenter(), daemon.makeCenter())
        let changes = other.record(CartDidChange.self)
        try await other.ready()
        try center.enqueue(CartDidChange(itemCount: 1))
        await center.shutdown()
        await daemon.settle()
        #expect(changes.messages == [CartDidChange(itemCount: 1)])
        #expect(try await other.statistics().clients == 1)
        let error = await #expect(throws: NotifyError.self) { try await center.ping() }
        #expect(error?.code == .closed)
    }

    @Test func `a reader that may lose nothing makes posters wait, until their patience is over`() async throws {
        let (reader, poster) = (daemon.makeCenter(), daemon.makeCenter())
        var events = reader.events(for: CartDidChange.self, buffer: .blocking(2)).makeAsyncIterator()
        try await reader.ready()
        for count in 1...10 { try poster.enqueue(CartDidChange(itemCount: count)) }
        await daemon.settle()
        #expect(try await reader.statistics().posts < 10)
        var counts: [Int] = []
        while counts.count < 10, case .message(let change, _)? = try await events.next() {
            counts.append(change.itemCount)
        }
        #expect(counts == Array(1...10))
    }
}
