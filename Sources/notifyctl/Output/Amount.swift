// Numbers for people in little room: three digits and a letter. Programs get them whole, with --json.

/// Shortens numbers.
enum Amount {
    /// `999`, `1.2k`, `34k`, `5.6M`.
    static func count(_ value: Double) -> String { short(value, 1000, ["", "k", "M", "G", "T", "P", "E"]) }

    /// `999`, `1.2K`, `34K`, `5.6M`, in powers of 1024.
    static func bytes(_ value: Double) -> String { short(value, 1024, ["", "K", "M", "G", "T", "P", "E"]) }

    /// How many in a second: below ten with a decimal, unless there are none.
    static func rate(_ value: Double) -> String {
        value > 0 && value < 9.95 ? decimal(max(0.1, value)) : count(value)
    }

    /// `0ms`, `999ms`, `1.2s`, `34s`, `5m`, `6h`, `7d`.
    static func milliseconds(_ value: UInt64) -> String {
        switch value {
        case 0..<1000: "\(value)ms"
        case 1000..<10_000: "\(decimal(Double(value / 100) / 10))s"
        case 10_000..<60_000: "\(value / 1000)s"
        case 60_000..<3_600_000: "\(value / 60_000)m"
        case 3_600_000..<86_400_000: "\(value / 3_600_000)h"
        default: "\(value / 86_400_000)d"
        }
    }

    private static func short(_ value: Double, _ base: Double, _ letters: [String]) -> String {
        var (value, place) = (max(0, value), 0)
        while value >= 999.5, place < letters.count - 1 { (value, place) = (value / base, place + 1) }
        if place == 0 || value >= 9.95 { return "\(Int(min(value, 9999).rounded()))\(letters[place])" }
        return decimal(value) + letters[place]
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
