// The mailbox of one consumer: the connection puts messages in, one task takes them out. What is decided is decided
// under the lock; tasks are resumed after it.

import NotifyLock

final class Feed: Sendable {
    typealias Buffer = FeedBuffer<MessageRun>
    /// Is told that it had to wait.
    typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State: Sendable {
        var buffer: Buffer
        var waiters: [(id: UInt64, continuation: Waiter)] = []
        var nextWaiter: UInt64 = 0
        var isEnded = false
        var failure: NotifyError?
        /// Whether nothing more is read for its sake.
        var holdsUp = false
        /// Whether it has dropped something since it was last empty.
        var isSlow = false
    }

    /// Bytes of messages that wait at most, whatever their number.
    static let byteLimit = 64 << 20

    let id: UInt64
    let counters: Counters
    /// How many messages a reader takes at a time: many for speed, few enough that the bound still means something.
    private let chunk: Int
    private let state: Locked<State>
    private let onRoom: (@Sendable (UInt64) -> Void)?
    private let activity: Activity?

    /// - Parameters:
    ///   - activity: readers that are woken count there until they run.
    ///   - onRoom: called when it was full, so that nothing more was read, and has room again.
    init(
        id: UInt64, _ policy: NotifyCenter.BufferPolicy, counters: Counters, activity: Activity? = nil,
        onRoom: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.id = id
        self.onRoom = onRoom
        self.activity = activity
        self.counters = counters
        chunk = max(1, min(64, policy.messages / 8))
        state = Locked(
            State(buffer: Buffer(policy: policy.kind, limit: policy.messages, byteLimit: Self.byteLimit)))
    }

    /// Why it ended, if not by its reader or a shutdown.
    var failure: NotifyError? { state.withLock { $0.failure } }

    /// Whether something waits to be taken.
    var hasItems: Bool { state.withLock { !$0.buffer.isEmpty } }

    // MARK: The connection's side

    /// Puts in the messages of a batch that `isWanted`; answers a channel when the reader has just become too slow.
    func append(
        _ batch: MessageBatch, _ range: Range<Int>, where isWanted: (Int) -> Bool
    ) -> NotifyCenter.Channel? {
        let (dropped, slow) = state.withLock { state -> (Int, NotifyCenter.Channel?) in
            guard !state.isEnded else { return (0, nil) }
            var dropped = 0
            var slow: NotifyCenter.Channel?
            func put(_ range: Range<Int>) {
                guard let last = range.last else { return }
                dropped += state.buffer.append(MessageRun(batch, range))
                guard dropped > 0, !state.isSlow else { return }
                state.isSlow = true
                slow = NotifyCenter.RawMessage(batch: batch, index: last).channel
            }
            var start = range.lowerBound
            for index in range where !isWanted(index) {
                put(start..<index)
                start = index + 1
            }
            put(start..<range.upperBound)
            return (dropped, slow)
        }
        if dropped > 0 { counters.addDropped(dropped) }
        return slow
    }

    func append(_ mark: Buffer.Mark) {
        state.withLock { state in
            if !state.isEnded { state.buffer.append(mark) }
        }
        // What the daemon has dropped for this reader counts as what is dropped here.
        if case .gap(let gap) = mark, gap.reason == .overflow, let count = gap.count {
            counters.addDropped(Int(clamping: count))
        }
    }

    /// Whether it has as many messages as it may: then it says when it has room again.
    func holdsUpIfFull() -> Bool {
        state.withLock { state in
            if !state.isEnded, state.buffer.messageCount >= state.buffer.limit { state.holdsUp = true }
            return state.holdsUp
        }
    }

    /// Whether a message came that there was no room for, and none may be lost.
    var hasFailed: Bool { state.withLock { $0.buffer.hasFailed } }

    /// Nothing comes any more; what is in the buffer can still be taken.
    func end(_ failure: NotifyError?) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isEnded = true
            state.failure = failure
        }
    }

    /// Resumes those who wait, if there is something for them.
    func wake() {
        let waiters = state.withLock { state -> [(id: UInt64, continuation: Waiter)] in
            guard !state.waiters.isEmpty, state.isEnded || !state.buffer.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { resume(waiter.continuation) }
    }

    private func resume(_ waiter: Waiter) {
        activity?.begin()
        waiter.resume(returning: true)
    }

    // MARK: The reader's side

    /// Takes what comes next: a mark, or messages up to a chunk. Waits if there is nothing; answers nil at the end or
    /// when the task is cancelled.
    func take(isolation actor: isolated (any Actor)?) async -> Buffer.Item? {
        // Woken, it counts as under way until it has taken something.
        var isCounted = false
        defer { if isCounted { activity?.end() } }
        while !Task.isCancelled {
            let (item, isEnded, hasRoom) = state.withLock { state -> (Buffer.Item?, Bool, Bool) in
                let item = state.buffer.popFirst(chunk)
                if state.buffer.isEmpty { state.isSlow = false }
                let hasRoom = state.holdsUp && state.buffer.messageCount <= state.buffer.limit / 2
                if hasRoom { state.holdsUp = false }
                return (item, state.isEnded, hasRoom)
            }
            if hasRoom { onRoom?(id) }
            if item != nil {
                activity?.enterBody(of: self)
                return item
            }
            if isEnded { break }
            guard await wait(isCounted, isolation: actor) else { continue }
            isCounted = true
            activity?.endRest()
        }
        isLetGo()
        return nil
    }

    /// Nobody takes anything any more.
    func isLetGo() {
        activity?.leaveBody(of: self)
    }

    /// Answers whether there was something to wait for.
    private func wait(_ isCounted: Bool, isolation actor: isolated (any Actor)?) async -> Bool {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let isReady = state.withLock { state in
                    if state.isEnded || !state.buffer.isEmpty || Task.isCancelled { return true }
                    state.waiters.append((id, continuation))
                    activity?.beginRest()
                    if isCounted { activity?.end() }
                    return false
                }
                if isReady { continuation.resume(returning: false) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            if let waiter { resume(waiter.continuation) }
        }
    }
}
