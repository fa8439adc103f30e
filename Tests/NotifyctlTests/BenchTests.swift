// The parts of `bench` that ask nobody: what its processes are told, what they post, and what is printed in the end.

import Foundation
import Testing

@testable import notifyctl

@Suite("The load test")
struct BenchTests {
    private func run(
        _ kind: BenchRun.Kind = .raw, posters: Int = 1, count: Int = 10, size: Int = 100
    ) -> BenchRun {
        BenchRun(kind: kind, name: "7-0", posters: posters, listeners: 2, count: count, size: size)
    }

    @Test("tells its processes a run in words that they read back", arguments: BenchRun.Kind.allCases)
    func words(kind: BenchRun.Kind) throws {
        let run = run(kind, posters: 3, count: 17, size: 2)
        #expect(try BenchRun(run.words) == run)
    }

    @Test(
        "refuses words that are no run",
        arguments: ["", "raw x 1 1 1", "raw x 1 1 1 1 1", "cooked x 1 1 1 1", "raw x 1 1 one 1"])
    func wrongWords(words: String) {
        #expect(throws: Failure.self) { try BenchRun(words.split(separator: " ").map(String.init)) }
    }

    @Test("keeps less on its way than a subscription's queue holds, and something at least")
    func window() {
        for size in [1, 100, 16_384, 1_000_000] {
            let run = run(size: size)
            #expect(1...8192 ~= run.window)
            #expect(1...run.window ~= run.stride)
            #expect(run.window == 1 || run.window * size <= 1 << 20)
        }
        #expect(self.run(.rawLatency).window == 1)
        #expect(self.run(.typedLatency).stride == 1)
    }

    @Test("posts payloads of the size asked for, from the shortest possible on", arguments: [1, 68, 69, 100, 5000])
    func payload(size: Int) throws {
        var payload = BenchPayload(size: size)
        #expect(payload.bytes.count == max(size, BenchPayload(size: 0).bytes.count))
        payload.set(number: 123_456, sent: 987_654_321_012)
        let read = try #require(payload.bytes.withUnsafeBytes(BenchPayload.read))
        #expect(read == (123_456, 987_654_321_012))
        #expect(JSONFault.check(payload.bytes) == nil)
    }

    @Test("does not take other payloads for its own")
    func foreignPayload() {
        var bytes = BenchPayload(size: 100).bytes
        bytes[15] = UInt8(ascii: "x")
        #expect(bytes.withUnsafeBytes(BenchPayload.read) == nil)
        #expect(Array("null".utf8).withUnsafeBytes(BenchPayload.read) == nil)
    }

    private var report: BenchReport {
        var report = BenchReport(posters: 1, listeners: 2, size: 100)
        var latencies = Histogram()
        for value: UInt64 in [21_000, 22_000, 47_000] { latencies.add(value) }
        let result = BenchResult(nanoseconds: 4_000_000, misplaced: 0, latencies: Histogram())
        let slower = BenchResult(nanoseconds: 5_000_000, misplaced: 0, latencies: Histogram())
        report.add(run(.raw, count: 10_000), [result, slower])
        report.add(run(.rawLatency, count: 3), [BenchResult(nanoseconds: 1, misplaced: 0, latencies: latencies)])
        return report
    }

    @Test("reports to people in tables and bars, with the rate of the slowest listener")
    func text() {
        #expect(
            report.text(.plain, width: 40) == """
                1 poster, 2 listeners, raw payloads of 100 B

                THROUGHPUT  MESSAGES  MESSAGES/S
                raw           10,000   2,000,000

                LATENCY, µs   p50   p90   p99  p99.9   max
                raw          22.0  47.0  47.0   47.0  47.0

                LATENCY, µs: raw
                FROM  MESSAGES   SHARE
                20.5         2  66.7 %  ████████████████
                24.6         0   0.0 %
                28.7         0   0.0 %
                32.8         0   0.0 %
                41.0         1  33.3 %  ████████

                """)
    }

    @Test("says so when messages came out of order")
    func disorder() {
        var report = report
        report.add(run(), [BenchResult(nanoseconds: 1, misplaced: 3, latencies: Histogram())])
        #expect(report.text(.plain, width: 80).contains("\n3 messages came out of order\n"))
        #expect(report.json.contains("\"misplaced\":3"))
    }

    @Test("reports to programs as one JSON object on one line")
    func json() throws {
        #expect(report.json.hasSuffix("}\n"))
        #expect(report.json.split(separator: "\n").count == 1)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        let runs = try #require(object["runs"] as? [[String: Any]])
        #expect(runs.map { $0["run"] as? String } == ["raw", "raw-latency"])
        #expect(runs[0]["per_second"] as? Int == 2_000_000)
        #expect(runs[1]["max_ns"] as? Int == 47_000)
    }

    @Test("shows how far it is")
    func progress() {
        #expect(
            BenchProgress.text(run(.typed, count: 4000), 1000, after: 500_000)
                == "2 of 5, typed: 25 %, 2,000,000 messages/s")
        #expect(BenchProgress.text(run(), 0, after: 0) == "1 of 5, raw: 0 %, 0 messages/s")
    }

    @Test("sets thousands apart")
    func grouping() {
        #expect([0, 999, 1000, 1_234_567].map(BenchReport.grouped) == ["0", "999", "1,000", "1,234,567"])
    }
}
