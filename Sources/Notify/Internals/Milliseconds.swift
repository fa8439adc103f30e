// Durations as the protocol has them: whole milliseconds, at most a hundred years. What is finer is rounded up, so that
// nothing happens too early.

import NotifyWire

enum Milliseconds {
    static func of(_ duration: Duration, _ name: String, atLeast least: UInt64) throws(NotifyError) -> UInt64 {
        let nanoseconds = duration.nanoseconds
        let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
        guard duration >= .zero, milliseconds >= least, milliseconds <= PostTerms.maximumMilliseconds else {
            throw NotifyError(.invalidArgument, "\(name): \(duration) is not between \(least) ms and a hundred years")
        }
        return milliseconds
    }
}
