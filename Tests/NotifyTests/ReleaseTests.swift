// What is not held any more is gone: connections, descriptors, threads, also in the middle of a reconnect. In processes
// of their own, so that nobody else's descriptors are counted.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReleaseTests {
    @Test func `centers dropped while the daemon is away are released`() async throws {
        await #expect(processExitsWith: .success) {
            let missing = try TemporaryDirectory().path("socket")
            // The loop and its descriptors stay: they belong to the process.
            let first = NotifyCenter.patient(at: missing)
            try? await first.ready()
            let descriptors = try Self.descriptors()
            let links = WeakLinks()
            for _ in 1...200 {
                let center = NotifyCenter.patient(at: missing)
                links.add(center)
                let messages = center.messages(for: Tick.self)
                let token = center.addObserver(for: Tick.self) { _ in }
                if links.count % 2 == 0 { token.cancel() }
                withExtendedLifetime((messages, token)) {}
            }
            while !links.areGone { try await Task.sleep(for: .milliseconds(5)) }
            while try Self.descriptors() > descriptors { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    @Test func `a connected center that nobody holds hangs up`() async throws {
        await #expect(processExitsWith: .success) {
            let daemon = try await DaemonProcess()
            let witness = NotifyCenter.patient(at: daemon.socketPath)
            try await witness.ready()
            let descriptors = try Self.descriptors()
            let links = WeakLinks()
            for _ in 1...50 {
                let center = NotifyCenter.patient(at: daemon.socketPath)
                links.add(center)
                try await center.ready()
                let token = center.addObserver(for: Tick.self) { _ in }
                try await center.withMessages(for: Tick.self) { _ in }
                withExtendedLifetime(token) {}
            }
            while try await witness.clients().elements.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
            precondition(links.areGone)
            while try Self.descriptors() > descriptors { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    @Test func `a sequence keeps the connection that it came from`() async throws {
        let daemon = try await DaemonProcess()
        let messages = NotifyCenter.patient(at: daemon.socketPath).messages(for: Tick.self)
        let other = NotifyCenter.patient(at: daemon.socketPath)
        while try await other.post(Tick(number: 1)).matched == 0 { await Task.yield() }
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.number == 1)
    }

    @Test func `shutdown sends what was enqueued before`() async throws {
        let daemon = try await DaemonProcess()
        let listener = NotifyCenter.patient(at: daemon.socketPath)
        let messages = listener.messages(for: Tick.self)
        try await listener.ready()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        for number in 1...1000 { try center.enqueue(Tick(number: number)) }
        await center.shutdown()
        #expect(throws: NotifyError.self) { try center.enqueue(Tick(number: 1001)) }
        var last = 0
        for await tick in messages {
            #expect(tick.number == last + 1)
            last = tick.number
            if last == 1000 { break }
        }
    }

    @Test func `iterators end when the center is shut down, after what they hold`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        let messages = center.messages(for: Tick.self)
        let events = center.events(for: Tick.self)
        let waiting = Task { await center.messages(for: Tock.self).reduce(0) { sum, _ in sum + 1 } }
        try await center.post(Tick(number: 1))
        try await center.ready()
        await center.shutdown()
        #expect(await messages.reduce(0) { $0 + $1.number } == 1)
        var count = 0
        for try await _ in events { count += 1 }
        #expect(count == 1)
        #expect(await waiting.value == 0)
        for await _ in center.messages(for: Tick.self) { Issue.record("nothing can come") }
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}

/// Centers that should be gone.
private final class WeakLinks {
    private struct Entry { weak var center: NotifyCenter? }

    private var entries: [Entry] = []

    func add(_ center: NotifyCenter) { entries.append(Entry(center: center)) }
    var count: Int { entries.count }
    var areGone: Bool { entries.allSatisfy { $0.center == nil } }
}
