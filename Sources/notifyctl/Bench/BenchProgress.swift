// The line that shows how far a measurement is: on a terminal only, written over again and again.

import Glibc

/// A progress line on standard error.
struct BenchProgress {
    /// The cells of the line; nil: it is not shown.
    let width: Int?
    private var shownAt: UInt64 = 0
    private var began: UInt64 = 0
    private var run: BenchRun?

    private static let pause: UInt64 = 100_000_000

    init(width: Int?) { self.width = width }

    /// Shows that every listener has taken so many messages.
    mutating func show(_ run: BenchRun, _ taken: Int) {
        guard let width else { return }
        let now = Watch.now()
        if self.run != run {
            self.run = run
            began = now
        } else if now - shownAt < Self.pause {
            return
        }
        shownAt = now
        // A line that goes on in the next one could not be written over.
        write("\r\u{1B}[K" + Cells.cut(Self.text(run, taken, after: now - began), width - 1))
    }

    /// Takes the line away.
    func clear() {
        if width != nil { write("\r\u{1B}[K") }
    }

    static func text(_ run: BenchRun, _ taken: Int, after nanoseconds: UInt64) -> String {
        let percent = taken * 100 / max(1, run.total)
        let rate = nanoseconds == 0 ? 0 : Double(taken) * 1e9 / Double(nanoseconds)
        let kinds = BenchRun.Kind.allCases
        let place = (kinds.firstIndex(of: run.kind) ?? 0) + 1
        return "\(place) of \(kinds.count), \(run.kind.rawValue): \(percent) %, "
            + "\(BenchReport.grouped(Int(rate))) messages/s"
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
