// Many tests at a time, in one process: none sees anything of another.

import Foundation
import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ParallelTests {
    @Test func `a thousand private centers at once keep to themselves`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 1...1000 {
                group.addTask {
                    let center = NotifyCenter.inProcess()
                    let changes = center.record(CartDidChange.self)
                    let token = center.addObserver(for: Reminder.self) { reminder in
                        _ = try? await center.post(CartDidChange(itemCount: Int(reminder.text) ?? 0))
                    }
                    try await center.post(Reminder(text: "\(number)"), options: .delayed(by: .seconds(number)))
                    await center.inProcessDaemon.clock.advance(by: .seconds(number))
                    #expect(changes.messages == [CartDidChange(itemCount: number)])
                    await center.simulateDisconnect()
                    try await center.post(CartDidChange(itemCount: -number))
                    await center.settle()
                    #expect(changes.messages == [number, -number].map(CartDidChange.init))
                    token.cancel()
                }
            }
            try await group.waitForAll()
        }
    }

    /// In a process of its own: other tests have sockets.
    @Test func `a private center has no sockets, and no event loop either`() async throws {
        await #expect(processExitsWith: .success) {
            // The process has what the clock and the tasks need.
            let first = NotifyCenter.inProcess()
            try await first.post(CartDidChange(itemCount: 0))
            await first.settle()
            let before = try ParallelTests.descriptors()
            let centers = (1...100).map { _ in NotifyCenter.inProcess() }
            for center in centers {
                let changes = center.record(CartDidChange.self)
                try await center.post(CartDidChange(itemCount: 1))
                await center.settle()
                #expect(changes.messages.count == 1)
            }
            #expect(try ParallelTests.descriptors() == before)
        }
    }

    @Test func `programs that post all at once lose nothing`() async throws {
        let daemon = InProcessDaemon()
        let all = daemon.makeCenter().record(CartDidChange.self)
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                let center = daemon.makeCenter()
                group.addTask {
                    for item in 0..<50 { try await center.post(CartDidChange(itemCount: number * 50 + item)) }
                }
            }
            try await group.waitForAll()
        }
        await daemon.settle()
        #expect(all.messages.map(\.itemCount).sorted() == Array(0..<1000))
    }

    @Test func `who is let go is gone, with the daemon`() async throws {
        weak var daemon: InProcessDaemon?
        weak var center: NotifyCenter?
        let clock = ManualClock()
        do {
            let made = NotifyCenter.inProcess(clock: clock)
            (center, daemon) = (made, made.inProcessDaemon)
            let changes = made.record(CartDidChange.self)
            try await made.post(CartDidChange(itemCount: 1), options: .delayed(by: .seconds(1)))
            await clock.settle()
            #expect(changes.messages.isEmpty)
        }
        #expect(center == nil)
        await clock.settle()
        #expect(daemon == nil)
    }

    fileprivate static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
