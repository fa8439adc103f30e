// Which access rule decides whether somebody may do something.

extension NotifyCenter {
    /// What the daemon's access rules allow or deny. Extensible: a newer daemon may know more.
    public struct AccessRight: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The right's name, as in the daemon's configuration.
        public let rawValue: String

        /// Makes a right from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The right's name.
        public var description: String { rawValue }

        /// To post on a channel, now or later, and to forget its retained message.
        public static let post = Self(rawValue: "post")
        /// To get what is posted on a channel, from its history, or its retained message.
        public static let listen = Self(rawValue: "listen")
        /// To see what others do.
        public static let observe = Self(rawValue: "observe")
        /// To make posters wait for one's full queue.
        public static let block = Self(rawValue: "block")
        /// To take back what others have scheduled.
        public static let admin = Self(rawValue: "admin")
    }

    /// Whom a question about access rules is about.
    public struct AccessSubject: Sendable, Hashable {
        /// The user.
        public var uid: UInt32
        /// All of the user's groups.
        public var groups: [UInt32]
        /// The unit of systemd that the process belongs to; nil: nobody knows.
        public var unit: String?

        /// Somebody with this uid, in these groups.
        public init(uid: UInt32, groups: [UInt32] = [], unit: String? = nil) {
            self.uid = uid
            self.groups = groups
            self.unit = unit
        }
    }

    /// The daemon's answer to ``NotifyCenter/explain(_:on:for:)`` and ``NotifyCenter/explain(tracing:for:)``.
    public struct AccessExplanation: Sendable, Hashable, Codable {
        /// Whether it is allowed.
        public var allowed: Bool
        /// What was asked for.
        public var right: AccessRight
        /// Where.
        public var channel: Channel
        /// If it is about a trace: of which posts.
        public var pattern: Pattern?
        /// Who was asked about.
        public var uid: UInt32
        /// The groups of who was asked about.
        public var groups: [UInt32]
        /// The unit of who was asked about; nil: nobody knows.
        public var unit: String?
        /// The rule that decides; nil: none is about it, so it is denied.
        public var rule: String?
        /// Where the rule stands: a file and its number there, or `built in`.
        public var origin: String?
    }

    /// Which access rule decides whether a right is granted on a channel.
    ///
    /// - Parameters:
    ///   - right: what is asked for.
    ///   - channel: where.
    ///   - subject: whom the question is about; nil: this program. About others may ask who has the right
    ///     ``AccessRight/observe``.
    /// - Throws: `denied` when it is about somebody else and may not be asked.
    public func explain(
        _ right: AccessRight, on channel: Channel, for subject: AccessSubject? = nil
    ) async throws(NotifyError) -> AccessExplanation {
        try await link.ask(.explain(right, channel.rawValue, subject)).explanation()
    }

    /// Which access rule decides whether posts may be traced: by a subscription to `$notifyd.trace.` and the pattern, as
    /// `notifyctl trace` has. It tells of the channels among them that may be observed.
    ///
    /// - Parameters:
    ///   - pattern: the channels of the posts.
    ///   - subject: whom the question is about; nil: this program. About others may ask who has the right
    ///     ``AccessRight/observe``.
    /// - Throws: `denied` when it is about somebody else and may not be asked.
    public func explain(
        tracing pattern: Pattern, for subject: AccessSubject? = nil
    ) async throws(NotifyError) -> AccessExplanation {
        try await link.ask(.explain(.observe, "$notifyd.trace.\(pattern.rawValue)", subject)).explanation()
    }
}
