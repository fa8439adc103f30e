// What waiting messages are compared by: how urgent they are, and what they are about.

import NotifyWire

/// Eight bytes, because every line of the log and every waiting one has it.
struct Mark: Equatable {
    private let bits: UInt64

    init(_ priority: Priority = .normal, topic: UInt64 = 0) {
        bits = topic & ~3 | UInt64(priority.rawValue)
    }

    var priority: Priority { Priority(rawValue: UInt8(truncatingIfNeeded: bits & 3)) ?? .normal }

    /// Stands for the subject; only known while there is a subscription that asks for it. A keyed hash: two subjects
    /// that are taken for one would need to be among 2^31 or so of them by chance.
    var topic: UInt64 { bits & ~3 }
}

/// Messages about the same: of one channel and subject.
struct Topic: Hashable {
    let channel: ChannelRef
    let subject: UInt64
}
