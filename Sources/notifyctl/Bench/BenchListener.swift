// The listening process of `bench`: takes every message in the body of a `for await`, checks its number, and tells how
// far it is.

import Notify

/// Takes the messages of a run.
struct BenchListener: Sendable {
    let run: BenchRun
    let number: Int
    let center: NotifyCenter

    func work() async throws(NotifyError) {
        switch run.kind {
        case .raw, .rawLatency:
            let messages = center.rawMessages(matching: NotifyCenter.Pattern(BenchSample.channel))
            try await begin()
            try await take(messages)
        case .typed, .typedLatency:
            let messages = center.messages(for: BenchSample.self)
            try await begin()
            try await take(messages)
        case .mainActor:
            let messages = center.messages(for: BenchSample.self)
            try await begin()
            try await takeOnMainActor(messages)
        }
    }

    /// The messages have ended, and not all were there: the daemon is gone, which this throws, or has refused the
    /// subscription. That is told at any moment, and then the process ends (BenchWorker.swift).
    private func endEarly() async throws(NotifyError) {
        try await center.ready()
        try? await Task.sleep(for: .seconds(5))
        throw NotifyError(.notConnected, "the messages have ended too early")
    }

    private func begin() async throws(NotifyError) {
        try await center.ready()
        try center.enqueue(BenchNews(listener: number, taken: 0))
    }

    private func take(_ messages: NotifyCenter.RawMessages) async throws(NotifyError) {
        var count = Count(run)
        for await message in messages {
            let (number, sent) = message.withPayload(BenchPayload.read) ?? (-1, 0)
            if count.add(number, sent), try isOver(&count) { return }
        }
        try await endEarly()
    }

    private func take(_ messages: NotifyCenter.Messages<BenchSample>) async throws(NotifyError) {
        var count = Count(run)
        for await message in messages {
            if count.add(message.number, message.sent), try isOver(&count) { return }
        }
        try await endEarly()
    }

    @MainActor
    private func takeOnMainActor(_ messages: NotifyCenter.Messages<BenchSample>) async throws(NotifyError) {
        var count = Count(run)
        for await message in messages {
            if count.add(message.number, message.sent), try isOver(&count) { return }
        }
        try await endEarly()
    }

    /// Tells how far it is; answers whether all messages are there.
    private func isOver(_ count: inout Count) throws(NotifyError) -> Bool {
        let isOver = count.taken == run.total
        try center.enqueue(BenchCredit(listener: number, taken: count.taken))
        guard isOver || count.isNewsworthy else { return false }
        try center.enqueue(BenchNews(listener: number, taken: count.taken, result: isOver ? count.result : nil))
        return isOver
    }

    /// What was taken so far.
    private struct Count {
        let run: BenchRun
        let stride: Int
        private(set) var taken = 0
        private var began: UInt64 = 0
        private var ended: UInt64 = 0
        private var misplaced = 0
        private var latencies = Histogram()
        /// The number that is due; only a single poster's messages have an order.
        private var due = 0

        init(_ run: BenchRun) {
            self.run = run
            stride = run.stride
        }

        /// Counts a message; answers whether it is time to tell.
        mutating func add(_ number: Int, _ sent: UInt64) -> Bool {
            if sent > 0 {
                let now = Watch.now()
                latencies.add(now > sent ? now - sent : 0)
            }
            if taken == 0 { began = Watch.now() }
            taken += 1
            if run.posters == 1 {
                if number != due { misplaced += 1 }
                due = number + 1
            }
            if taken == run.total { ended = Watch.now() }
            return taken % stride == 0 || taken == run.total
        }

        /// About a hundred times in a run.
        var isNewsworthy: Bool { taken / stride % max(1, run.total / stride / 100) == 0 }

        var result: BenchResult {
            BenchResult(nanoseconds: ended - began, misplaced: misplaced, latencies: latencies)
        }
    }
}
