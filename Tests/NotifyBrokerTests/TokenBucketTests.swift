// Rates, by themselves: time is an argument.

import Testing

@testable import NotifyBroker

@Suite("A token bucket")
struct TokenBucketTests {
    private let second: UInt64 = 1_000_000_000

    private func wait(_ bucket: inout TokenBucket, for tokens: Int, at time: UInt64) -> UInt64 {
        bucket.wait(for: tokens, at: time)
    }

    @Test("gives a burst at once, not one more, and then as many as its rate says")
    func burst() {
        var bucket = TokenBucket(rate: 10, burst: 20, at: 5 * second)
        for _ in 1...20 {
            #expect(wait(&bucket, for: 1, at: 5 * second) == 0)
            bucket.take(1)
        }
        #expect(wait(&bucket, for: 1, at: 5 * second) == second / 10)
        #expect(wait(&bucket, for: 1, at: 5 * second + second / 10 - 1) > 0)
        #expect(wait(&bucket, for: 1, at: 5 * second + second / 10) == 0)
        #expect(wait(&bucket, for: 3, at: 5 * second + second / 10) == second / 5)
    }

    @Test("loses nothing to rounding", arguments: [1, 3, 7, 999_999, 1_000_003, TokenBucket.maximumRate])
    func drift(rate: Int) {
        var bucket = TokenBucket(rate: rate, burst: 1, at: 0)
        var time: UInt64 = 0
        var taken = 0
        // Looked at far more often than tokens come, at odd times.
        while time < 3 * second, taken < 100_000 {
            let wait = bucket.wait(for: 1, at: time)
            if wait == 0 {
                bucket.take(1)
                taken += 1
            }
            time += max(1, min(wait, 1_234_567))
        }
        let expected = Double(rate) * Double(time) / 1e9
        if taken < 100_000 { #expect(abs(Double(taken) - expected) <= 2, "\(taken) of \(expected)") }
        #expect(Double(taken) <= expected + 2)
    }

    @Test("that is asked for more than fits gives it when it is full, and owes it")
    func debt() {
        var bucket = TokenBucket(rate: 10, burst: 10, at: 0)
        bucket.take(1)
        #expect(wait(&bucket, for: 100, at: 0) == second / 10)
        #expect(wait(&bucket, for: 100, at: second / 10) == 0)
        bucket.take(100)
        #expect(wait(&bucket, for: 1, at: second / 10) == 9 * second + second / 10)
    }

    @Test("does not overflow after ages, with the highest rate and the longest burst")
    func ages() {
        var bucket = TokenBucket(rate: TokenBucket.maximumRate, burst: TokenBucket.maximumRate * 3600, at: 0)
        bucket.take(1 << 30)
        let isFull = bucket.isFull(at: .max)
        #expect(isFull)
        #expect(wait(&bucket, for: 1 << 30, at: .max) == 0)
    }

    @Test("is not moved by a clock that goes back")
    func back() {
        var bucket = TokenBucket(rate: 1, burst: 1, at: 9 * second)
        bucket.take(1)
        #expect(wait(&bucket, for: 1, at: 8 * second) == second)
        #expect(wait(&bucket, for: 1, at: 10 * second) == 0)
    }

    @Test("without a rate gives everything, and one that gets a rate begins full")
    func unbounded() {
        var bucket = TokenBucket()
        bucket.take(1_000_000)
        #expect(wait(&bucket, for: 1 << 30, at: 0) == 0)
        let isFull = bucket.isFull(at: 0)
        #expect(isFull)
        bucket.change(rate: 5, burst: 5, at: second)
        for _ in 1...5 { bucket.take(1) }
        #expect(wait(&bucket, for: 1, at: second) > 0)
        // What was used up stays used up with another rate.
        bucket.change(rate: 1, burst: 100, at: second)
        #expect(wait(&bucket, for: 1, at: second) == second)
    }
}
