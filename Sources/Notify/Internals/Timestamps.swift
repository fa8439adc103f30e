// Dates as RFC 3339 writes them, with as many decimals as there are: what the daemon stamps messages with, and how dates
// stand in payloads. The grammar is NotifyWire's.

package import FoundationEssentials
import NotifyWire

package enum Timestamps {
    /// Reads `2026-11-29T12:00:00.123456Z`, also with an offset instead of `Z`; nil if it is anything else.
    package static func date(_ text: String) -> Date? {
        var text = text
        let moment = text.withUTF8 { utf8 in
            utf8.baseAddress.flatMap { Timestamp.moment(ByteSlice($0, utf8.count)) }
        }
        guard let moment else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: Double(moment.seconds - Int64(referenceSecond))
                + Double(moment.nanoseconds) / 1_000_000_000)
    }

    /// A date in nanoseconds since 1970, whole microseconds; dates beyond the years 1678 to 2261 count as their ends.
    static func nanoseconds(_ date: Date) -> Int64 {
        let micros = (date.timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(min(max(micros, -9.2e15), 9.2e15)) * 1000
    }

    /// Writes a date in UTC, with six decimals unless they are all zero; nil if the year has not four digits.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        guard abs(interval) < 3e11 else { return nil }
        let micros = Int((interval * 1_000_000).rounded()) + referenceSecond * 1_000_000
        let second = micros.dividedFloor(by: 1_000_000)
        let fraction = micros - second * 1_000_000
        let days = second.dividedFloor(by: 86400)
        let time = second - days * 86400
        let (year, month, day) = civil(days)
        guard (0...9999).contains(year) else { return nil }
        let date = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
        let clock = "\(pad(time / 3600, 2)):\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2))"
        return fraction == 0 ? "\(date)T\(clock)Z" : "\(date)T\(clock).\(pad(fraction, 6))Z"
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// 2001-01-01T00:00:00Z, Foundation's zero, in seconds since 1970.
    private static let referenceSecond = 978_307_200

    /// Days since 1970-01-01 as a date, in years that begin in March, so that the leap day is the last of its year.
    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension Int {
    fileprivate func dividedFloor(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
