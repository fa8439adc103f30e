// The model behind the face of a clock. Two things change what it shows: the time, and the time zone, which other programs
// change at any moment and from any thread. They are merged into one row of events, handled on the main actor one after
// the other. The clock and the center come from outside, so that a test brings its own.

import Foundation
import Notify
import Observation

@MainActor @Observable final class ClockModel {
    private(set) var text = ""
    @ObservationIgnored private var zone: TimeZone
    @ObservationIgnored private let now: @Sendable () -> Date

    private enum Event: Sendable {
        case tick
        case zone(String)
    }

    /// - Parameter now: the time of day.
    init(zone: TimeZone = .current, now: @escaping @Sendable () -> Date = { Date() }) {
        self.zone = zone
        self.now = now
        show()
    }

    /// Follows the time and the time zone until the task is cancelled. The zone is listened to from the call on.
    func run<C: Clock>(_ center: NotifyCenter, clock: C) async where C.Duration == Duration {
        let zones = center.messages(for: ZoneDidChange.self).map { Event.zone($0.identifier) }
        let ticks = Ticks(every: .seconds(1), of: clock).map { Event.tick }
        for await event in NotifyCenter.merge(zones, ticks) {
            if case .zone(let identifier) = event, let zone = TimeZone(identifier: identifier) { self.zone = zone }
            show()
        }
    }

    private func show() {
        text =
            now().formatted(
                Date.ISO8601FormatStyle(timeZone: zone).time(includingFractionalSeconds: false)) + " \(zone.identifier)"
    }
}
