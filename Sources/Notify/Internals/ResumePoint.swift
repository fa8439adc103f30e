// How far a subscription has got, so that a new connection can go on behind it: nothing lost, nothing twice.
//
// Usually that is the last position delivered. But a message of a higher priority overtakes those that wait: what comes
// after it may stand before it. So the point moves with the lowest priority seen, and what was delivered beyond it is
// remembered, to be left out when it comes again.

import NotifyWire

struct ResumePoint: Sendable, Equatable {
    /// The life of the daemon's numbering that the positions belong to; nil: nothing is known yet.
    private(set) var epoch: String?
    /// Everything up to here was delivered.
    private(set) var position: UInt64 = 0
    /// Positions that were delivered although they lie further on.
    private(set) var beyond: [UInt64] = []
    private var lowest = Priority.normal

    /// So many positions are remembered: then the lower priority counts as gone.
    static let beyondLimit = 1024

    /// A message was delivered at its turn.
    mutating func note(_ next: UInt64, _ priority: Priority, in epoch: String) {
        enter(epoch)
        if priority <= lowest {
            lowest = priority
            move(to: next)
        } else if next > position {
            beyond.append(next)
            if beyond.count > Self.beyondLimit {
                lowest = .normal
                move(to: beyond.max() ?? position)
            }
        }
    }

    /// The daemon says that everything up to here was told.
    mutating func reach(_ next: UInt64, in epoch: String) {
        enter(epoch)
        move(to: next)
    }

    /// Whether a message that comes again was delivered already.
    func hasDelivered(_ other: UInt64, in epoch: String) -> Bool {
        !beyond.isEmpty && self.epoch == epoch && beyond.contains(other)
    }

    private mutating func enter(_ epoch: String) {
        guard self.epoch != epoch else { return }
        self = ResumePoint()
        self.epoch = epoch
    }

    private mutating func move(to next: UInt64) {
        guard next > position else { return }
        position = next
        if !beyond.isEmpty { beyond.removeAll { $0 <= next } }
    }
}
