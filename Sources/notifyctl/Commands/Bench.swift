// `bench`: how fast this daemon is through the library. Each run has processes of its own (Bench/); this one starts
// them, shows how far they are and puts together what they measured.

import Glibc
import Notify

/// Measures throughput and latency.
struct Bench: Command {
    static let name = "bench"
    static let operands = ""
    static let summary = "Measures throughput and latency, through the Swift library."
    static let notes = """
        Posters and listeners are processes of their own. The throughput runs count what the listeners receive, raw (as
        bytes) and typed (as a small Codable struct, also on the main actor), while posters stay a little ahead. The
        latency runs post one message at a time: from before the call of post to the body of the listener's loop.
        Channels of its own are used; their names stay in the list until the daemon forgets idle ones. The daemon serves
        everybody else meanwhile.
        """
    static let options: [Option] = [.posters, .listeners, .size, .messages, .json]
    static let endsWithItsReader = true

    /// Latency runs post one at a time, so fewer messages do.
    private static let latencyCount = 20_000

    var posters: Int
    var listeners: Int
    var size: Int
    var count: Int
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        _ = try arguments.operands(0...0, "")
        posters = try arguments.number(.posters, in: 1...64) ?? 1
        listeners = try arguments.number(.listeners, in: 1...64) ?? 1
        size = try arguments.number(.size, in: 1...1_000_000) ?? 100
        count = try arguments.number(.messages, in: 1...1_000_000_000) ?? 1_000_000
        isJSON = arguments.has(.json)
    }

    private static let widthInPipe = 80

    /// nil: nobody sees it.
    private static var progressWidth: Int? {
        Terminal.environment("TERM") == "dumb" ? nil : Terminal.width(STDERR_FILENO)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.open()
        guard let server = center.server else { throw Failure(.software, "connected to nobody") }
        let workers = BenchWorkers(socket: server.socketPath, session)
        var progress = BenchProgress(width: Self.progressWidth)
        var report = BenchReport(posters: posters, listeners: listeners, size: size)
        for (index, kind) in BenchRun.Kind.allCases.enumerated() {
            let run = BenchRun(
                kind: kind, name: "\(getpid())-\(index)", posters: posters, listeners: listeners,
                count: max(1, (kind.isLatency ? min(count, Self.latencyCount) : count) / posters), size: size)
            let results = try await measure(run, center, workers, session, &progress)
            report.add(run, results)
        }
        progress.clear()
        var output = session.makeOutput()
        output.add(
            isJSON ? report.json : report.text(session.style, width: Terminal.width(STDOUT_FILENO) ?? Self.widthInPipe))
        try output.flush()
        await session.close(center)
        return .done
    }

    /// A run gives up when nobody has had news for so long.
    private static let patience = Duration.seconds(10)

    private func measure(
        _ run: BenchRun, _ center: NotifyCenter, _ workers: BenchWorkers, _ session: Session,
        _ progress: inout BenchProgress
    ) async throws(Failure) -> [BenchResult] {
        BenchChannels.use(run)
        var news = center.events(for: BenchNews.self).makeAsyncIterator()
        try await session.ready(center)
        var taken = Array(repeating: 0, count: run.listeners)
        var ready = 0
        var results: [BenchResult] = []
        try workers.start(.listener, run.listeners, run)
        session.watch.set("bench", after: Self.patience) { workers.giveUp() }
        defer { session.watch.cancel("bench") }
        while let next = try await Self.next(&news) {
            guard taken.indices.contains(next.listener) else { continue }
            session.watch.set("bench", after: Self.patience) { workers.giveUp() }
            taken[next.listener] = next.taken
            progress.show(run, taken.min() ?? 0)
            if let result = next.result { results.append(result) }
            if next.taken == 0 { ready += 1 }
            if next.taken == 0, ready == run.listeners { try workers.start(.poster, run.posters, run) }
            if results.count == run.listeners {
                await workers.finish()
                return results
            }
        }
        throw Failure(.unavailable, "the daemon went away")
    }

    /// What comes next; throws why nothing comes any more.
    private static func next(
        _ news: inout NotifyCenter.Events<BenchNews>.AsyncIterator
    ) async throws(Failure) -> BenchNews? {
        do throws(NotifyError) {
            while let event = try await news.next() {
                if case .message(let next, _) = event { return next }
                if case .disconnected(let error) = event { throw error }
            }
            return nil
        } catch {
            throw Failure(error)
        }
    }
}

extension Option {
    static let posters = Option("posters", .required("N"), help: "processes that post (default 1)")
    static let listeners = Option("listeners", .required("N"), help: "processes that listen (default 1)")
    static let size = Option("size", .required("BYTES"), help: "length of a raw payload (default 100)")
    static let messages = Option(
        "count", short: "n", .required("N"), help: "messages of each throughput run (default 1000000)")
}
