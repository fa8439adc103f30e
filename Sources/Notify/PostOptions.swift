// How a message is posted. The protocol's other wishes (time to live, delay, priority, …) get their places here.

import NotifyWire

extension NotifyCenter {
    /// How a message is posted.
    public struct PostOptions: Sendable, Hashable {
        /// Whether the daemon keeps this message as the channel's last value for later subscribers.
        public var retain: Bool

        /// Makes options.
        public init(retain: Bool = false) {
            self.retain = retain
        }

        /// Keeps the message as the channel's last value.
        public static let retained = PostOptions(retain: true)

        /// The same in the words of the protocol.
        func onWire() throws(NotifyError) -> ClientPostTerms {
            var terms = ClientPostTerms()
            terms.isRetained = retain
            return terms
        }
    }
}
