// Faults on purpose, and what a program sees of them.

import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FaultTests {
    let daemon = InProcessDaemon()
    var clock: ManualClock { daemon.clock }

    /// Events in a word each.
    private func words(_ recorder: EventRecorder<CartDidChange>) -> [String] {
        recorder.events.map { event in
            switch event {
            case .message(let change, let info): info.isReplay ? "\(change.itemCount) again" : "\(change.itemCount)"
            case .gap(let gap): "gap \(gap.reason) \(gap.count ?? 0)"
            case .undecodable: "undecodable"
            case .live: "live"
            case .disconnected: "disconnected"
            case .reconnected: "reconnected"
            }
        }
    }

    /// Begins something that the test does not wait for yet.
    private func soon<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        Task(executorPreference: daemon.executor, operation: body)
    }

    // MARK: Disconnecting

    @Test func `a connection that breaks off is made again at once`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.simulateDisconnect()
        try await center.post(CartDidChange(itemCount: 2))
        await daemon.settle()
        #expect(words(changes) == ["1", "disconnected", "reconnected", "2"])
        #expect(center.diagnostics.disconnects == 1)
        #expect(center.server?.client == 2)
        #expect(clock.now.offset == .zero)
    }

    @Test func `what is posted while a center is away comes when it is back, once and in order`() async throws {
        let (away, other) = (daemon.makeCenter(), daemon.makeCenter())
        let changes = away.record(CartDidChange.self)
        try await other.post(CartDidChange(itemCount: 1))
        await daemon.simulateDisconnect(of: away, for: .seconds(30))
        for count in 2...3 { try await other.post(CartDidChange(itemCount: count)) }
        await clock.advance(by: .seconds(29.999))
        #expect(words(changes) == ["1", "disconnected"])
        await clock.advance(by: .milliseconds(1))
        try await other.post(CartDidChange(itemCount: 4))
        await daemon.settle()
        #expect(words(changes) == ["1", "disconnected", "reconnected", "2 again", "3 again", "4"])
        #expect(other.diagnostics.disconnects == 0)
    }

    @Test func `what history has forgotten meanwhile is told`() async throws {
        let (away, other) = (daemon.makeCenter(), daemon.makeCenter())
        let changes = away.record(CartDidChange.self)
        await daemon.settle()
        await away.simulateDisconnect(for: .seconds(90))
        try await other.post(CartDidChange(itemCount: 1))
        await clock.advance(by: .seconds(60))
        try await other.post(CartDidChange(itemCount: 2))
        await clock.advance(by: .seconds(30))
        #expect(words(changes) == ["disconnected", "reconnected", "gap history 0", "2 again"])
    }

    @Test func `posts of a center that is away wait for it, as long as the connect timeout says`() async throws {
        let center = daemon.makeCenter(configuration: .init(connectTimeout: .seconds(5)))
        let changes = daemon.makeCenter().record(CartDidChange.self)
        try await center.ready()
        await center.simulateDisconnect(for: .seconds(3))
        let receipt = soon { try await center.post(CartDidChange(itemCount: 1)) }
        await clock.advance(by: .seconds(3))
        #expect(try await receipt.value.sequence == 1)
        #expect(words(changes) == ["1"])
        await center.simulateDisconnect(for: .seconds(6))
        let late = soon { try await center.post(CartDidChange(itemCount: 2)) }
        await clock.advance(by: .seconds(5))
        await #expect(throws: NotifyError.self) { try await late.value }
    }

    // MARK: Restarting, stopping

    @Test func `a daemon that begins anew knows nothing`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        try await center.post(CartDidChange(itemCount: 1), options: .retained)
        try await center.post(CartDidChange(itemCount: 2), options: .delayed(by: .seconds(1)))
        let epoch = center.server?.epoch
        await daemon.simulateRestart()
        #expect(try await center.retained(on: CartDidChange.channel) == nil)
        let receipt = try await center.post(CartDidChange(itemCount: 3))
        await clock.advance(by: .seconds(10))
        #expect(receipt.sequence == 1)
        #expect(words(changes) == ["1", "disconnected", "reconnected", "gap epoch 0", "3"])
        #expect(epoch != nil && center.server?.epoch != epoch)
    }

    @Test func `without a daemon posts fail, and with one they are made again`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self)
        try await center.ready()
        await daemon.stop()
        guard case .disconnected(let why)? = await center.states.first(where: { _ in true }) else {
            Issue.record("the daemon has gone")
            return
        }
        #expect(why.message.contains("shutting_down"))
        let late = soon { try await center.post(CartDidChange(itemCount: 1)) }
        await clock.advance(by: .seconds(5))
        let error = await #expect(throws: NotifyError.self) { try await late.value }
        #expect(error?.code == .notConnected)
        let first = daemon.makeCenter()
        let refused = await #expect(throws: NotifyError.self) { try await first.ready() }
        #expect(refused?.code == .notConnected)
        await daemon.start()
        try await first.post(CartDidChange(itemCount: 2))
        await daemon.settle()
        #expect(words(changes) == ["disconnected", "reconnected", "gap epoch 0", "2"])
    }

    @Test func `with reconnects off the loss ends everything`() async throws {
        let center = daemon.makeCenter(configuration: .init(reconnects: false))
        let changes = center.record(CartDidChange.self)
        try await center.ready()
        await daemon.simulateDisconnect()
        #expect(changes.failure?.code == .notConnected)
    }

    @Test func `a will is posted when its connection breaks off`() async throws {
        let center = daemon.makeCenter()
        let departures = center.rawMessages(matching: "$notifyd.client.disconnected")
        let (count, other) = (Count(), daemon.makeCenter())
        let task = Task(executorPreference: daemon.executor) { for await _ in departures { count.up() } }
        try await other.ready()
        await daemon.simulateDisconnect(of: other)
        #expect(count.value == 1)
        task.cancel()
    }

    // MARK: Silence

    @Test func `a daemon that does not answer is given up when the request timeout is over`() async throws {
        let center = daemon.makeCenter()
        try await center.ready()
        await daemon.pause()
        let answered = Count()
        let receipt = soon {
            defer { answered.up() }
            return try await center.post(CartDidChange(itemCount: 1))
        }
        await clock.advance(by: .seconds(29.999))
        #expect(answered.value == 0)
        await clock.advance(by: .milliseconds(1))
        let error = await #expect(throws: NotifyError.self) { try await receipt.value }
        #expect(error?.code == .timedOut)
    }

    @Test func `a daemon that goes on does what was asked meanwhile, and who came meanwhile is let in`() async throws {
        let (early, late) = (daemon.makeCenter(), daemon.makeCenter())
        let changes = early.record(CartDidChange.self)
        try await early.ready()
        await daemon.pause()
        try early.enqueue(CartDidChange(itemCount: 1))
        try late.enqueue(CartDidChange(itemCount: 2))
        await daemon.settle()
        #expect(changes.messages.isEmpty)
        await daemon.resume()
        #expect(changes.messages.map(\.itemCount).sorted() == [1, 2])
    }

    @Test func `what a center has said is done when the daemon goes on, though the center has left`() async throws {
        let other = daemon.makeCenter()
        let changes = other.record(CartDidChange.self)
        do {
            let center = daemon.makeCenter()
            try await center.ready()
            await daemon.pause()
            try center.enqueue(CartDidChange(itemCount: 1))
        }
        await daemon.resume()
        #expect(changes.messages == [CartDidChange(itemCount: 1)])
        #expect(try await other.statistics().clients == 1)
    }

    @Test func `a daemon that does not even greet is told as such`() async throws {
        await daemon.pause()
        let center = daemon.makeCenter(configuration: .init(connectTimeout: .seconds(2)))
        let ready = soon { try await center.ready() }
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: NotifyError.self) { try await ready.value }
        #expect(error?.code == .notConnected)
    }

    // MARK: Overflow, refusal

    @Test func `a slow center is told what it has lost, others lose nothing`() async throws {
        let (slow, quick) = (daemon.makeCenter(), daemon.makeCenter())
        let (gapped, whole) = (slow.record(CartDidChange.self), quick.record(CartDidChange.self))
        await slow.simulateOverflow(losing: 2)
        for count in 1...4 { try await slow.post(CartDidChange(itemCount: count)) }
        await daemon.settle()
        #expect(words(gapped) == ["gap overflow 2", "3", "4"])
        #expect(gapped.gaps == [.init(channel: "shop.cart", from: 1, to: 2, count: 2, reason: .overflow)])
        #expect(words(whole) == ["1", "2", "3", "4"])
        #expect(slow.diagnostics.dropped == 2)
    }

    @Test func `a subscription that must not lose anything ends when it does`() async throws {
        let center = daemon.makeCenter()
        let changes = center.record(CartDidChange.self, buffer: .failing(10))
        await center.simulateOverflow()
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(changes.failure?.code == .overflow)
    }

    @Test(arguments: [NotifyError.Code.denied, .quotaExceeded, .rateLimited])
    func `the next post is refused, and the one after it is not`(code: NotifyError.Code) async throws {
        let center = daemon.makeCenter()
        await daemon.refuseNextPost(with: code, message: "not today")
        let error = await #expect(throws: NotifyError.self) { try await center.post(CartDidChange(itemCount: 1)) }
        #expect(error?.code == code)
        #expect(error?.message == "not today")
        #expect(try await center.post(CartDidChange(itemCount: 2)).sequence == 1)
        await daemon.refuseNextPost(with: code)
        try center.enqueue(CartDidChange(itemCount: 3))
        await daemon.settle()
        #expect(center.diagnostics.refused == 1)
    }

    @Test func `the next subscription is refused`() async throws {
        let center = daemon.makeCenter()
        await daemon.refuseNextSubscription()
        let changes = center.record(CartDidChange.self)
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(changes.messages.isEmpty)
        #expect(changes.failure?.code == .denied)
    }
}
