// What `bench` posts: a small Codable struct, or the same as bytes with a filling, of which only digits change.

import Notify
import NotifyLock

/// A typed message of `bench`.
struct BenchSample: NotifyCenter.Message {
    static var channel: NotifyCenter.Channel { BenchChannels.current.messages }
    static let type = "BenchSample"

    var number: Int
    /// When it was posted, on the monotonic clock; 0 where nobody wants to know.
    var sent: UInt64
    var label: String
}

/// What a listener tells the posters: how far it is.
struct BenchCredit: NotifyCenter.Message {
    static var channel: NotifyCenter.Channel { BenchChannels.current.credit }
    static let type = "BenchCredit"

    var listener: Int
    var taken: Int
}

/// What a listener tells the command: when it is ready, how far it is, and what it measured.
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
    /// Where listeners say how far they are: to the posters often, to the command now and then.
    var credit: NotifyCenter.Channel
    var news: NotifyCenter.Channel

    private static let present = Locked(
        BenchChannels(messages: "notifyctl.bench", credit: "notifyctl.bench", news: "notifyctl.bench"))

    static var current: BenchChannels { present.withLock { $0 } }

    static func use(_ run: BenchRun) {
        present.withLock { present in
            present = BenchChannels(
                messages: run.channel("messages"), credit: run.channel("credit"), news: run.channel("news"))
        }
    }
}
