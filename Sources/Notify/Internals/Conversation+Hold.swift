// Posts that are held back, and when they go: when they are due, when another post to the same channel and subject goes
// (what is older comes first), when the center is shut down.

extension Conversation {
    /// Holds a post back in case a newer one comes.
    mutating func hold(
        _ line: [UInt8], _ key: HeldPosts.Key, for nanoseconds: UInt64, _ now: UInt64
    ) throws(NotifyError) {
        if isEnding, let closedError { throw closedError }
        want(now)
        if isOpen { try checkLength(line) }
        held.hold(line, key, until: now &+ nanoseconds)
    }

    /// Another post goes to this channel and subject.
    mutating func releaseHeld(before draft: PostDraft, _ now: UInt64) {
        if held.isEmpty { return }
        for scope in NotifyCenter.Coalescing.Scope.allCases {
            if let line = held.remove(HeldPosts.Key(draft, scope)) { post([line], now) }
        }
    }

    /// Those that are due.
    mutating func releaseHeld(_ now: UInt64) {
        if let next = held.next, next <= now { post(held.remove(dueBy: now), now) }
    }

    mutating func releaseAllHeld(_ now: UInt64) {
        post(held.remove(dueBy: .max), now)
    }

    private mutating func post(_ lines: [[UInt8]], _ now: UInt64) {
        for line in lines {
            do {
                try enqueue(line: line, now)
            } catch {
                effects.append(.unheard(error))
            }
        }
    }
}
