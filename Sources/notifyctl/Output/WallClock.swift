// The daemon's UTC times in the reader's own time zone, short: the date only when it is not today's.

import Glibc

/// Shows times as a person at this machine reads them.
struct WallClock: Sendable {
    /// The present, in seconds since 1970; tests set it.
    var now: @Sendable () -> Int = { time(nil) }

    /// The reader's calendar; tests have one of their own.
    var local: @Sendable (Int) -> tm = { seconds in
        var seconds = seconds
        var result = tm()
        localtime_r(&seconds, &result)
        return result
    }

    /// `12:00:00.123`, with the date in front if it is another day's. A text that is no time comes back as it is.
    func short(_ text: String, toTheSecond: Bool = false) -> String {
        guard let (seconds, fraction) = Self.parse(text) else { return Printable.text(text) }
        let then = local(seconds)
        let today = local(now())
        let clock = "\(pad(then.tm_hour)):\(pad(then.tm_min)):\(pad(then.tm_sec))" + (toTheSecond ? "" : ".\(fraction)")
        if (then.tm_year, then.tm_yday) == (today.tm_year, today.tm_yday) { return clock }
        return "\(then.tm_year + 1900)-\(pad(then.tm_mon + 1))-\(pad(then.tm_mday)) \(clock)"
    }

    /// Seconds since 1970 and the milliseconds as three digits, of `YYYY-MM-DDTHH:MM:SS[.f…]Z`.
    static func parse(_ text: String) -> (seconds: Int, milliseconds: String)? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int32? { Int32(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        let fraction = bytes[19...].dropFirst().dropLast().prefix(3)
        let digits = String(decoding: fraction, as: UTF8.self)
        return (timegm(&parts), digits + String(repeating: "0", count: 3 - digits.count))
    }

    private func pad(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
