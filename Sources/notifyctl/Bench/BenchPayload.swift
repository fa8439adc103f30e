// What `bench` posts as bytes: a struct like the typed one, with a filling, of which only digits change.

/// A raw payload: `{"number":…,"sent":…,"fill":"xxx"}` with digits at fixed places.
struct BenchPayload: Sendable {
    /// Where a number stands. It has a fixed length, and begins with a 1 of no meaning: JSON has no leading zeros.
    private struct Place {
        let start: Int
        let length: Int
    }

    private static let front = Array("{\"number\":".utf8)
    private static let middle = Array(",\"sent\":".utf8)
    private static let back = Array(",\"fill\":\"".utf8)
    private static let number = Place(start: front.count, length: 11)
    private static let sent = Place(start: front.count + number.length + middle.count, length: 19)
    private static let shortest = sent.start + sent.length + back.count + 2

    private(set) var bytes: [UInt8]

    /// A payload of `size` bytes, or the shortest that is possible.
    init(size: Int) {
        func zero(_ place: Place) -> [UInt8] { Array("1".utf8) + Array(repeating: 48, count: place.length - 1) }
        let fill = Array(repeating: UInt8(ascii: "x"), count: max(0, size - Self.shortest))
        bytes = Self.front + zero(Self.number) + Self.middle + zero(Self.sent) + Self.back + fill + Array("\"}".utf8)
    }

    /// - Parameter sent: 0 leaves it as it is, 0 at first.
    mutating func set(number: Int, sent: UInt64) {
        write(UInt64(number), at: Self.number)
        if sent > 0 { write(sent, at: Self.sent) }
    }

    private mutating func write(_ number: UInt64, at place: Place) {
        bytes.withUnsafeMutableBufferPointer { bytes in
            var rest = number
            for index in (place.start + 1..<place.start + place.length).reversed() {
                bytes[index] = 48 &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    /// The numbers in a payload that came; nil if it is none of ours.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (number: Int, sent: UInt64)? {
        guard bytes.count >= shortest, let number = read(bytes, at: number), let sent = read(bytes, at: sent) else {
            return nil
        }
        return (Int(number), sent)
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, at place: Place) -> UInt64? {
        guard bytes[place.start] == UInt8(ascii: "1") else { return nil }
        var value: UInt64 = 0
        for index in place.start + 1..<place.start + place.length {
            guard bytes[index] &- 48 < 10 else { return nil }
            value = value &* 10 &+ UInt64(bytes[index] &- 48)
        }
        return value
    }
}
