// `ping`: how long the daemon takes to answer.

import Notify

/// Measures round trips.
struct Ping: Command {
    static let name = "ping"
    static let operands = ""
    static let summary = "Measures how long the daemon takes to answer."
    static let options: [Option] = [.pings]

    var count: Int

    init(_ arguments: Arguments) throws(Failure) {
        _ = try arguments.operands(0...0, "")
        count = try arguments.number(.pings, in: 1...1_000_000) ?? 4
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        // The first answer shall not count the way there.
        let center = try await session.open()
        var output = session.makeOutput()
        var times: [Duration] = []
        for number in 1...count {
            do {
                times.append(try await center.ping())
            } catch {
                throw Failure(error)
            }
            output.add(line: "answer \(number): \(Self.milliseconds(times[number - 1]))")
            try output.flush()
        }
        output.add(line: Self.summary(times))
        try output.flush()
        await session.close(center)
        return .done
    }

    static func summary(_ times: [Duration]) -> String {
        let total = times.reduce(Duration.zero, +)
        if times.count == 1 { return "1 answer: \(milliseconds(total))" }
        return "\(times.count) answers: shortest \(milliseconds(times.min() ?? .zero)), "
            + "mean \(milliseconds(total / max(1, times.count))), longest \(milliseconds(times.max() ?? .zero))"
    }

    /// Milliseconds with three decimals.
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = (duration.inNanoseconds + 500) / 1000
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) ms"
    }
}

extension Option {
    static let pings = Option("count", short: "n", .required("N"), help: "how many times (default 4)")
}
