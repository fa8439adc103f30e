// One exit status per code.

import Notify
import Testing

@testable import notifyctl

@Suite("An error's exit status")
struct FailureTests {
    @Test(
        "follows the manual's table",
        arguments: [
            ("invalid_channel", ExitCode.usage), ("invalid_pattern", .usage), ("invalid_argument", .usage),
            ("invalid_json", .data), ("line_too_long", .data), ("not_connected", .unavailable),
            ("timed_out", .unavailable), ("closed", .unavailable), ("shutting_down", .unavailable),
            ("denied", .denied), ("permission_denied", .denied), ("quota_exceeded", .temporary),
            ("rate_limited", .temporary), ("storage_failed", .temporary), ("no_subscribers", .nobody),
            ("conflict", .refused),
            ("protocol_violation", .software), ("something_new", .refused),
        ])
    func status(code: String, expected: ExitCode) {
        let failure = Failure(NotifyError(.init(rawValue: code), "why"))
        #expect(failure.status == expected)
        #expect(failure.text == (expected == .refused ? "why (\(code))" : "why"))
    }

    @Test(
        "says when it may be tried again, never too early",
        arguments: [(400, "0.4"), (401, "0.5"), (1, "0.1"), (0, "0.1"), (12_000, "12.0")])
    func retry(milliseconds: Int, seconds: String) {
        let error = NotifyError(.rateLimited, "too fast", retryAfter: .milliseconds(milliseconds))
        #expect(Failure(error).text == "too fast; try again in \(seconds) s")
    }

    @Test("the numbers are those of sysexits and timeout")
    func numbers() {
        let expected: [Int32] = [0, 1, 64, 65, 69, 70, 74, 75, 76, 77, 79, 124]
        #expect(ExitCode.allCases.map(\.rawValue) == expected)
    }

    @Test("words from the daemon cannot move the cursor")
    func printable() {
        #expect(Failure(NotifyError(.denied, "no\u{1B}[2J")).text == "no\\u001b[2J")
    }
}

@Suite("A gap, told to a person")
struct GapSentenceTests {
    @Test("says where, how many and why")
    func sentence() {
        let gap = NotifyCenter.Gap(channel: "shop.cart", from: 43, to: 57, count: 15, reason: .overflow)
        #expect(gap.sentence == "gap on shop.cart: 15 messages are missing (seq 43 to 57, overflow)")
        #expect(NotifyCenter.Gap(count: 1, reason: .overflow).sentence == "gap: 1 message is missing (overflow)")
        #expect(NotifyCenter.Gap(reason: .epoch).sentence == "gap: messages are missing (epoch)")
    }

    @Test("what was asked for is no loss")
    func loss() {
        #expect(
            [NotifyCenter.Gap.Reason.overflow, .history, .epoch, .disconnected].allSatisfy {
                NotifyCenter.Gap(reason: $0).isLoss
            })
        #expect([NotifyCenter.Gap.Reason.coalesced, .expired].allSatisfy { !NotifyCenter.Gap(reason: $0).isLoss })
    }
}
