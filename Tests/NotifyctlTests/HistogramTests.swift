// The histogram that `bench` counts latencies in.

import Testing

@testable import notifyctl

@Suite("A histogram")
struct HistogramTests {
    @Test("keeps a value in a bucket that holds it, no wider than a thirty-second of it")
    func buckets() {
        let values: [UInt64] = [0, 1, 31, 32, 63, 64, 65, 127, 128, 1000, 20_871, 1_000_000_007, 1 << 40 + 1]
        for value in values {
            let bucket = Histogram.bucket(of: value)
            let (low, high) = (Histogram.lowerBound(of: bucket), Histogram.upperBound(of: bucket))
            #expect(low <= value && value <= high, "\(value) in \(low)...\(high)")
            #expect(high - low <= value / 32, "\(value) in \(low)...\(high)")
        }
    }

    @Test("has neither holes nor overlaps between its buckets")
    func neighbours() {
        for bucket in 1..<1000 {
            #expect(Histogram.bucket(of: Histogram.lowerBound(of: bucket)) == bucket)
            #expect(Histogram.bucket(of: Histogram.lowerBound(of: bucket) - 1) == bucket - 1)
        }
    }

    @Test("tells quantiles: the value that so large a share does not exceed")
    func quantiles() {
        var histogram = Histogram()
        for value in 1...50 { histogram.add(UInt64(value)) }
        #expect(histogram.quantile(0.5) == 25)
        #expect(histogram.quantile(0.52) == 26)
        #expect(histogram.quantile(0.99) == 50)
        #expect(histogram.quantile(1) == 50)
        #expect(histogram.longest == 50)
        #expect(Histogram().quantile(0.5) == 0)
    }

    @Test("never tells a quantile above the longest value")
    func bound() {
        var histogram = Histogram()
        histogram.add(1_000_001)
        #expect(histogram.quantile(0.5) == 1_000_001)
    }

    @Test("adds up with another one, whichever is longer")
    func sum() {
        var short = Histogram()
        short.add(3)
        var long = Histogram()
        long.add(5000)
        long.add(3)
        var sum = short
        sum.add(long)
        long.add(short)
        #expect(sum == long)
        #expect(sum.count == 3)
        #expect(sum.longest == 5000)
    }

    @Test("shows every doubling between the first and the last, also the empty ones")
    func doublings() {
        var histogram = Histogram()
        for value: UInt64 in [1000, 1500, 2047, 9000] { histogram.add(value) }
        #expect(histogram.doublings.map(\.from) == [512, 1024, 2048, 4096, 8192])
        #expect(histogram.doublings.map(\.count) == [1, 2, 0, 0, 1])
        #expect(Histogram().doublings.isEmpty)
    }
}
