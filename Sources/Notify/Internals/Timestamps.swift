// Times as RFC 3339 writes them, with as many decimals as there are: what the daemon stamps messages with, and how dates
// stand in payloads.

import FoundationEssentials

enum Timestamps {
    /// Reads `2026-11-29T12:00:00.123456Z`, also with an offset instead of `Z`; nil if it is anything else.
    static func date(_ text: String) -> Date? {
        var rest = Substring(text)[...].utf8
        func number(_ digits: Int) -> Int? {
            guard rest.count >= digits else { return nil }
            var value = 0
            for byte in rest.prefix(digits) {
                guard byte &- 48 < 10 else { return nil }
                value = value * 10 + Int(byte) - 48
            }
            rest = rest.dropFirst(digits)
            return value
        }
        func take(_ characters: String) -> Bool {
            guard let byte = rest.first, characters.utf8.contains(byte) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt "),
            let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        if take(".") {
            let digits = rest.prefix { $0 &- 48 < 10 }
            guard !digits.isEmpty, let value = Double("0." + String(Substring(digits))) else { return nil }
            fraction = value
            rest = rest.dropFirst(digits.count)
        }
        var offset = 0
        if !take("Zz") {
            let isWest = rest.first == UInt8(ascii: "-")
            guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        let seconds = dayNumber(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds - referenceSecond) + fraction)
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

    /// Days since 1970-01-01, in years that begin in March, so that the leap day is the last of its year.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedFloor(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

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
