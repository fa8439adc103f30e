// Many tests at a time, in one process: none sees anything of another.

import Foundation
import Notify
import NotifyTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ParallelTests {
    @Test func `a thousand private centers at once keep to themselves`() async throws {
        let before = try descriptors()
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
        // No sockets, and no event loop either.
        #expect(try descriptors() - before < 10)
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

    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
