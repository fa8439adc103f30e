// What became of a post, as its reply tells it, and as it is told again to whoever asks twice.

extension Broker {
    package struct Receipt: Equatable, Sendable {
        package var sequence: UInt64
        package var position: UInt64
        package var matched = 0
        package var dropped = 0

        package init(sequence: UInt64, position: UInt64, matched: Int = 0, dropped: Int = 0) {
            (self.sequence, self.position, self.matched, self.dropped) = (sequence, position, matched, dropped)
        }
    }

    package enum Answer: Equatable, Sendable {
        case posted(Receipt)
        /// The number for `cancel`.
        case scheduled(UInt64)
        case held(hasReplaced: Bool)
    }
}
