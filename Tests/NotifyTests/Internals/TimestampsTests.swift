// Times as text, both ways.

// Times on the wire are RFC 3339, with and without fractions and offsets.

import Foundation
import Testing

@testable import Notify

struct TimestampsTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2026-11-29T12:00:00.123456Z", 1_795_953_600.123456),
        ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59.5Z", -0.5), ("2001-01-01T00:00:00Z", 978_307_200),
        ("2026-11-29T14:00:00+02:00", 1_795_953_600), ("2026-11-29t09:30:00-02:30", 1_795_953_600),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
    ])
    func `times are read`(text: String, seconds: Double) throws {
        let date = try #require(Timestamps.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-5)
    }

    @Test(arguments: [
        "", "2026-11-29", "2026-11-29T12:00:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-29T24:00:00Z",
        "2026-11-29T12:60:00Z", "2026-11-29T12:00:00.Z", "2026-11-29T12:00:00Zx", "2026-11-29T12:00:00+2:00", "x",
        "２026-11-29T12:00:00Z", "2026-02-30T00:00:00Z",
    ])
    func `anything else is none`(text: String) {
        #expect(Timestamps.date(text) == nil)
    }

    @Test(arguments: [
        "1970-01-01T00:00:00Z", "2026-11-29T12:00:00.123456Z", "2000-02-29T23:59:59.000001Z", "1900-03-01T00:00:00Z",
        "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z",
    ])
    func `what is written reads the same`(text: String) throws {
        let date = try #require(Timestamps.date(text))
        #expect(Timestamps.text(date) == text)
    }

    @Test(arguments: [Double.infinity, .nan, 1e300, -1e12, 3e11])
    func `a date out of range is none`(interval: Double) {
        #expect(Timestamps.text(Date(timeIntervalSinceReferenceDate: interval)) == nil)
    }
}
