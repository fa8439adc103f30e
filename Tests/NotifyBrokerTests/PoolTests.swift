// The arithmetic of fair shares, by itself.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("A pool")
struct PoolTests {
    /// Takes as much as it may, in steps of at most `step`.
    private func takeAll(_ pool: inout Pool, _ share: inout Int, of size: Int, step: Int) {
        var step = step
        while step > 0 {
            if pool.allows(step, on: share, of: size) { pool.change(&share, by: step) } else { step /= 2 }
        }
    }

    @Test("gives the first half, the second a sixth, the third a twelfth, and not one more")
    func shares() {
        var pool = Pool()
        for (number, expected) in [600, 200, 100].enumerated() {
            var share = 0
            #expect(pool.allows(expected, on: 0, of: 1200))
            #expect(!pool.allows(expected + 1, on: 0, of: 1200))
            takeAll(&pool, &share, of: 1200, step: 7)
            #expect(share == expected)
            #expect(pool.holders == number + 1)
        }
    }

    @Test(
        "leaves whoever comes after n greedy ones 1/((n+1)(n+2)) of it, however they take",
        arguments: 0..<200 as Range<UInt64>)
    func minimum(seed: UInt64) {
        var random = SplitMix(state: seed)
        let size = Int.random(in: 1_000_000...1 << 34, using: &random)
        let greedy = Int.random(in: 0...60, using: &random)
        var pool = Pool()
        var shares = [Int](repeating: 0, count: greedy)
        // Some of what was taken is given back on the way.
        for _ in 0..<300 where greedy > 0 {
            let one = Int.random(in: 0..<greedy, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                pool.change(&shares[one], by: -Int.random(in: 0...shares[one], using: &random))
            } else {
                takeAll(&pool, &shares[one], of: size, step: Int.random(in: 1...size, using: &random))
            }
        }
        for one in shares.indices { takeAll(&pool, &shares[one], of: size, step: size) }
        let guaranteed = size / ((greedy + 1) * (greedy + 2))
        #expect(pool.allows(guaranteed, on: 0, of: size), "\(greedy) greedy ones of \(size)")
        #expect(pool.used == shares.reduce(0, +) && pool.used <= size)
        #expect(pool.holders == shares.count { $0 > 0 })
        for one in shares.indices { pool.change(&shares[one], by: -shares[one]) }
        #expect(pool.used == 0 && pool.holders == 0)
    }

    @Test("tells how much more somebody may have", arguments: [0, 1, 100, 333] as [Int])
    func most(share: Int) {
        for (others, size) in [([0], 1000), ([50], 1000), ([200, 9], 999), ([700], 1000), ([700, 1], 10_007)] {
            var pool = Pool()
            for other in others {
                var none = 0
                pool.change(&none, by: other)
            }
            var own = 0
            pool.change(&own, by: share)
            let most = pool.most(on: own, of: size)
            #expect(most == 0 || pool.allows(most, on: own, of: size))
            #expect(!pool.allows(most + 1, on: own, of: size))
        }
    }

    @Test("gives nobody anything beyond its size, and nothing is allowed to those who hold too much since it shrank")
    func smaller() {
        var pool = Pool()
        var share = 0
        pool.change(&share, by: 100)
        #expect(!pool.allows(1, on: share, of: 50))
        #expect(!pool.allows(1, on: 0, of: 100))
        pool.change(&share, by: -80)
        #expect(pool.allows(5, on: share, of: 50))
        #expect(!pool.allows(6, on: share, of: 50))
    }

    @Test("that all keep giving back and asking anew comes to equal parts of half of it")
    func equal() {
        var pool = Pool()
        let size = 1_000_000
        var shares = [Int](repeating: 0, count: 10)
        // A full queue: room is made at its other end until the new one fits.
        for _ in 0..<2000 {
            for one in shares.indices {
                while !pool.allows(1000, on: shares[one], of: size), shares[one] > 0 {
                    pool.change(&shares[one], by: -1000)
                }
                if pool.allows(1000, on: shares[one], of: size) { pool.change(&shares[one], by: 1000) }
            }
        }
        for share in shares { #expect(abs(share - size / 20) <= 2000) }
    }
}
