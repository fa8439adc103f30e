// Numbers in little room, and the names of processes.

import Testing

@testable import notifyctl

@Suite("Short numbers")
struct AmountTests {
    @Test(
        "are at most four letters long",
        arguments: [
            (0.0, "0"), (1, "1"), (999, "999"), (999.4, "999"), (1000, "1.0k"), (1234, "1.2k"), (9949, "9.9k"),
            (9950, "10k"), (99_499, "99k"), (999_499, "999k"), (999_500, "1.0M"), (2e9, "2.0G"), (1.8e19, "18E"),
            (1e30, "9999E"), (-3, "0"),
        ] as [(Double, String)])
    func count(value: Double, text: String) {
        #expect(Amount.count(value) == text)
    }

    @Test(
        "of bytes are in powers of 1024",
        arguments: [(0.0, "0"), (999, "999"), (1000, "1.0K"), (1024, "1.0K"), (1536, "1.5K"), (1_048_576, "1.0M")]
            as [(Double, String)])
    func bytes(value: Double, text: String) {
        #expect(Amount.bytes(value) == text)
    }

    @Test(
        "of rates have a decimal where it matters",
        arguments: [(0.0, "0"), (0.01, "0.1"), (0.5, "0.5"), (9.94, "9.9"), (9.95, "10"), (1234, "1.2k")]
            as [(Double, String)])
    func rate(value: Double, text: String) {
        #expect(Amount.rate(value) == text)
    }

    @Test(
        "of times have one unit",
        arguments: [
            (0, "0ms"), (999, "999ms"), (1000, "1.0s"), (9999, "9.9s"), (10_000, "10s"), (59_999, "59s"),
            (60_000, "1m"), (3_600_000, "1h"), (90_000_000, "1d"),
        ] as [(UInt64, String)])
    func time(value: UInt64, text: String) {
        #expect(Amount.milliseconds(value) == text)
    }
}

@Suite("The names of a process")
struct ProgramNameTests {
    @Test(
        "its unit is the innermost one of systemd's",
        arguments: [
            ("0::/system.slice/shop.service\n", "shop.service"),
            ("0::/user.slice/user-7.slice/user@7.service/app.slice/app-x@1.service\n", "app-x@1.service"),
            ("0::/user.slice/user-7.slice/session-3.scope\n", "session-3.scope"),
            ("0::/system.slice/shop.service/worker\n", "shop.service"),
            ("12:pids:/x.service\n1:name=systemd:/system.slice/old.service\n0::/\n", "old.service"),
            ("0::/\n", nil), ("", nil), ("0::/docker/abc\n", nil), ("nonsense", nil),
        ] as [(String, String?)])
    func unit(groups: String, unit: String?) {
        #expect(ProgramName.unit(inGroups: groups) == unit)
    }

    @Test("is asked of the machine; there may be none", arguments: [-1, 0, Int32.max])
    func nobody(pid: Int32) {
        #expect(ProgramName.of(pid) == ProgramName())
        #expect(ProgramName.of(1).command != nil)
    }
}
