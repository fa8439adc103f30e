// The sequences of this library: what operators for bursts can be applied to. Not all of AsyncSequence, so that who uses
// the package swift-async-algorithms beside this library has its operators on all others.

extension NotifyCenter {
    /// The sequences of this library. They have operators for messages that come in bursts, with the names and the meaning
    /// of those in the package swift-async-algorithms, and can be chained:
    ///
    /// ```swift
    /// let counts = center.messages(for: CartDidChange.self)
    ///     .removeDuplicates { $0.itemCount == $1.itemCount }
    ///     .throttle(for: .milliseconds(100))
    /// for await change in counts { print(change.itemCount) }
    /// ```
    ///
    /// An operator's iterator takes elements in a task of its own, from its first `next()` until it is let go or the task
    /// that iterates is cancelled.
    public protocol MessageSequence: AsyncSequence, Sendable where Element: Sendable {}
}

extension NotifyCenter.Messages: NotifyCenter.MessageSequence {}
extension NotifyCenter.Events: NotifyCenter.MessageSequence {}
extension NotifyCenter.RawMessages: NotifyCenter.MessageSequence {}
extension NotifyCenter.RawEvents: NotifyCenter.MessageSequence {}
extension NotifyCenter.ConnectionStates: NotifyCenter.MessageSequence {}

extension NotifyCenter.Messages: BelongsToTestWorld { package var testWorld: TestWorld? { source.link.local?.world } }
extension NotifyCenter.Events: BelongsToTestWorld { package var testWorld: TestWorld? { source.link.local?.world } }
extension NotifyCenter.RawMessages: BelongsToTestWorld {
    package var testWorld: TestWorld? { source.link.local?.world }
}
extension NotifyCenter.RawEvents: BelongsToTestWorld { package var testWorld: TestWorld? { source.link.local?.world } }
