// `stats --openmetrics`.

import Foundation
import Notify
import Testing

@testable import notifyctl

@Suite("OpenMetrics text")
struct OpenMetricsTests {
    static func statistics() throws -> NotifyCenter.Statistics {
        let json = """
            {"version":"0.1.0","epoch":"8f1c","pos":5312,"uptime_s":93784.5,"clients":3,"subscriptions":4,"channels":5,
            "retained":6,"retained_bytes":7,"posts":8,"deliveries":9,"dropped":10,"refused":11,"queued_messages":12,
            "queued_bytes":13,"bytes_in":14,"bytes_out":15}
            """
        return try JSONDecoder().decode(NotifyCenter.Statistics.self, from: Data(json.utf8))
    }

    @Test("gives each family a type, a sentence and one sample")
    func families() throws {
        let lines = OpenMetrics.text(try Self.statistics()).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.suffix(2) == ["# EOF", ""])
        #expect(lines.contains("notifyd_info{version=\"0.1.0\",epoch=\"8f1c\"} 1"))
        #expect(lines.contains("notifyd_uptime_seconds 93784.5"))
        #expect(lines.contains("notifyd_clients 3"))
        #expect(lines.contains("notifyd_posts_total 8"))
        #expect(lines.contains("# TYPE notifyd_posts counter"))
        #expect(lines.contains("notifyd_received_bytes_total 14"))
        #expect(lines.contains("# UNIT notifyd_received_bytes bytes"))
        let types = lines.filter { $0.hasPrefix("# TYPE") }.count
        // Collectors that read the older format refuse the whole file for a kind they do not know.
        #expect(
            lines.filter { $0.hasPrefix("# TYPE") }.allSatisfy { $0.hasSuffix(" gauge") || $0.hasSuffix(" counter") })
        let samples = lines.filter { !$0.hasPrefix("#") && !$0.isEmpty }.count
        #expect(types == samples)
        #expect(lines.filter { $0.hasPrefix("# HELP") }.count == types)
    }

    @Test("takes refusals apart by their codes, and leaves out what the daemon does not tell")
    func refusals() throws {
        var statistics = try Self.statistics()
        #expect(OpenMetrics.text(statistics).contains("\nnotifyd_refused_total 11\n"))
        #expect(!OpenMetrics.text(statistics).contains("notifyd_slow"))
        statistics.refusals = ["denied": 9, "rate\"d": 2, "conflict": 0]
        statistics.slow = 4
        statistics.denied = 6
        let text = OpenMetrics.text(statistics)
        #expect(
            text.contains(
                """
                notifyd_refused_total{code="conflict"} 0
                notifyd_refused_total{code="denied"} 9
                notifyd_refused_total{code="rate\\"d"} 2

                """))
        #expect(!text.contains("notifyd_refused_total 11"))
        #expect(text.contains("\nnotifyd_slow_total 4\n"))
        #expect(text.contains("\nnotifyd_denied_total 6\n"))
        let table = Stats.table(statistics).lines(width: nil, style: .plain)
        #expect(table.contains { $0.hasPrefix("refused") && $0.hasSuffix(" 11") })
        #expect(table.contains { $0.hasPrefix("  denied") && $0.hasSuffix(" 9") })
        #expect(!table.contains { $0.hasPrefix("  conflict") })
    }

    @Test("has no zero in place of what we may not know, and the table has our own account")
    func ownOnly() throws {
        let json = """
            {"version":"0.1.0","epoch":"8f1c","pos":5312,"uptime_s":7,"totals":false,"accounts":[{"uid":1000,"clients":1,
            "queued_bytes":0,"posts":77,"refused":2,"rate_limited":1,"limits":{"clients":9}}]}
            """
        let statistics = try JSONDecoder().decode(NotifyCenter.Statistics.self, from: Data(json.utf8))
        #expect(!statistics.hasTotals)
        let samples = OpenMetrics.text(statistics).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["notifyd_info{version=\"0.1.0\",epoch=\"8f1c\"} 1", "notifyd_uptime_seconds 7.0"])
        let table = Stats.table(statistics).lines(width: nil, style: .plain)
        #expect(!table.contains { $0.hasPrefix("posts") || $0.hasPrefix("channels") })
    }

    @Test("a daemon that leaves a total out without saying so is not understood")
    func incomplete() {
        let json = #"{"version":"0.1.0","epoch":"8f1c","pos":5312,"uptime_s":7}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(NotifyCenter.Statistics.self, from: Data(json.utf8))
        }
    }

    @Test("tells reloads by their result, and the limits beside the gauges that they bound")
    func reloadsAndLimits() throws {
        var statistics = try Self.statistics()
        statistics.reloads = 3
        statistics.failedReloads = 1
        statistics.limits = ["clients": 32768, "queued_bytes": 1 << 28]
        let text = OpenMetrics.text(statistics)
        #expect(
            text.contains(
                """
                notifyd_reloads_total{result="failed"} 1
                notifyd_reloads_total{result="succeeded"} 3

                """))
        #expect(
            text.contains(
                """
                notifyd_limit{limit="clients"} 32768
                notifyd_limit{limit="queued_bytes"} 268435456

                """))
        let table = Stats.table(statistics).lines(width: nil, style: .plain)
        #expect(table.contains { $0.hasPrefix("reloads") && $0.hasSuffix(" 4") })
        // Nonsense is told as it is.
        statistics.reloads = .max
        #expect(OpenMetrics.text(statistics).contains("notifyd_reloads_total{result=\"succeeded\"} \(UInt64.max)"))
    }

    @Test("escapes what a label cannot hold")
    func escape() {
        #expect(OpenMetrics.escaped("a\"b\\c\nd") == "a\\\"b\\\\c\\nd")
        // One character for Swift, two for everybody else.
        #expect(OpenMetrics.escaped("a\r\nb") == "a\r\\nb")
    }

    @Test("the table tells every number")
    func table() throws {
        let lines = Stats.table(try Self.statistics()).lines(width: nil, style: .plain)
        #expect(lines.contains { $0.hasPrefix("uptime") && $0.hasSuffix("1d 2h 3m 4s") })
        #expect(lines.contains { $0.hasPrefix("bytes out") && $0.hasSuffix(" 15") })
        #expect(Stats.uptime(0.4) == "0s")
        #expect(Stats.uptime(3600) == "1h 0m 0s")
        #expect(Stats.uptime(1e300) == "11574074d 1h 46m 40s")
        #expect(Stats.uptime(-1e300) == "0s")
    }
}
