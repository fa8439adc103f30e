// Many of everything: observers, centers, handlers that block. In processes of their own, whose threads and descriptors
// are counted.

import Dispatch
import Foundation
import NotifyLock
import NotifyTestSupport
import Testing

@testable import Notify

@Suite(.timeLimit(.minutes(3)))
struct CrowdTests {
    @Test func `ten thousand observers share one subscription and all hear`() async throws {
        let daemon = try await DaemonProcess()
        let center = NotifyCenter.patient(at: daemon.socketPath)
        let heard = Order(until: 10_000)
        let count = Locked(0)
        var tokens: [NotifyCenter.ObservationToken] = []
        for _ in 1...10_000 {
            center.addObserver(for: Tick.self) { _ in
                // One after the other: the numbers rise.
                count.withLock { count in
                    count += 1
                    heard.noteNow(count)
                }
            }.store(in: &tokens)
        }
        try await center.ready()
        #expect(try await center.subscriptions().elements.count == 1)
        #expect(try await center.clients().elements.count == 1)
        #expect(try await center.post(Tick(number: 1)).matched == 1)
        #expect(await heard.result() == (10_000, true))
        tokens = []
        #expect(try await center.subscriptions().elements.isEmpty)
        #expect(try await center.post(Tick(number: 2)).matched == 0)
    }

    @Test func `a thousand centers share one thread, and leave nothing behind`() async throws {
        await #expect(processExitsWith: .success) {
            try Self.raiseDescriptorLimit()
            let daemon = try await DaemonProcess()
            let first = NotifyCenter.patient(at: daemon.socketPath)
            try await first.ready()
            let descriptors = try Self.count(in: "/proc/self/fd")
            do {
                let centers = (0..<1000).map { _ in NotifyCenter.patient(at: daemon.socketPath) }
                let sequences = centers.map { $0.messages(for: Tick.self) }
                for center in centers { try await center.ready() }
                // The loop, the pool of Swift's tasks and Dispatch's own few.
                let threads = try Self.count(in: "/proc/self/task")
                precondition(threads < 40, "\(threads) threads")
                let receipt = try await first.post(Tick(number: 1))
                precondition(receipt.matched == 1000, "\(receipt)")
                for sequence in sequences {
                    var iterator = sequence.makeAsyncIterator()
                    let tick = await iterator.next()
                    precondition(tick?.number == 1)
                }
            }
            while try await first.clients().elements.count > 1 { await Task.yield() }
            while try Self.count(in: "/proc/self/fd") > descriptors { await Task.yield() }
        }
    }

    @Test func `handlers that block take a bounded number of threads, and nobody else's`() async throws {
        await #expect(processExitsWith: .success) {
            let daemon = try await DaemonProcess()
            let center = NotifyCenter.patient(at: daemon.socketPath)
            let gate = DispatchSemaphore(value: 0)
            let through = Order(until: 1000)
            let count = Locked(0)
            var tokens: [NotifyCenter.ObservationToken] = []
            for _ in 1...1000 {
                center.addObserver(for: Tick.self) { _ in
                    gate.wait()
                    count.withLock { count in
                        count += 1
                        through.noteNow(count)
                    }
                }.store(in: &tokens)
            }
            let messages = center.messages(for: Tick.self)
            try await center.post(Tick(number: 1))
            // Tasks go on, and so does the connection.
            var iterator = messages.makeAsyncIterator()
            let tick = await iterator.next()
            precondition(tick?.number == 1)
            for _ in 1...50 {
                _ = try await center.ping()
                let threads = try Self.count(in: "/proc/self/task")
                precondition(threads < HandlerThreads.most + 40, "\(threads) threads")
            }
            for _ in 1...1000 { gate.signal() }
            let (passed, isRising) = await through.result()
            precondition(passed == 1000 && isRising)
        }
    }

    @Test func `a program that is started inherits no descriptor of the library`() async throws {
        await #expect(processExitsWith: .success) {
            let daemon = try await DaemonProcess()
            let others = try Self.descriptors()
            let center = NotifyCenter.patient(at: daemon.socketPath)
            let token = center.addObserver(for: Tick.self) { _ in }
            try await center.ready()
            let own = try Self.descriptors().subtracting(others)
            precondition(own.contains { $0.contains(" socket:") } && own.contains { $0.contains("eventpoll") })
            // posix_spawn, because Foundation's Process closes what it does not pass on.
            let output = try TemporaryDirectory()
            var pid: pid_t = 0
            let script = "ls -l /proc/self/fd > \(output.path("list"))"
            let words: [UnsafeMutablePointer<CChar>?] =
                (["sh", "-c", script] as [String]).map { strdup($0) } + [nil]
            guard posix_spawn(&pid, "/bin/sh", nil, nil, words, environ) == 0 else { throw POSIXError(.EIO) }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 { precondition(errno == EINTR) }
            let list = try String(contentsOfFile: output.path("list"), encoding: .utf8)
            precondition(list.contains("/list") && own.allSatisfy { !list.contains($0) })
            withExtendedLifetime(token) {}
        }
    }

    /// As ls shows them: number, arrow, target.
    private static func descriptors() throws -> Set<String> {
        let directory = "/proc/self/fd"
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
                return target.map { " \(name) -> \($0)" }
            })
    }

    private static func count(in directory: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory).count
    }

    private static func raiseDescriptorLimit() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur > 2100 else {
            throw POSIXError(.EMFILE)
        }
    }
}
