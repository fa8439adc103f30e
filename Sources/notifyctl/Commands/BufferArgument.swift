// `listen --buffer`: what happens to messages that come faster than we take them.

import Notify

/// Reads `POLICY` or `POLICY:N`.
enum BufferArgument {
    static func policy(_ text: String) throws(Failure) -> NotifyCenter.BufferPolicy {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        if name == "latest" {
            if parts.count > 1 { throw .usage("--buffer: latest takes no number") }
            return .latestPerSubject
        }
        let makers: [String: @Sendable (Int) -> NotifyCenter.BufferPolicy] = [
            "newest": { .bufferingNewest($0) }, "oldest": { .bufferingOldest($0) }, "fail": { .failing($0) },
            "block": { .blocking($0) },
        ]
        guard let make = makers[name] else {
            throw .usage(
                "--buffer: '\(Printable.text(name))' is no policy; there are newest[:N], oldest[:N], latest, fail[:N],"
                    + " block[:N]")
        }
        guard parts.count == 2 else { return make(NotifyCenter.BufferPolicy.defaultCount) }
        guard let count = Int(parts[1]), count >= 1, parts[1].utf8.first != UInt8(ascii: "+") else {
            throw .usage("--buffer: '\(Printable.text(parts[1]))' is not a whole number from 1")
        }
        return make(count)
    }
}
