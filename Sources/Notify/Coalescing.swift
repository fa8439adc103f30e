// Which enqueued messages replace each other before they are sent.

extension NotifyCenter {
    /// Which enqueued messages replace each other before they are sent: of those that come within a time only the last one
    /// is posted, as with Foundation's `NotificationQueue`.
    ///
    /// The first one begins the time; what comes within it takes its place; at its end the last one is posted. Another post
    /// of this center to the same channel and subject lets what is held back go before it.
    ///
    /// This happens in this process: what is replaced is never sent, and nobody hears of it. It spares the way to the daemon
    /// where a program changes something many times in a moment. The daemon does the same for
    /// ``PostOptions/coalesceWithin``, which also joins the posts of several programs, gives receipts, and still posts what
    /// is held back when this process has died.
    public struct Coalescing: Sendable, Hashable {
        enum Scope: CaseIterable {
            case channel
            case channelAndSubject
        }

        let scope: Scope
        let interval: Duration

        private init(_ scope: Scope, _ interval: Duration) {
            precondition(interval > .zero, "messages are held back for more than nothing, not \(interval)")
            self.scope = scope
            self.interval = interval
        }

        /// A message takes the place of one to the same channel, whatever their types and subjects.
        ///
        /// - Precondition: the interval is more than nothing.
        public static func onChannel(within interval: Duration) -> Coalescing { Coalescing(.channel, interval) }

        /// A message takes the place of one to the same channel about the same subject.
        ///
        /// - Precondition: the interval is more than nothing.
        public static func onChannelAndSubject(within interval: Duration) -> Coalescing {
            Coalescing(.channelAndSubject, interval)
        }
    }
}
