// Times that clients write.

import NotifyWire
import Testing

@Suite("A time of RFC 3339")
struct TimestampTests {
    private func read(_ text: String) -> Int64? {
        var time: Int64?
        Line.with(text) { start, end in time = Timestamp.nanoseconds(ByteSlice(from: start, to: end)) }
        return time
    }

    @Test(
        "is read to the nanosecond, with every offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1),
            ("1969-12-31T23:59:59.5Z", -500_000_000),
            ("2026-11-29T12:00:00.123456Z", 1_795_953_600_123_456_000),
            ("2026-11-29T13:30:00.123456+01:30", 1_795_953_600_123_456_000),
            ("2026-11-28t23:00:00.1234569999z", 1_795_906_800_123_456_999),
            ("2026-11-29 02:00:00-10:00", 1_795_953_600_000_000_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
            ("1677-09-22T00:00:00Z", -9_223_286_400_000_000_000), ("2262-04-11T23:47:16.854775807Z", Int64.max),
        ] as [(String, Int64)])
    func isRead(text: String, nanoseconds: Int64) {
        #expect(read(text) == nanoseconds)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "2026-11-29", "2026-11-29T12:00:00", "2026-11-29T12:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-32T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx",
            "02026-01-01T00:00:00Z", "-026-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "2262-04-11T23:47:16.854775808Z",
            "9999-12-31T23:59:59Z",
        ])
    func isRefused(text: String) {
        #expect(read(text) == nil)
    }

    @Test(
        "is what the daemon writes",
        arguments: [0, 1_795_953_600_123_456_000, 951_782_400_000_001_000, -1_000] as [Int64])
    func roundTrip(nanoseconds: Int64) {
        var formatter = TimestampFormatter()
        #expect(read(formatter.format(nanoseconds).text) == nanoseconds)
    }
}
