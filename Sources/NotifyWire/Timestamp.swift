// Times as clients may write them: RFC 3339 with any number of decimals, in UTC or with an offset.

package enum Timestamp {
    /// Nanoseconds since 1970-01-01T00:00:00Z; decimals beyond the ninth are cut off. nil: no such time, or one that
    /// 64 bits of nanoseconds do not reach (before 1677 or after 2262).
    package static func nanoseconds(_ text: ByteSlice) -> Int64? {
        guard let moment = moment(text) else { return nil }
        let (scaled, overflow) = moment.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(moment.nanoseconds)
        return overflow || carry ? nil : sum
    }

    /// Whole seconds since 1970-01-01T00:00:00Z and the nanoseconds behind them, for all years of four digits; nil: no
    /// such time.
    package static func moment(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)? {
        var reader = Reader(at: text.base, end: text.end)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2),
            reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2),
            reader.take(":"), let second = reader.number(digits: 2), let fraction = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        guard 1...12 ~= month, 1...daysOf(month, year) ~= day, hour < 24, minute < 60, second <= 60 else { return nil }
        let seconds = daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return (seconds, fraction)
    }

    private static func daysOf(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// In years that begin in March, so that the leap day is the last of its year.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private struct Reader {
        var at: UnsafePointer<UInt8>
        let end: UnsafePointer<UInt8>

        var isAtEnd: Bool { at == end }

        mutating func digit() -> Int64? {
            guard at < end, at.pointee &- 48 < 10 else { return nil }
            defer { at += 1 }
            return Int64(at.pointee &- 48)
        }

        mutating func number(digits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard at < end, at.pointee == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        /// Nanoseconds; 0 when there are no decimals.
        mutating func fraction() -> Int64? {
            guard take(".") else { return 0 }
            guard var fraction = digit() else { return nil }
            var digits = 1
            while let next = digit() {
                guard digits < 9 else { continue }
                fraction = fraction * 10 + next
                digits += 1
            }
            while digits < 9 {
                fraction *= 10
                digits += 1
            }
            return fraction
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int64? {
            if take("Z") || take("z") { return 0 }
            let isWest = take("-")
            guard isWest || take("+"), let hours = number(digits: 2), take(":"), let minutes = number(digits: 2),
                hours < 24, minutes < 60
            else { return nil }
            return (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
    }
}
