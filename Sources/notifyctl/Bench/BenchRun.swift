// One measurement of `bench`: what is posted, how much of it, and where. Made by the command, passed to the workers as
// words; everything that the processes have to tell each other goes over channels of the run's own.

import Notify

/// One measurement.
struct BenchRun: Sendable, Equatable {
    /// What is measured.
    enum Kind: String, Sendable, CaseIterable {
        case raw, typed
        /// Typed messages, taken on the main actor.
        case mainActor = "main-actor"
        /// One message at a time, from before `post` to the body of the loop.
        case rawLatency = "raw-latency"
        case typedLatency = "typed-latency"

        var isLatency: Bool { self == .rawLatency || self == .typedLatency }
        var isTyped: Bool { self != .raw && self != .rawLatency }
    }

    var kind: Kind
    /// Tells runs on one daemon apart: the process and the number of the run.
    var name: String
    var posters: Int
    var listeners: Int
    /// Messages of each poster.
    var count: Int
    /// Bytes of a raw payload.
    var size: Int

    /// Messages that reach each listener.
    var total: Int { posters * count }

    /// A channel of this run alone.
    func channel(_ last: String) -> NotifyCenter.Channel {
        NotifyCenter.Channel(rawValue: "notifyctl.bench.\(name).\(last)") ?? "notifyctl.bench"
    }

    /// How many messages all posters together may be ahead of the slowest listener, so that no queue on the way has to
    /// drop any: half a megabyte, and never more than a fraction of the 65,536 that wait by default.
    var window: Int { kind.isLatency ? 1 : min(8192, max(1, (1 << 19) / (size + 40))) }

    /// A listener tells its news after so many messages.
    var stride: Int { kind.isLatency ? 1 : max(1, window / 8) }

    /// The words that stand for it on a worker's command line.
    var words: [String] { [kind.rawValue, name, "\(posters)", "\(listeners)", "\(count)", "\(size)"] }

    init(kind: Kind, name: String, posters: Int, listeners: Int, count: Int, size: Int) {
        self.kind = kind
        self.name = name
        self.posters = posters
        self.listeners = listeners
        self.count = count
        self.size = size
    }

    /// Reads what `words` has written.
    init(_ words: some Sequence<String>) throws(Failure) {
        let words = Array(words)
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        guard words.count == 6, numbers.count == 4, let kind = Kind(rawValue: words[0]) else {
            throw Failure(.usage, "these are not the words of a run")
        }
        self.init(
            kind: kind, name: words[1], posters: numbers[0], listeners: numbers[1], count: numbers[2],
            size: numbers[3])
    }
}
