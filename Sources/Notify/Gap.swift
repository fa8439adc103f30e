// Messages that are missing, told in the place where they are missing.

extension NotifyCenter {
    /// Messages that are missing, told in the place where they are missing.
    public struct Gap: Sendable, Hashable {
        /// Why messages are missing. Extensible.
        public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
            /// The reason as it stands on the wire.
            public let rawValue: String

            /// Makes a reason from its text on the wire.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The text as it stands on the wire.
            public var description: String { rawValue }

            /// A buffer was full: the daemon's for this subscription, or the one in this process.
            public static let overflow = Self(rawValue: "overflow")
            /// Older messages were replaced by newer ones on request.
            public static let coalesced = Self(rawValue: "coalesced")
            /// Messages were older than their time to live.
            public static let expired = Self(rawValue: "expired")
            /// History does not reach that far back.
            public static let history = Self(rawValue: "history")
            /// The daemon lost its state: positions and sequences count anew.
            public static let epoch = Self(rawValue: "epoch")
            /// There was no connection; what was posted meanwhile is not known.
            public static let disconnected = Self(rawValue: "disconnected")
        }

        /// The channel, if the loss is on one.
        public var channel: Channel?
        /// The sequence of the first missing message, if known.
        public var from: UInt64?
        /// The sequence of the last missing message, if known.
        public var to: UInt64?
        /// How many are missing, if known.
        public var count: UInt64?
        /// Why.
        public var reason: Reason

        /// Makes a gap.
        public init(
            channel: Channel? = nil, from: UInt64? = nil, to: UInt64? = nil, count: UInt64? = nil, reason: Reason
        ) {
            self.channel = channel
            self.from = from
            self.to = to
            self.count = count
            self.reason = reason
        }
    }
}
