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

    @Test("shows every doubling between the first and the last, also the empty ones, and parts of them")
    func rows() {
        var histogram = Histogram()
        for value: UInt64 in [1000, 1500, 2047, 9000] { histogram.add(value) }
        let doublings = histogram.rows(perDoubling: 1)
        #expect(doublings.map(\.from) == [512, 1024, 2048, 4096, 8192])
        #expect(doublings.map(\.count) == [1, 2, 0, 0, 1])
        let halves = histogram.rows(perDoubling: 2)
        #expect(halves.map(\.from) == [768, 1024, 1536, 2048, 3072, 4096, 6144, 8192])
        #expect(halves.map(\.count) == [1, 1, 1, 0, 0, 0, 0, 1])
        #expect(histogram.rows(perDoubling: 4).map(\.from).prefix(3) == [896, 1024, 1280])
        #expect(histogram.rows(perDoubling: 32).reduce(0) { $0 + $1.count } == 4)
        #expect(Histogram().rows(perDoubling: 1).isEmpty)
    }
}

@Suite("The chart of a histogram")
struct HistogramChartTests {
    private func histogram(_ values: [(UInt64, Int)]) -> Histogram {
        var histogram = Histogram()
        for (value, count) in values { for _ in 0..<count { histogram.add(value) } }
        return histogram
    }

    @Test("is as wide as the terminal, from a bar of 10 cells to one of 60")
    func width() {
        let histogram = histogram([(20_000, 90), (21_000, 1), (300_000, 9)])
        for (width, bar) in [(20, 10), (35, 10), (36, 11), (50, 25), (85, 60), (300, 60)] {
            let lines = HistogramChart.lines(histogram, width: width, style: .plain)
            #expect(lines[1].filter { $0 == "█" }.count == bar, "\(width): \(lines[1])")
            if width >= 35 { #expect(lines.allSatisfy { Cells.width($0) <= width }) }
        }
    }

    @Test("has a line for each part of a doubling, with how many and which part of all")
    func lines() {
        let histogram = histogram([(20_000, 3000), (40_000, 1), (50_000, 9)])
        #expect(
            HistogramChart.lines(histogram, width: 40, style: .plain) == [
                "FROM  MESSAGES   SHARE", "16.4     3,000  99.7 %  ████████████████", "20.5         0   0.0 %",
                "24.6         0   0.0 %", "28.7         0   0.0 %", "32.8         1  <0.1 %  ▏",
                "41.0         0   0.0 %",
                "49.2         9   0.3 %  ▏",
            ])
    }

    @Test("takes doublings apart as long as that makes no more than 16 lines")
    func rows() {
        for (last, rows) in [(1 << 10, 1), (15 << 10, 16), (1 << 14, 9), (3 << 16, 16), (1 << 18, 9), (1 << 30, 21)] {
            let histogram = histogram([(1 << 10, 1), (UInt64(last), 1)])
            #expect(HistogramChart.lines(histogram, width: 80, style: .plain).count == rows + 1, "\(last)")
        }
    }

    @Test(
        "draws eighths of a cell, and something for the least",
        arguments: [
            (0, 8, "▏"), (1, 8, "▏"), (4, 8, "▌"), (8, 8, "█"), (12, 16, "▊"), (9, 8, "█▏"), (1, 1_000_000, "▏"),
        ])
    func bars(count: Int, most: Int, bar: String) {
        #expect(HistogramChart.bar(count, of: most, cells: 1) == bar)
    }

    @Test("is painted where colours are wanted, and without values has its heading alone")
    func style() {
        let histogram = histogram([(20_000, 1)])
        #expect(HistogramChart.lines(histogram, width: 80, style: Style(isOn: true))[1].contains("\u{1B}[32m█"))
        #expect(!HistogramChart.lines(histogram, width: 80, style: .plain)[1].contains("\u{1B}"))
        #expect(HistogramChart.lines(Histogram(), width: 80, style: .plain) == ["FROM  MESSAGES  SHARE"])
    }
}
