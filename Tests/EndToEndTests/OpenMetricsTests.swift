// `stats --openmetrics`, read by a parser that is not ours.

import Foundation
import NotifyTestSupport
import Testing

@Suite("OpenMetrics text for others", .timeLimit(.minutes(3)))
struct OpenMetricsParserTests {
    /// All samples as `name{labels} value`, by the OpenMetrics parser, and by the one for the older text format, in
    /// which the files of textfile collectors are.
    private static let program = """
        import sys
        from prometheus_client import parser
        from prometheus_client.openmetrics import parser as openmetrics
        text = sys.stdin.read()
        for name, families in ("new", openmetrics.text_string_to_metric_families(text)), \\
                ("old", parser.text_string_to_metric_families(text)):
            for family in families:
                assert family.documentation or name == "old", family
                for sample in family.samples:
                    labels = ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))
                    print(name, family.type, f"{sample.name}{{{labels}}}", float(sample.value))
        """

    @Test(
        "is valid, and says what the daemon counts",
        .enabled("prometheus_client can be installed") { await PythonPackages.python != nil })
    func valid() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1").status == 0)
        #expect(await bench.run("post", "$notifyd.a", "1").status == 77)
        let text = await bench.run("stats", "--openmetrics").output.joined(separator: "\n") + "\n"
        let python = try #require(await PythonPackages.python)
        let parser = try RunningTool(python, ["-c", Self.program])
        await parser.write(text)
        try parser.endInput()
        let samples = await parser.output.rest()
        let (status, errors) = (await parser.status(), await parser.errors.rest())
        #expect(status == 0, "\(errors)")
        #expect(samples.contains("new counter notifyd_posts_total{} 1.0"))
        #expect(samples.contains("new counter notifyd_refused_total{code=denied} 1.0"))
        #expect(samples.contains("new counter notifyd_refused_total{code=quota_exceeded} 0.0"))
        #expect(samples.contains("new gauge notifyd_clients{} 1.0"))
        #expect(
            samples.contains { $0.hasPrefix("new gauge notifyd_info{epoch=") && $0.hasSuffix(",version=0.1.0} 1.0") })
        // The older format knows no `_total`: all values come, with other names for their families.
        let values = { (name: String) in
            Set(samples.filter { $0.hasPrefix(name) }.compactMap { $0.split(separator: " ", maxSplits: 2).last })
        }
        #expect(values("new").count > 20)
        #expect(values("new") == values("old"))
    }
}
