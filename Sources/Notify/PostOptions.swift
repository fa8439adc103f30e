// How a message is posted: when, how urgently, and under which conditions.

public import FoundationEssentials
import NotifyWire

extension NotifyCenter {
    /// How urgent a message is, among those that wait for the same subscription.
    public enum Priority: Sendable, Hashable, CaseIterable {
        /// It waits until nothing else does, and is dropped first.
        case low
        /// It comes in its turn.
        case normal
        /// It overtakes what waits, and is dropped last.
        case high
    }

    /// How a message is posted.
    ///
    /// ```swift
    /// try await center.post(Reminder(), options: .delayed(by: .seconds(60)))
    /// try await center.post(Leader(id: 7), options: .onlyIf(sequence: 0))
    /// ```
    public struct PostOptions: Sendable, Hashable {
        /// Whether the daemon keeps this message as the channel's last value for later subscribers.
        public var retain: Bool
        /// After this time the message is delivered to nobody any more, and no longer kept; nil: it does not expire.
        public var timeToLive: Duration?
        /// How long from now it is to be posted; nil: at once. Excludes ``at`` and ``coalesceWithin``.
        public var delay: Duration?
        /// When it is to be posted, by the wall clock; nil: at once. Excludes ``delay`` and ``coalesceWithin``.
        public var at: Date?
        /// How urgent it is.
        public var priority: Priority
        /// How long it may be held back: a newer message with this option to the same channel and subject replaces it.
        public var coalesceWithin: Duration?
        /// Names the message: a second one of the same user to the channel with this key, within the daemon's window of
        /// about two minutes, is not delivered again and gets the first one's receipt. 1 to 128 bytes.
        public var deduplicationKey: String?
        /// The message is accepted only if this is its channel's last sequence (0: nobody has posted there yet); else the
        /// post fails with ``NotifyError/Code/conflict``, and ``NotifyError/sequence`` says what it is.
        public var ifSequence: UInt64?
        /// Whether a message that nobody would get fails with ``NotifyError/Code/noSubscribers``.
        public var requireSubscribers: Bool

        /// Makes options.
        public init(
            retain: Bool = false, timeToLive: Duration? = nil, delay: Duration? = nil, at: Date? = nil,
            priority: Priority = .normal, coalesceWithin: Duration? = nil, deduplicationKey: String? = nil,
            ifSequence: UInt64? = nil, requireSubscribers: Bool = false
        ) {
            self.retain = retain
            self.timeToLive = timeToLive
            self.delay = delay
            self.at = at
            self.priority = priority
            self.coalesceWithin = coalesceWithin
            self.deduplicationKey = deduplicationKey
            self.ifSequence = ifSequence
            self.requireSubscribers = requireSubscribers
        }

        /// Keeps the message as the channel's last value.
        public static let retained = PostOptions(retain: true)

        /// Posts the message later. The receipt's ``PostReceipt/schedule`` is for ``NotifyCenter/cancel(schedule:)``.
        public static func delayed(by delay: Duration) -> PostOptions { PostOptions(delay: delay) }

        /// Posts the message at a time of day. The receipt's ``PostReceipt/schedule`` is for
        /// ``NotifyCenter/cancel(schedule:)``.
        public static func at(_ date: Date) -> PostOptions { PostOptions(at: date) }

        /// Compares and sets: the message is accepted only if this is its channel's last sequence.
        public static func onlyIf(sequence: UInt64) -> PostOptions { PostOptions(ifSequence: sequence) }
    }
}

extension NotifyCenter.PostOptions {
    /// The same in the words of the protocol; nil if that is none.
    ///
    /// - Throws: `invalidArgument` for times that are negative or too long, and for options that exclude each other.
    func onWire() throws(NotifyError) -> ClientPostTerms.Box? {
        // What most posts are: nothing more to say. (Asked for one by one, because to compare all takes copies of them.)
        let hasTime = timeToLive != nil || delay != nil || at != nil || coalesceWithin != nil
        let hasCondition = deduplicationKey != nil || ifSequence != nil || requireSubscribers
        if !hasTime, !hasCondition, !retain, priority == .normal { return nil }
        var terms = ClientPostTerms()
        terms.isRetained = retain
        if [delay != nil, at != nil, coalesceWithin != nil].count(where: \.self) > 1 {
            throw NotifyError(.invalidArgument, "delay, at and coalesceWithin exclude each other")
        }
        if let timeToLive { terms.timeToLive = try Milliseconds.of(timeToLive, "timeToLive", atLeast: 1) }
        if let delay { terms.delay = try Milliseconds.of(delay, "delay", atLeast: 0) }
        if let at { terms.at = Timestamps.nanoseconds(at) }
        if let coalesceWithin { terms.coalesce = try Milliseconds.of(coalesceWithin, "coalesceWithin", atLeast: 0) }
        if let deduplicationKey {
            guard 1...PostTerms.maximumDedupBytes ~= deduplicationKey.utf8.count else {
                throw NotifyError(
                    .invalidArgument, "deduplicationKey: 1 to \(PostTerms.maximumDedupBytes) bytes are expected")
            }
            terms.dedup = deduplicationKey
        }
        if let ifSequence {
            guard ifSequence <= UInt64(Int64.max) else {
                throw NotifyError(.invalidArgument, "ifSequence: no channel gets as far as \(ifSequence)")
            }
            terms.ifSequence = ifSequence
        }
        terms.priority = priority.onWire
        terms.requireSubscribers = requireSubscribers
        return ClientPostTerms.Box(terms)
    }
}

extension NotifyCenter.Priority {
    init(_ priority: NotifyWire.Priority) {
        switch priority {
        case .low: self = .low
        case .normal: self = .normal
        case .high: self = .high
        }
    }

    var onWire: NotifyWire.Priority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}
