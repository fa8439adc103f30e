// One access rule: whom it allows, or denies, what on which channels.

package import NotifyWire

package struct AccessRule: Equatable, Sendable {
    package enum Effect: Sendable { case allow, deny }

    package enum Scope: Equatable, Sendable {
        /// Channels that match one of these.
        case patterns([String])
        /// Every channel, the daemon's own included.
        case all
        /// `user.UID.>` with the uid of whoever asks.
        case ownUser
        /// `user.UID.>` with whatever number.
        case anyUser
    }

    package var effect: Effect
    package var rights: RightSet
    package var scope: Scope
    package var who: Selector
    /// As it stands in the configuration.
    package var text: String
    /// Where it stands: a file and the rule's number in it.
    package var origin: String

    package init(
        _ effect: Effect, _ rights: RightSet, on scope: Scope = .all, to who: Selector = Selector(), text: String,
        origin: String
    ) {
        self.effect = effect
        self.rights = rights
        self.scope = scope
        self.who = who
        self.text = text
        self.origin = origin
    }

    /// Whether it counts for this process. Of a process whose unit nobody knows, what denies something to a unit does, and
    /// what allows something to one does not.
    func counts(for identity: Identity) -> Bool {
        switch who.matches(identity) {
        case .yes: true
        case .no: false
        case .unknown: effect == .deny
        }
    }
}

extension AccessRule.Scope {
    /// Whether it has this channel; `uid` is who asks.
    func contains(_ channel: ByteSlice, uid: UInt32) -> Bool {
        switch self {
        case .all: true
        case .patterns(let patterns): patterns.contains { Self.with($0) { PatternName.covers($0, channel) } }
        case .ownUser: Self.with(Self.own(uid)) { PatternName.matches($0, channel) }
        case .anyUser: Self.isOfUser(channel)
        }
    }

    /// Whether it has every channel that matches the pattern. (In doubt it has not.)
    func covers(_ pattern: [UInt8], uid: UInt32) -> Bool {
        pattern.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { contains(ByteSlice($0, bytes.count), uid: uid) } ?? false
        }
    }

    /// What it has in common with the pattern: patterns, too.
    func common(with pattern: [UInt8], uid: UInt32) -> [[UInt8]] {
        switch self {
        case .all: [pattern]
        case .patterns(let patterns):
            patterns.compactMap { PatternName.intersection([UInt8]($0.utf8), pattern) }
        case .ownUser: [PatternName.intersection([UInt8](Self.own(uid).utf8), pattern)].compactMap { $0 }
        // Only denied by built-in rules, of which this is never asked.
        case .anyUser: [PatternName.intersection([UInt8]("user.*.>".utf8), pattern)].compactMap { $0 }
        }
    }

    private static func own(_ uid: UInt32) -> String { "user.\(uid).>" }

    /// `user.`, a number, and at least one token more.
    private static func isOfUser(_ channel: ByteSlice) -> Bool {
        let first: StaticString = "user."
        guard channel.count > first.utf8CodeUnitCount, ByteSlice(channel.base, first.utf8CodeUnitCount).equals(first)
        else { return false }
        var place = first.utf8CodeUnitCount
        while place < channel.count, channel[place] &- 48 < 10 { place += 1 }
        return place > first.utf8CodeUnitCount && place + 1 < channel.count && channel[place] == UInt8(ascii: ".")
    }

    private static func with<R>(_ text: String, _ body: (ByteSlice) -> R) -> R {
        var text = text
        return text.withUTF8 { body(ByteSlice($0.baseAddress ?? ByteSlice.empty.base, $0.count)) }
    }
}
