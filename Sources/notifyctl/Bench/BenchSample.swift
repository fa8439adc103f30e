// What `bench` posts: a small Codable struct, or the same as bytes with a filling, of which only digits change.

import Notify
import Synchronization

/// A typed message of `bench`.
struct BenchSample: NotifyCenter.Message {
    static var channel: NotifyCenter.Channel { BenchChannels.current.messages }
    static let type = "BenchSample"

    var number: Int
    /// When it was posted, on the monotonic clock; 0 where nobody wants to know.
    var sent: UInt64
    var label: String
}

/// What a listener says: when it is ready, how far it is, and what it measured.
struct BenchNews: NotifyCenter.Message {
    static var channel: NotifyCenter.Channel { BenchChannels.current.news }
    static let type = "BenchNews"

    var listener: Int
    /// Messages taken so far; 0 when it has subscribed.
    var taken: Int
    /// At the end.
    var result: BenchResult?
}

/// What one listener measured.
struct BenchResult: Codable, Sendable {
    /// From the first message to the last.
    var nanoseconds: UInt64
    /// Messages that did not bear the number that was due.
    var misplaced: Int
    var latencies: Histogram
}

/// The channels of the run that this process works on. A type of message names its channel once and for all; here that
/// depends on the run.
struct BenchChannels: Sendable {
    /// Where the messages go.
    var messages: NotifyCenter.Channel
    /// Where listeners say how far they are; every poster and the command itself listen there.
    var news: NotifyCenter.Channel

    private static let present = Mutex(BenchChannels(messages: "notifyctl.bench", news: "notifyctl.bench"))

    static var current: BenchChannels { present.withLock { $0 } }

    static func use(_ run: BenchRun) {
        present.withLock { $0 = BenchChannels(messages: run.channel("messages"), news: run.channel("news")) }
    }
}

/// A raw payload: `{"number":…,"sent":…,"fill":"xxx"}` with digits at fixed places.
struct BenchPayload: Sendable {
    private static let front = Array("{\"number\":".utf8)
    private static let middle = Array(",\"sent\":".utf8)
    private static let numberPlace = front.count
    private static let sentPlace = front.count + digits + middle.count
    /// Every number has so many digits; the first is a 1, because JSON has no leading zeros.
    private static let digits = 19
    private static let base: UInt64 = 1_000_000_000_000_000_000
    private static let shortest = makeBytes(fill: 0).count

    private(set) var bytes: [UInt8]

    /// A payload of `size` bytes, or the shortest that is possible.
    init(size: Int) { bytes = Self.makeBytes(fill: max(0, size - Self.shortest)) }

    private static func makeBytes(fill: Int) -> [UInt8] {
        let number = Array("\(base)".utf8)
        return front + number + middle + number + Array(",\"fill\":\"".utf8)
            + Array(repeating: UInt8(ascii: "x"), count: fill) + Array("\"}".utf8)
    }

    mutating func set(number: Int, sent: UInt64) {
        write(Self.base + UInt64(number), at: Self.numberPlace)
        write(Self.base + sent, at: Self.sentPlace)
    }

    private mutating func write(_ number: UInt64, at place: Int) {
        var rest = number
        for index in (place..<place + Self.digits).reversed() {
            bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// The numbers in a payload that came; nil if it is none of ours.
    static func read(_ bytes: some RandomAccessCollection<UInt8>) -> (number: Int, sent: UInt64)? {
        guard bytes.count >= shortest, let number = read(bytes, at: numberPlace), let sent = read(bytes, at: sentPlace)
        else { return nil }
        return (Int(number), sent)
    }

    private static func read(_ bytes: some RandomAccessCollection<UInt8>, at place: Int) -> UInt64? {
        var value: UInt64 = 0
        for byte in bytes.dropFirst(place).prefix(digits) {
            guard byte &- 48 < 10 else { return nil }
            value = value &* 10 &+ UInt64(byte &- 48)
        }
        return value >= base ? value - base : nil
    }
}
