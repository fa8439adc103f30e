// `listen --buffer`: what happens to messages that come faster than we take them.

import Notify

/// Reads `POLICY` or `POLICY:N`.
enum BufferArgument {
    /// The policies; nil: it is the one that takes no number.
    static let policies: [(name: String, make: (@Sendable (Int) -> NotifyCenter.BufferPolicy)?)] = [
        ("newest", { .bufferingNewest($0) }), ("oldest", { .bufferingOldest($0) }), ("latest", nil),
        ("fail", { .failing($0) }), ("block", { .blocking($0) }),
    ]

    static func policy(_ text: String) throws(Failure) -> NotifyCenter.BufferPolicy {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        guard let policy = policies.first(where: { $0.name == name }) else {
            throw .usage("--buffer: \(Meaning.refusal(of: name, among: policies.map(\.name)))")
        }
        guard let make = policy.make else {
            if parts.count > 1 { throw .usage("--buffer: \(name) takes no number") }
            return .latestPerSubject
        }
        guard parts.count == 2 else { return make(NotifyCenter.BufferPolicy.defaultCount) }
        guard let count = Int(parts[1]), count >= 1, parts[1].utf8.first != UInt8(ascii: "+") else {
            throw .usage("--buffer: '\(Printable.text(parts[1]))' is not a whole number from 1")
        }
        return make(count)
    }
}
