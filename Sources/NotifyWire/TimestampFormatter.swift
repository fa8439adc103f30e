// Times as the daemon writes them: RFC 3339 in UTC with six decimals, e.g. 2026-11-29T12:00:00.123456Z.

/// Formats times and keeps the last one: a daemon stamps many messages within the same microsecond.
package struct TimestampFormatter: ~Copyable {
    package static let length = 27

    private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: TimestampFormatter.length + 16)
    private var second: Int64 = .min
    private var microsecond: Int64 = -1
    private var last: Int64?

    package init() {
        let blank: StaticString = "0000-00-00T00:00:00.000000Z"
        text.initialize(repeating: 0, count: Self.length + 16)
        text.update(from: blank.utf8Start, count: Self.length)
    }

    deinit { text.deallocate() }

    /// The text for `nanoseconds` since 1970-01-01T00:00:00Z; valid until the next call.
    package mutating func format(_ nanoseconds: Int64) -> ByteSlice {
        if nanoseconds == last { return ByteSlice(text, Self.length) }
        last = nanoseconds
        let micros = nanoseconds.dividedFloor(by: 1000)
        let newSecond = micros.dividedFloor(by: 1_000_000)
        if newSecond != second {
            second = newSecond
            writeDate(newSecond)
        }
        let fraction = micros - newSecond * 1_000_000
        if fraction != microsecond {
            microsecond = fraction
            put(fraction, digits: 6, at: 20)
        }
        return ByteSlice(text, Self.length)
    }

    private func writeDate(_ second: Int64) {
        let day = second.dividedFloor(by: 86400)
        let time = second - day * 86400
        // Days to civil date in the proleptic Gregorian calendar, with years that begin in March, so that the leap
        // day is the last of its year.
        let shifted = day + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        put(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), digits: 4, at: 0)
        put(month, digits: 2, at: 5)
        put(dayOfYear - (153 * marchMonth + 2) / 5 + 1, digits: 2, at: 8)
        put(time / 3600, digits: 2, at: 11)
        put(time / 60 % 60, digits: 2, at: 14)
        put(time % 60, digits: 2, at: 17)
    }

    private func put(_ number: Int64, digits: Int, at start: Int) {
        var rest = number
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            text[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
    }
}

extension Int64 {
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
