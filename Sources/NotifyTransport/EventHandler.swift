// What an event loop tells those whose descriptors it watches. All calls come on the loop's queue.

import CNotify

package protocol EventHandler: AnyObject {
    /// Something can be done on the descriptor that was added with `token`.
    func ready(_ readiness: Readiness, token: UInt32)

    /// All events of one wake-up have been told: the moment to write.
    func wakeUpEnded()

    /// The deadline set last has passed. `now` is CLOCK_MONOTONIC in nanoseconds.
    func deadlineReached(_ now: UInt64)
}

/// Names a handler within its loop.
package struct HandlerID: Sendable, Hashable {
    let index: Int

    /// Names nobody; to be replaced by what `addHandler` returns.
    package static let unset = HandlerID(index: -1)
}

/// What a descriptor is ready for, or what one wants to know of it (epoll(7)).
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The standard library's would be found through a table of witnesses from other modules, several times in a wake-up.
    @inlinable
    package func contains(_ other: Readiness) -> Bool { rawValue & other.rawValue == other.rawValue }

    package static let input = Readiness(rawValue: UInt32(CNOTIFY_IN))
    package static let output = Readiness(rawValue: UInt32(CNOTIFY_OUT))
    /// Reported always: both directions are closed.
    package static let hangUp = Readiness(rawValue: UInt32(CNOTIFY_HUP))
    /// Reported always.
    package static let error = Readiness(rawValue: UInt32(CNOTIFY_ERR))
    /// Something that a read will tell more about.
    package static let readable = Readiness(rawValue: UInt32(CNOTIFY_IN | CNOTIFY_HUP | CNOTIFY_ERR))
}
