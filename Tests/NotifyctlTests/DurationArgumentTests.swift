// Durations on the command line.

import Testing

@testable import notifyctl

@Suite("A duration argument")
struct DurationArgumentTests {
    @Test(
        "is read with its unit; a plain number is seconds",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("5m", .seconds(300)), ("2h", .seconds(7200)),
            ("1d", .seconds(86_400)), ("250us", .microseconds(250)), ("3", .seconds(3)), ("0", .zero),
            ("1.5s", .milliseconds(1500)), (".5", .milliseconds(500)), ("0.25m", .seconds(15)),
            ("0.000000001", .nanoseconds(1)), ("0.0000000019", .nanoseconds(1)), ("007", .seconds(7)),
        ])
    func good(text: String, expected: Duration) {
        #expect(Duration(argument: text) == expected)
    }

    @Test(
        "is refused when it is none",
        arguments: [
            "", "s", ".", ".s", "-1", "+1", "1 s", "1S", "1x", "1.2.3", "1e3", "ms", "99999999999999999999", "1,5",
            "9223372036854775807",
        ])
    func bad(text: String) {
        #expect(Duration(argument: text) == nil)
    }

    @Test("may be a hundred years long and no longer")
    func longest() {
        #expect(Duration(argument: "36525d") == Duration.longestArgument)
        #expect(Duration(argument: "36526d") == nil)
    }
}
