// The last value of a channel, kept up to date for views and other observers.

public import Observation

extension NotifyCenter {
    /// The last value that was posted to a type's channel: the retained one if there is one, then each that comes.
    ///
    /// ```swift
    /// import Observation
    ///
    /// @MainActor func showItemCount() async {
    ///     let cart = center.latest(for: CartDidChange.self)
    ///     for await (count, isStale) in Observations({ (cart.value?.itemCount ?? 0, cart.isStale) }) {
    ///         print("\(count) items\(isStale ? "?" : "")")
    ///     }
    /// }
    /// ```
    ///
    /// A value stays when the daemon is lost, and when it comes back without it; ``Latest/status`` says how it stands. It
    /// also stays when the retained message is cleared, or its time to live is over: the daemon tells nobody of that. Who
    /// wants to take a value back posts another one that says so.
    ///
    /// The subscription lasts as long as somebody keeps the returned value.
    ///
    /// - Parameters:
    ///   - subject: Only messages about exactly this subject; nil: all. A channel keeps one retained message, whatever its
    ///     subject.
    ///   - type: Whose channel it is.
    @MainActor public func latest<M: Message>(of subject: Subject? = nil, for type: M.Type) -> Latest<M> {
        Latest(link, subject)
    }

    /// The last value of a type that is named by an identifier.
    @MainActor public func latest<Identifier: MessageIdentifier>(
        of subject: Subject? = nil, for identifier: Identifier
    ) -> Latest<Identifier.MessageType> {
        Latest(link, subject)
    }

    /// Shows the last value of a channel. Changes on the main actor, and can be observed.
    @MainActor @Observable public final class Latest<M: Message> {
        /// How the value stands with what is posted.
        public enum Status: Sendable {
            /// The daemon has not been heard yet.
            case waiting
            /// The value is the last one.
            case current
            /// There is a connection, but the daemon does not know the value: it has begun anew, or forgotten something that
            /// was posted while there was no connection, and no message is retained. The value is the last one that came
            /// before; the next one that is posted is ``current``.
            case unconfirmed
            /// There is no connection, or what was posted meanwhile has not come yet: the value is the last one that came
            /// before.
            case disconnected(NotifyError)
            /// Nothing comes any more: the center was shut down, or the daemon has refused the subscription.
            case ended(NotifyError?)
        }

        /// The last value; nil as long as there is none. What is not of this type is skipped, and counted in
        /// ``NotifyCenter/diagnostics``.
        public private(set) var value: M?
        /// What the daemon says about it.
        public private(set) var info: MessageInfo?
        /// Whether the value is known to be the last one, and why not.
        public private(set) var status = Status.waiting

        /// Whether the value may be out of date: there is no connection, or not yet, or the daemon does not know the value.
        public var isStale: Bool {
            if case .current = status { return false }
            return true
        }

        /// More than one, so that what is not of the type does not drive out what is.
        private static var bufferSize: Int { 64 }

        @ObservationIgnored private let source: FeedSource

        init(_ link: Link, _ subject: Subject?) {
            var wish = Wish.typed(
                M.self, subject: subject, replay: .retained, buffer: .bufferingNewest(Self.bufferSize))
            wish.tellsEveryLive = true
            let source = link.subscribe(wish)
            self.source = source
            var follower = LatestFollower<M>(source: source)
            Task { [weak self] in
                while let news = await follower.next() { self?.show(news) }
            }
        }

        deinit {
            source.close()
        }

        private func show(_ news: LatestFollower<M>.News) {
            if let (value, info) = news.value { (self.value, self.info) = (value, info) }
            if let status = news.status { self.status = status }
        }
    }
}
