// What went wrong, in three parts: a code to branch on, a sentence for people, and the cause if there was one.
// The codes of the wire and the library's own share one extensible type, so that a newer daemon can send new ones.

/// An error of the notification center: a code to branch on, a sentence that says what happened and what to do, and
/// the underlying cause, if any.
public struct NotifyError: Error, Sendable {
    /// Names the kind of an error. Extensible: a newer daemon may send codes that this version has no constant for.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as it stands on the wire, for example `invalid_channel`.
        public let rawValue: String

        /// Makes a code from its text on the wire.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The text as it stands on the wire.
        public var description: String { rawValue }
    }

    /// The kind of error.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The error behind this one, for example the `DecodingError` of a payload.
    public var cause: (any Error)?
    /// For ``Code/invalidJSON``: the byte at which the JSON stops being valid.
    public var offset: Int?
    /// For ``Code/conflict``: the last sequence of the channel.
    public var sequence: UInt64?
    /// For ``Code/rateLimited``: how long to wait before it is tried again.
    public var retryAfter: Duration?
    /// The socket that was talked to, where that matters.
    public var socketPath: String?

    /// Makes an error.
    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, offset: Int? = nil, sequence: UInt64? = nil,
        retryAfter: Duration? = nil, socketPath: String? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.offset = offset
        self.sequence = sequence
        self.retryAfter = retryAfter
        self.socketPath = socketPath
    }
}

extension NotifyError: CustomStringConvertible {
    /// The sentence, with the code in front.
    public var description: String { "\(code): \(message)" }
}

extension NotifyError.Code {
    /// The line or payload is not strict JSON; the error has an offset.
    public static let invalidJSON = Self(rawValue: "invalid_json")
    /// The line is longer than the daemon accepts.
    public static let lineTooLong = Self(rawValue: "line_too_long")
    /// The request has no op, a field twice, or fields that exclude each other.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The daemon does not know this request.
    public static let unknownOp = Self(rawValue: "unknown_op")
    /// The daemon does not know a field of the request.
    public static let unknownField = Self(rawValue: "unknown_field")
    /// A field of the request is missing.
    public static let missingField = Self(rawValue: "missing_field")
    /// A field of the request has a value that is not allowed there.
    public static let invalidField = Self(rawValue: "invalid_field")
    /// The text is no channel name.
    public static let invalidChannel = Self(rawValue: "invalid_channel")
    /// The text is no channel pattern.
    public static let invalidPattern = Self(rawValue: "invalid_pattern")
    /// The daemon does not speak this version of the protocol.
    public static let unsupportedVersion = Self(rawValue: "unsupported_version")
    /// There is no such subscription.
    public static let unknownSubscription = Self(rawValue: "unknown_subscription")
    /// There is such a subscription already.
    public static let duplicateSubscription = Self(rawValue: "duplicate_subscription")
    /// The scheduled post was made or cancelled already, or is another user's.
    public static let unknownSchedule = Self(rawValue: "unknown_schedule")
    /// The channel's last sequence is another than the post expected; the error has it.
    public static let conflict = Self(rawValue: "conflict")
    /// Nobody would get the message, and the post required that somebody does.
    public static let noSubscribers = Self(rawValue: "no_subscribers")
    /// The access rules forbid it.
    public static let denied = Self(rawValue: "denied")
    /// A quota of this connection or user is used up.
    public static let quotaExceeded = Self(rawValue: "quota_exceeded")
    /// Too many requests in too short a time.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// A buffer was full.
    public static let overflow = Self(rawValue: "overflow")
    /// The daemon cannot write to its disk. A post that was answered so may have been accepted: repeated with its
    /// ``NotifyCenter/PostOptions/deduplicationKey`` it is not made twice.
    public static let storageFailed = Self(rawValue: "storage_failed")
    /// The daemon is stopping.
    public static let shuttingDown = Self(rawValue: "shutting_down")

    /// There is no connection to the daemon, or it was lost.
    public static let notConnected = Self(rawValue: "not_connected")
    /// The center was shut down.
    public static let closed = Self(rawValue: "closed")
    /// The message could not be written as JSON.
    public static let encodingFailed = Self(rawValue: "encoding_failed")
    /// The payload is not what the type expects.
    public static let decodingFailed = Self(rawValue: "decoding_failed")
    /// No answer came in time.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The task that waited was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The socket may not be opened by this user.
    public static let permissionDenied = Self(rawValue: "permission_denied")
    /// An argument of a call is out of range.
    public static let invalidArgument = Self(rawValue: "invalid_argument")
    /// What answers at the socket does not speak the protocol.
    public static let protocolViolation = Self(rawValue: "protocol_violation")
}
