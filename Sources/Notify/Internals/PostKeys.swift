// Keys for posts, by which the daemon knows one that is sent again. It remembers each for minutes, and not more than fit
// into a share that all programs of a user have together: so a center asks for so many in a time and no more.

import Glibc
import NotifyLock

final class PostKeys: Sendable {
    /// Keys in a row, and how many come back in a second. By default the daemon keeps a key of some 250 bytes for 120
    /// seconds, in 32 MiB for all programs of a user: that is 1,100 in a second for all of them. A tenth of it for one
    /// center leaves room for other centers, and for the keys that programs give themselves.
    static let most: UInt64 = 1000
    static let perSecond: UInt64 = 100

    private struct State {
        var count: UInt64 = 0
        var left = PostKeys.most
        /// Up to when keys have come back.
        var since: UInt64?
    }

    private let prefix = String(UInt64.random(in: 0...(.max)), radix: 36)
    private let state = Locked(State())

    /// A key that no other post has; nil when there were too many of late.
    func next(_ now: UInt64) -> String? {
        let count = state.withLock { state -> UInt64? in
            let step = 1_000_000_000 / Self.perSecond
            let since = state.since ?? now
            let back = (max(now, since) - since) / step
            state.left = min(Self.most, state.left + back)
            state.since = since + back * step
            guard state.left > 0 else { return nil }
            state.left -= 1
            state.count += 1
            return state.count
        }
        // With the process: a child that goes on after fork(2) has the same prefix.
        return count.map { "\(prefix)-\(getpid())-\($0)" }
    }
}
