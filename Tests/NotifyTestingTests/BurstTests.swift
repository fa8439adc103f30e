// Operators for bursts on the daemon's clock: what is to come has come when the clock has been moved.

import Notify
import NotifyTesting
import Testing

struct BurstTests {
    @Test func `a burst is over when the clock says so`() async throws {
        let daemon = InProcessDaemon()
        let center = daemon.makeCenter()
        let messages = center.messages(for: CartDidChange.self).debounce(for: .milliseconds(200), clock: daemon.clock)
        let seen = Seen()
        let following = Task(executorPreference: daemon.executor) {
            for await change in messages { await seen.add(change.itemCount) }
        }
        await daemon.settle()
        for round in 1...50 {
            for step in 1...3 {
                try await center.post(CartDidChange(itemCount: 10 * round + step))
                await daemon.clock.advance(by: .milliseconds(199))
                #expect(await seen.counts.count == round - 1)
            }
            await daemon.clock.advance(by: .milliseconds(1))
            #expect(await seen.counts.last == 10 * round + 3)
        }
        following.cancel()
        await following.value
    }
}

private actor Seen {
    private(set) var counts: [Int] = []

    func add(_ count: Int) { counts.append(count) }
}
