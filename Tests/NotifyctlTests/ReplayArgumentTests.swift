// How much of the past `listen --replay` asks for.

import Foundation
import Notify
import Testing

@testable import notifyctl

@Suite("The argument of --replay")
struct ReplayArgumentTests {
    private static let now = Date(timeIntervalSince1970: 1_795_953_600)

    @Test(
        "has five shapes",
        arguments: [
            ("retained", .retained), ("1", .last(1)), ("64", .last(64)), ("pos:0", .after(0)),
            ("pos:9223372036854775807", .after(UInt64(Int64.max))), ("pos:17/8f1c", .after(17, epoch: "8f1c")),
            ("5m", .since(now.addingTimeInterval(-300))), ("1.5s", .since(now.addingTimeInterval(-1.5))),
            ("2026-11-29T12:00:00.25Z", .since(now.addingTimeInterval(0.25))),
            ("2026-11-29T14:00:00+02:00", .since(now)),
        ] as [(String, NotifyCenter.Replay)])
    func shapes(text: String, expected: NotifyCenter.Replay) throws {
        #expect(try ReplayArgument.replay(text, now: Self.now) == expected)
    }
}
