// The posting process of `bench`: posts its messages one after the other and stays within the window of the slowest
// listener, whose credits it hears like everybody else.

import Notify

/// Posts the messages of a run.
struct BenchPoster {
    let run: BenchRun
    let center: NotifyCenter

    private let channel = BenchSample.channel
    private var payload: BenchPayload
    private var credits: NotifyCenter.Messages<BenchCredit>.AsyncIterator
    /// How far each listener is.
    private var taken: [Int]
    private var slowest = 0

    init(_ run: BenchRun, _ center: NotifyCenter) {
        self.run = run
        self.center = center
        payload = BenchPayload(size: run.size)
        credits = center.messages(for: BenchCredit.self).makeAsyncIterator()
        taken = Array(repeating: 0, count: run.listeners)
    }

    mutating func work() async throws(NotifyError) {
        try await center.ready()
        for number in 0..<run.count {
            try await waitForTurn(number)
            try post(number)
        }
        // Requests are handled in order: this one after all posts.
        try await center.ready()
    }

    /// All posters are about equally far, so each counts for all.
    private mutating func waitForTurn(_ number: Int) async throws(NotifyError) {
        while number * run.posters - slowest >= run.window {
            // It ends when the daemon is gone, of which posting then tells, or when the subscription is refused.
            guard let next = await credits.next() else { return }
            guard taken.indices.contains(next.listener) else { continue }
            taken[next.listener] = max(taken[next.listener], next.taken)
            slowest = taken.min() ?? 0
        }
    }

    /// Without a receipt, as the generators of other benchmarks post.
    private mutating func post(_ number: Int) throws(NotifyError) {
        let now = run.kind.isLatency ? Watch.now() : 0
        if run.kind.isTyped { return try center.enqueue(BenchSample(number: number, sent: now, label: "bench")) }
        payload.set(number: number, sent: now)
        try center.enqueue(payload: payload.bytes, to: channel)
    }
}
