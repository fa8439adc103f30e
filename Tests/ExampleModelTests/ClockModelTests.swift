// The clock's model with a clock that the test moves, and a center that nobody else knows.

import Foundation
import Notify
import NotifyTesting
import Observation
import Testing

@testable import ClockFace

@Suite(.timeLimit(.minutes(1))) @MainActor struct ClockModelTests {
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_000_000_000))
    let center: NotifyCenter
    let model: ClockModel

    init() {
        let clock = clock
        center = NotifyCenter.inProcess(clock: clock)
        model = ClockModel(zone: .gmt) { clock.date }
    }

    /// Runs the model beside the body, which begins when the model listens.
    private func whileRunning(_ body: () async throws -> Void) async throws {
        let (center, model, clock) = (center, model, clock)
        let running = Task { await model.run(center, clock: clock) }
        while try await center.statistics().subscriptions == 0 { await Task.yield() }
        try await body()
        running.cancel()
        await running.value
    }

    private func shows(_ text: String) async {
        let model = model
        for await shown in Observations({ model.text }) where shown == text { return }
    }

    @Test func `it shows the time from the beginning, and each second that passes`() async throws {
        #expect(model.text == "01:46:40 GMT")
        try await whileRunning {
            for second in 41...43 {
                await clock.advance(by: .seconds(1))
                await shows("01:46:\(second) GMT")
            }
        }
    }

    @Test func `it shows at once the zone that somebody chooses on another thread`() async throws {
        try await whileRunning {
            let center = center
            Thread.detachNewThread { try? center.enqueue(ZoneDidChange(identifier: "Asia/Tokyo")) }
            await shows("10:46:40 Asia/Tokyo")
            await clock.advance(by: .seconds(1))
            await shows("10:46:41 Asia/Tokyo")
        }
    }

    @Test func `a zone that does not exist changes nothing`() async throws {
        try await whileRunning {
            try await center.post(ZoneDidChange(identifier: "Atlantis"))
            try await center.post(ZoneDidChange(identifier: "Europe/Berlin"))
            await shows("03:46:40 Europe/Berlin")
        }
    }

    @Test func `a model that is cancelled listens to nobody any more`() async throws {
        try await whileRunning {}
        while try await center.statistics().subscriptions > 0 { await Task.yield() }
        let text = model.text
        await clock.advance(by: .seconds(5))
        #expect(model.text == text)
    }
}
