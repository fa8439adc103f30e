// A daemon that goes away, is not there yet, or does not answer.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReconnectTests {
    let daemon: DaemonProcess

    init() async throws {
        daemon = try await DaemonProcess()
    }

    private func center(
        connectTimeout: Duration = .seconds(30), reconnects: Bool = true
    ) -> NotifyCenter {
        NotifyCenter(
            endpoint: .socket(path: daemon.socketPath),
            configuration: .init(connectTimeout: connectTimeout, reconnects: reconnects))
    }

    @Test(arguments: [false, true])
    func `subscriptions come back, and events tell what happened`(politely: Bool) async throws {
        let center = center()
        var events = center.events(for: Tick.self).makeAsyncIterator()
        let messages = center.messages(for: Tick.self)
        try await center.post(Tick(number: 1))
        if politely { daemon.stop() } else { daemon.kill() }
        try await daemon.start()
        // Waits for the connection, and is not lost.
        try await center.post(Tick(number: 2))
        var words: [String] = []
        while words.last != "2" {
            switch try await events.next() {
            case .message(let tick, _): words.append("\(tick.number)")
            case .disconnected(let error): words.append("disconnected \(error.code)")
            case .reconnected: words.append("reconnected")
            case .gap(let gap): words.append("gap \(gap.reason) \(gap.count ?? 0)")
            default: words.append("?")
            }
        }
        #expect(words == ["1", "disconnected not_connected", "reconnected", "gap epoch 0", "2"])
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.number == 1)
        #expect(await iterator.next()?.number == 2)
        #expect(center.diagnostics.disconnects >= 1)
    }

    @Test func `a message says of which epoch its position is, however late it is read`() async throws {
        let center = center()
        let messages = center.rawMessages(matching: "clock.>")
        var epochs: [String] = []
        for number in 1...2 {
            if number == 2 {
                daemon.kill()
                try await daemon.start()
            }
            try await center.ready()
            epochs.append(try #require(center.server?.epoch))
            try await center.post(Tick(number: number), options: .init(retain: true))
        }
        #expect(Set(epochs).count == 2)
        var iterator = messages.makeAsyncIterator()
        for epoch in epochs { #expect(await iterator.next()?.info.epoch == epoch) }
        #expect(try await center.retained(on: "clock.tick")?.info.epoch == epochs[1])
    }

    @Test func `states tell each change once`() async throws {
        let center = center()
        let messages = center.messages(for: Tick.self)
        try await center.ready()
        var states = center.states.makeAsyncIterator()
        guard case .connected(let first)? = await states.next() else {
            Issue.record("the present state comes first")
            return
        }
        daemon.kill()
        guard case .disconnected? = await states.next() else {
            Issue.record("it was lost")
            return
        }
        try await daemon.start()
        var second: NotifyCenter.ServerInfo?
        while second == nil {
            switch await states.next() {
            case .connected(let info): second = info
            case .disconnected: break
            default:
                Issue.record("it comes back")
                return
            }
        }
        #expect(first.epoch != second?.epoch)
        #expect(second?.socketPath == daemon.socketPath)
        await center.shutdown()
        guard case .closed(nil)? = await states.next() else {
            Issue.record("it was shut down")
            return
        }
        #expect(await states.next() == nil)
        withExtendedLifetime(messages) {}
    }

    @Test func `many centers come back with all their subscriptions`() async throws {
        let centers = (0..<40).map { _ in center(connectTimeout: .seconds(60)) }
        let patterns = (0..<10).map { NotifyCenter.Pattern(rawValue: "herd.\($0)") }.compactMap { $0 }
        let sequences = centers.flatMap { center in patterns.map { center.rawMessages(matching: $0) } }
        for center in centers { try await center.ready() }
        for _ in 1...2 {
            daemon.kill()
            try await daemon.start()
            for center in centers { try await center.ready() }
            let statistics = try await centers[0].statistics()
            #expect(statistics.subscriptions == 400)
            #expect(statistics.clients == 40)
        }
        withExtendedLifetime(sequences) {}
    }

    @Test func `with reconnects off the loss ends everything`() async throws {
        let center = center(reconnects: false)
        let messages = center.messages(for: Tick.self)
        let events = center.rawEvents(matching: ["clock.>"])
        try await center.ready()
        daemon.kill()
        for await _ in messages { Issue.record("nothing was posted") }
        let error = await #expect(throws: NotifyError.self) {
            for try await _ in events { Issue.record("nothing was posted") }
        }
        #expect(error?.code == .notConnected)
        let refused = await #expect(throws: NotifyError.self) { try await center.ping() }
        #expect(refused?.code == .notConnected)
    }

    @Test func `a program without a word about SIGPIPE survives a daemon killed while it posts`() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let daemon = try await DaemonProcess()
            for _ in 1...5 {
                let center = NotifyCenter.patient(at: daemon.socketPath)
                try await center.ready()
                daemon.kill()
                for number in 1...200 {
                    try? center.enqueue(Tick(number: number))
                    if number % 50 == 0 { await Task.yield() }
                }
                try await daemon.start()
                try await center.ready()
            }
            // The library does not change the program's setting.
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            precondition(action.__sigaction_handler.sa_handler == nil)
        }
    }

    @Test func `no daemon: an error that says what to do, at once`() async throws {
        daemon.stop()
        let center = NotifyCenter(endpoint: .socket(path: daemon.socketPath + "-none"))
        let calls: [@Sendable () async throws -> Void] = [
            { try await center.ready() }, { try await center.post(Tick(number: 1)) },
            { _ = try await center.withMessages(for: Tick.self) { _ in } }, { _ = try await center.statistics() },
        ]
        for call in calls {
            let error = await #expect(throws: NotifyError.self) { try await call() }
            #expect(error?.code == .notConnected)
            let path = daemon.socketPath + "-none"
            #expect(error?.message == "no daemon at \(path): start it with notifyd --socket \(path)")
            #expect(error?.socketPath == daemon.socketPath + "-none")
        }
    }

    @Test func `a listener that is there before the daemon hears it when it comes`() async throws {
        daemon.stop()
        let center = center()
        var events = center.events(for: Tick.self).makeAsyncIterator()
        guard case .disconnected? = try await events.next() else {
            Issue.record("it is told that nobody is there")
            return
        }
        try await daemon.start()
        var words: [String] = []
        while words.count < 2 {
            switch try await events.next() {
            case .reconnected: words.append("reconnected")
            case .gap(let gap): words.append("gap \(gap.reason)")
            default: words.append("?")
            }
        }
        #expect(words == ["reconnected", "gap disconnected"])
    }

    @Test func `a daemon that is stopped in its tracks is waited for, and given up at the connect timeout`()
        async throws
    {
        try await daemon.pause()
        let patient = center(connectTimeout: .seconds(60))
        let hasty = center(connectTimeout: .milliseconds(200))
        let pong = Task { [patient] in try await patient.ping() }
        let error = await #expect(throws: NotifyError.self) { try await hasty.ping() }
        #expect(error?.code == .notConnected)
        #expect(error?.message == "the daemon at \(daemon.socketPath) does not answer")
        daemon.resume()
        #expect(try await pong.value > .zero)
    }
}
