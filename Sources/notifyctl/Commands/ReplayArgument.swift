// `listen --replay`: how much of the past, in the shapes that people have it in.

import FoundationEssentials
import Notify

/// Reads what `--replay` asks for.
enum ReplayArgument {
    /// - Parameter now: when a duration ends that reaches back from now.
    static func replay(_ text: String, now: Date = Date()) throws(Failure) -> NotifyCenter.Replay {
        if text == "retained" { return .retained }
        if text.hasPrefix("pos:") { return try position(text.dropFirst(4)) }
        if let count = Int(text) {
            guard count >= 1, text.utf8.first != UInt8(ascii: "+") else {
                throw .usage("--replay: '\(Printable.text(text))' is not a whole number from 1")
            }
            return .last(count)
        }
        if let date = Timestamps.date(text) { return .since(date) }
        if let duration = Duration(argument: text), duration > .zero {
            return .since(now.addingTimeInterval(-Double(duration.inNanoseconds) / 1_000_000_000))
        }
        if let refusal = PostTerms.zoneless(text) { throw .usage("--replay: \(refusal)") }
        throw .usage(
            "--replay: '\(Printable.text(text))' is none of retained, N, pos:POS[/EPOCH], 5m, 2026-11-29T12:00:00Z")
    }

    /// `POS` or `POS/EPOCH`.
    private static func position(_ text: Substring) throws(Failure) -> NotifyCenter.Replay {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].utf8.first != UInt8(ascii: "+"), let position = UInt64(parts[0]), position <= Int64.max else {
            throw .usage("--replay: '\(Printable.text(String(parts[0])))' is no position")
        }
        guard parts.count == 2 else { return .after(position) }
        guard 1...64 ~= parts[1].utf8.count, !parts[1].contains("\\"), parts[1].allSatisfy({ $0 >= " " }) else {
            throw .usage("--replay: '\(Printable.text(String(parts[1])))' is no epoch")
        }
        return .after(position, epoch: String(parts[1]))
    }
}
