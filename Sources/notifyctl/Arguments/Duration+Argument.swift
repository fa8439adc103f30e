// Durations as people write them: `500ms`, `2s`, `1.5h`; a plain number is seconds.

extension Duration {
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000), ("", 1_000_000_000),
    ]

    /// The longest duration that is taken: more is a slip of the finger, and sums of it would overflow.
    static let longestArgument: Duration = .seconds(86_400 * 36_525)

    /// Reads an argument; nil if it is not a duration.
    init?(argument text: String) {
        let bytes = text.utf8
        let digits = bytes.prefix(while: { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        var rest = bytes.dropFirst(digits.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = rest.prefix(while: { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
            rest = rest.dropFirst(fraction.count)
        }
        let name = String(Substring(rest))
        guard !digits.isEmpty || !fraction.isEmpty, let unit = Self.units.first(where: { $0.name == name }) else {
            return nil
        }
        var total: Int64 = 0
        for digit in digits {
            let (tens, overflow) = total.multipliedReportingOverflow(by: 10)
            total = tens &+ Int64(digit - UInt8(ascii: "0"))
            if overflow || total < 0 { return nil }
        }
        let (whole, overflow) = total.multipliedReportingOverflow(by: unit.nanoseconds)
        if overflow { return nil }
        var part: Int64 = 0
        var place = unit.nanoseconds
        for digit in fraction.prefix(9) {
            // Tenths of a minute are not a whole power of ten nanoseconds, but every place down to 1 ns divides.
            part += place * Int64(digit - UInt8(ascii: "0")) / 10
            place /= 10
        }
        self = .nanoseconds(whole) + .nanoseconds(part)
        if self > Self.longestArgument { return nil }
    }

    /// The duration in nanoseconds; those taken as arguments fit by far.
    var inNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
