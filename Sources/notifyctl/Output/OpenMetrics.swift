// The daemon's counters as OpenMetrics text: each with its kind and a sentence, closed by `# EOF`. Textfile collectors
// read it as the older Prometheus format, so no kinds are used that only the newer one knows.

import Notify

/// Writes statistics for a textfile collector.
enum OpenMetrics {
    struct Metric: Sendable, Equatable {
        enum Kind: String, Sendable { case counter, gauge }

        var name: String
        var kind: Kind
        /// For people, in tables.
        var title: String
        var help: String
        var value: UInt64
        /// The value, taken apart by this label.
        var parts: (label: String, values: [String: UInt64])?

        static func == (one: Metric, other: Metric) -> Bool {
            (one.name, one.kind, one.title, one.help, one.value) == (
                other.name, other.kind, other.title, other.help, other.value
            )
                && one.parts?.label == other.parts?.label && one.parts?.values == other.parts?.values
        }
    }

    /// Those that the daemon tells of; an older one does not tell of all, and of others' it tells only those who may ask.
    static func metrics(_ statistics: NotifyCenter.Statistics) -> [Metric] {
        guard statistics.hasTotals else { return [] }
        func gauge(_ name: String, _ title: String, _ help: String, _ value: UInt64?) -> Metric? {
            value.map { Metric(name: name, kind: .gauge, title: title, help: help, value: $0) }
        }
        func counter(_ name: String, _ title: String, _ help: String, _ value: UInt64?) -> Metric? {
            value.map { Metric(name: name, kind: .counter, title: title, help: help, value: $0) }
        }
        var refused = counter(
            "refused", "refused",
            "Error answers, by code. Code denied: also subscriptions that ended when the rules changed, but no posts that "
                + "were denied when they were to be made.", statistics.refused)
        refused?.parts = statistics.refusals.map { ("code", $0) }
        var reloads = counter(
            "reloads", "reloads", "Reloads of the configuration; after one that failed the old one stays in force.",
            statistics.reloads.map { $0 &+ (statistics.failedReloads ?? 0) })
        reloads?.parts = statistics.reloads.map {
            ("result", ["succeeded": $0, "failed": statistics.failedReloads ?? 0])
        }
        return [
            gauge("clients", "clients", "Connections.", statistics.clients),
            counter("connections", "connections", "Connections that were accepted.", statistics.connections),
            counter("turned_away", "turned away", "Connections that were refused.", statistics.turnedAway),
            gauge("subscriptions", "subscriptions", "Subscriptions.", statistics.subscriptions),
            gauge("channels", "channels", "Known channels.", statistics.channels),
            gauge("retained_messages", "retained", "Retained messages.", statistics.retained),
            gauge("retained_bytes", "retained bytes", "Bytes of retained messages.", statistics.retainedBytes),
            gauge("history_bytes", "history bytes", "Bytes of messages that can be replayed.", statistics.historyBytes),
            gauge("scheduled_posts", "scheduled", "Posts that are to be made later.", statistics.scheduled),
            gauge("scheduled_bytes", "scheduled bytes", "Bytes of those.", statistics.scheduledBytes),
            gauge("dedup_bytes", "dedup bytes", "Bytes of remembered dedup keys.", statistics.deduplicationBytes),
            gauge("traces", "traces", "Traces of posts that somebody has.", statistics.traces),
            gauge(
                "input_bytes", "half-read bytes",
                "Bytes that have come of lines and requests that are not handled yet.",
                statistics.inputBytes),
            counter("posts", "posts", "Accepted posts.", statistics.posts),
            counter("deliveries", "deliveries", "Messages queued for subscriptions.", statistics.deliveries),
            counter("dropped", "dropped", "Messages dropped because a reader was slow.", statistics.dropped),
            counter("slow", "slow", "Times that a subscription began to lose messages.", statistics.slow),
            counter(
                "denied", "denied",
                "What the access rules have denied: requests, and posts and wills when they were to be made, which nobody "
                    + "is answered.", statistics.denied),
            refused, reloads,
            gauge("queued_messages", "waiting", "Messages that wait for readers.", statistics.queuedMessages),
            gauge("queued_bytes", "waiting bytes", "Bytes that wait for readers.", statistics.queuedBytes),
            counter("received_bytes", "bytes in", "Bytes received.", statistics.bytesIn),
            counter("sent_bytes", "bytes out", "Bytes sent.", statistics.bytesOut),
        ].compactMap(\.self)
    }

    /// No totals, so that they are in no table: each says how far the gauge of its name may go.
    private static func limits(_ statistics: NotifyCenter.Statistics) -> Metric? {
        statistics.limits.map { limits in
            Metric(
                name: "limit", kind: .gauge, title: "limits",
                help: "How far the gauge of this name may go; beyond, requests are refused or messages dropped.",
                value: 0,
                parts: ("limit", limits))
        }
    }

    static func text(_ statistics: NotifyCenter.Statistics) -> String {
        var lines = [
            "# TYPE notifyd_info gauge", "# HELP notifyd_info The running daemon.",
            "notifyd_info{version=\"\(escaped(statistics.version))\",epoch=\"\(escaped(statistics.epoch))\"} 1",
            "# TYPE notifyd_uptime_seconds gauge", "# UNIT notifyd_uptime_seconds seconds",
            "# HELP notifyd_uptime_seconds Seconds since the daemon started.",
            "notifyd_uptime_seconds \(statistics.uptime)",
        ]
        for metric in metrics(statistics) + [limits(statistics)].compactMap(\.self) {
            let family = "notifyd_\(metric.name)"
            lines.append("# TYPE \(family) \(metric.kind.rawValue)")
            if family.hasSuffix("_bytes") { lines.append("# UNIT \(family) bytes") }
            lines.append("# HELP \(family) \(metric.help)")
            let sample = "\(family)\(metric.kind == .counter ? "_total" : "")"
            if let parts = metric.parts {
                for (name, value) in parts.values.sorted(by: { $0.key < $1.key }) {
                    lines.append("\(sample){\(parts.label)=\"\(escaped(name))\"} \(value)")
                }
            } else {
                lines.append("\(sample) \(metric.value)")
            }
        }
        return lines.joined(separator: "\n") + "\n# EOF\n"
    }

    /// A label's value.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
