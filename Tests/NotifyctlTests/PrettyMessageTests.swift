// Messages for people.

import Glibc
import Testing

@testable import notifyctl

@Suite("A message for people")
struct PrettyMessageTests {
    /// The clock of a reader in UTC, on 29 November 2026.
    private let clock = PrettyMessageTests.clock(hoursEast: 0)

    private static func clock(hoursEast: Int) -> WallClock {
        WallClock(now: { 1_795_957_200 }) { seconds in
            var seconds = seconds + hoursEast * 3600
            var result = tm()
            gmtime_r(&seconds, &result)
            return result
        }
    }

    @Test("is one line: time, channel, type, subject, payload")
    func line() {
        var message = MessageFormatTests.message
        let pretty = PrettyMessage(style: .plain, clock: clock)
        #expect(pretty.line(message) == "12:00:00.123  shop.cart  CartDidChange  {\"n\":1}")
        message.subject = "cart-42"
        message.isReplay = true
        let line = "12:00:00.123  shop.cart  CartDidChange  cart-42  {\"n\":1}"
        #expect(pretty.line(message) == line + "  (replayed)")
        message.isRetained = true
        #expect(pretty.line(message) == line + "  (retained)")
        // To whom it comes as it is posted, nothing was kept.
        message.isReplay = false
        #expect(pretty.line(message) == line)
    }

    @Test("has the date if it is not today's")
    func date() {
        #expect(clock.short("2026-11-28T23:59:59.9Z") == "2026-11-28 23:59:59.900")
        #expect(clock.short("2026-11-29T00:00:00Z") == "00:00:00.000")
        #expect(clock.short("yesterday") == "yesterday")
    }

    @Test("is in the reader's own time zone")
    func zone() {
        let clock = Self.clock(hoursEast: 2)
        #expect(clock.short("2026-11-29T12:00:00.123456Z") == "14:00:00.123")
        #expect(clock.short("2026-11-29T22:00:00Z") == "2026-11-30 00:00:00.000")
    }

    @Test("cannot move the cursor")
    func control() {
        var message = MessageFormatTests.message
        message.payload = Array("\"\u{7F}\u{9B}2J\u{202E}\"".utf8)
        let line = PrettyMessage(style: .plain, clock: clock).line(message)
        #expect(line.hasSuffix("\"\\u007f\\u009b2J\\u202e\""))
    }

    @Test("has colours only when asked for")
    func colour() {
        let plain = PrettyMessage(style: .plain, clock: clock).line(MessageFormatTests.message)
        let colourful = PrettyMessage(style: Style(isOn: true), clock: clock).line(MessageFormatTests.message)
        #expect(!plain.contains("\u{1B}"))
        #expect(colourful.contains("\u{1B}[1;36mshop.cart\u{1B}[0m"))
    }
}

@Suite("Colour")
struct StyleTests {
    private func isOn(_ choice: Style.Choice, terminal: Bool, _ environment: [String: String]) -> Bool {
        Style(choice, isTerminal: terminal, environment: { environment[$0] }).isOn
    }

    @Test("is for terminals that can and want")
    func auto() {
        #expect(isOn(.auto, terminal: true, [:]))
        #expect(!isOn(.auto, terminal: false, [:]))
        #expect(!isOn(.auto, terminal: true, ["NO_COLOR": "1"]))
        #expect(isOn(.auto, terminal: true, ["NO_COLOR": ""]))
        #expect(!isOn(.auto, terminal: true, ["TERM": "dumb"]))
    }

    @Test("is as the option says, whatever the environment")
    func chosen() {
        #expect(isOn(.always, terminal: false, ["NO_COLOR": "1", "TERM": "dumb"]))
        #expect(!isOn(.never, terminal: true, [:]))
    }
}
