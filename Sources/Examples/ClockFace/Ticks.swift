// A timer as a sequence: one element at each full interval of a clock, without drift. It goes by any clock, so that a test
// can move the time by hand.

struct Ticks<C: Clock>: AsyncSequence, Sendable {
    typealias Element = Void
    typealias Failure = Never

    private let clock: C
    private let interval: C.Duration
    private let start: C.Instant

    init(every interval: C.Duration, of clock: C) {
        self.clock = clock
        self.interval = interval
        start = clock.now
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let clock: C
        let interval: C.Duration
        var last: C.Instant

        mutating func next() async -> Void? {
            last = last.advanced(by: interval)
            do { try await clock.sleep(until: last, tolerance: nil) } catch { return nil }
            return ()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(clock: clock, interval: interval, last: start)
    }
}
