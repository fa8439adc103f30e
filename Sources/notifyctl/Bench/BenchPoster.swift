// The posting process of `bench`: posts its messages one after the other and stays within the window of the slowest
// listener, whose news it hears like everybody else.

import Notify

/// Posts the messages of a run.
struct BenchPoster {
    let run: BenchRun
    let center: NotifyCenter

    private var payload: BenchPayload
    private var news: NotifyCenter.Messages<BenchNews>.AsyncIterator
    /// How far each listener is.
    private var taken: [Int]
    private var slowest = 0

    init(_ run: BenchRun, _ center: NotifyCenter) {
        self.run = run
        self.center = center
        payload = BenchPayload(size: run.size)
        news = center.messages(for: BenchNews.self).makeAsyncIterator()
        taken = Array(repeating: 0, count: run.listeners)
    }

    mutating func work() async throws(NotifyError) {
        try await center.ready()
        var last: NotifyCenter.PendingReceipt?
        for number in 0..<run.count {
            try await waitForTurn(number)
            if run.kind.isLatency {
                try await post(number)
            } else {
                last = try await submit(number)
            }
        }
        // Receipts come in order: with the last one all have come.
        _ = try await last?.value
    }

    /// All posters are about equally far, so each counts for all.
    private mutating func waitForTurn(_ number: Int) async throws(NotifyError) {
        while number * run.posters - slowest >= run.window {
            // It ends when the daemon is gone; posting then says why.
            guard let next = await news.next() else { return }
            guard taken.indices.contains(next.listener) else { continue }
            taken[next.listener] = max(taken[next.listener], next.taken)
            slowest = taken.min() ?? 0
        }
    }

    private mutating func post(_ number: Int) async throws(NotifyError) {
        let now = Watch.now()
        if run.kind.isTyped {
            try await center.post(BenchSample(number: number, sent: now, label: "bench"))
        } else {
            payload.set(number: number, sent: now)
            try await center.post(payload: payload.bytes, to: BenchSample.channel)
        }
    }

    private mutating func submit(_ number: Int) async throws(NotifyError) -> NotifyCenter.PendingReceipt {
        if run.kind.isTyped {
            return try await center.submit(BenchSample(number: number, sent: 0, label: "bench"))
        }
        payload.set(number: number, sent: 0)
        return try await center.submit(payload: payload.bytes, to: BenchSample.channel)
    }
}
