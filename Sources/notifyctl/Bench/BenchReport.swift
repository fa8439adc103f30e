// What `bench` prints in the end: throughput, percentiles of the latency and its histogram, for people or as JSON.

/// The results of all runs.
struct BenchReport: Sendable {
    let posters: Int
    let listeners: Int
    let size: Int
    private(set) var rows: [Row] = []

    struct Row: Sendable {
        var kind: BenchRun.Kind
        /// What each listener got.
        var messages: Int
        /// Messages per second that the slowest listener took.
        var rate: Double
        var misplaced: Int
        var latencies: Histogram
    }

    init(posters: Int, listeners: Int, size: Int) {
        self.posters = posters
        self.listeners = listeners
        self.size = size
    }

    mutating func add(_ run: BenchRun, _ results: [BenchResult]) {
        var latencies = Histogram()
        for result in results { latencies.add(result.latencies) }
        let slowest = results.map(\.nanoseconds).max() ?? 0
        rows.append(
            Row(
                kind: run.kind, messages: run.total,
                rate: slowest == 0 ? 0 : Double(run.total) * 1e9 / Double(slowest),
                misplaced: results.reduce(0) { $0 + $1.misplaced }, latencies: latencies))
    }

    private static let quantiles: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999),
    ]

    // MARK: For people

    /// - Parameter width: the cells that the bars may take.
    func text(_ style: Style, width: Int) -> String {
        var lines = [
            "\(Self.people(posters, "poster")), \(Self.people(listeners, "listener")), raw payloads of \(size) B"
        ]
        if let misplaced = rows.map(\.misplaced).max(), misplaced > 0 {
            lines.append(style(.warning, "\(misplaced) messages came out of order"))
        }
        var throughput = Table([
            .init(title: "THROUGHPUT"), .init(title: "MESSAGES", isNumber: true),
            .init(title: "MESSAGES/S", isNumber: true),
        ])
        for row in rows where !row.kind.isLatency {
            throughput.add([Self.title(row.kind), Self.grouped(row.messages), Self.grouped(Int(row.rate))])
        }
        lines += [""] + throughput.lines(width: nil, style: style)
        var latency = Table(
            [.init(title: "LATENCY, µs")] + Self.quantiles.map { .init(title: $0.name, isNumber: true) }
                + [.init(title: "max", isNumber: true)])
        for row in rows where row.kind.isLatency {
            latency.add(
                [Self.title(row.kind)] + Self.quantiles.map { Self.micros(row.latencies.quantile($0.share)) }
                    + [Self.micros(row.latencies.longest)])
        }
        lines += [""] + latency.lines(width: nil, style: style)
        for row in rows where row.kind.isLatency {
            lines += ["", style(.bold, "LATENCY, µs: \(Self.title(row.kind))")]
            lines += HistogramChart.lines(row.latencies, width: width, style: style)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func people(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    private static func title(_ kind: BenchRun.Kind) -> String {
        switch kind {
        case .raw, .rawLatency: "raw"
        case .typed, .typedLatency: "typed"
        case .mainActor: "typed, main actor"
        }
    }

    /// Microseconds with one decimal.
    static func micros(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// A number with its thousands apart.
    static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
            index -= 3
        }
        return digits
    }

    // MARK: For programs

    /// One object on one line.
    var json: String {
        let runs = rows.map { row in
            var members = ["\"run\":\"\(row.kind.rawValue)\"", "\"messages\":\(row.messages)"]
            members.append("\"misplaced\":\(row.misplaced)")
            if row.kind.isLatency {
                members += Self.quantiles.map { "\"\($0.name)_ns\":\(row.latencies.quantile($0.share))" }
                members.append("\"max_ns\":\(row.latencies.longest)")
            } else {
                members.append("\"per_second\":\(Int(row.rate))")
            }
            return "{\(members.joined(separator: ","))}"
        }
        return
            "{\"posters\":\(posters),\"listeners\":\(listeners),\"size\":\(size),\"runs\":[\(runs.joined(separator: ","))]}\n"
    }
}
