// Why a request was refused: a code that programs act on and a sentence that people read.

package enum ErrorCode: String, CaseIterable, Sendable {
    case invalidJSON = "invalid_json"
    case lineTooLong = "line_too_long"
    case invalidRequest = "invalid_request"
    case unknownOp = "unknown_op"
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case invalidChannel = "invalid_channel"
    case invalidPattern = "invalid_pattern"
    case unsupportedVersion = "unsupported_version"
    case unknownSubscription = "unknown_subscription"
    case duplicateSubscription = "duplicate_subscription"
    case unknownSchedule = "unknown_schedule"
    case denied
    case quotaExceeded = "quota_exceeded"
    case rateLimited = "rate_limited"
    case conflict
    case noSubscribers = "no_subscribers"
    case overflow
    case storageFailed = "storage_failed"
    case shuttingDown = "shutting_down"
}

package struct Refusal: Error, Sendable, Equatable {
    package var code: ErrorCode
    package var message: String
    /// For `invalid_json`: the 0-based byte of the line at which it stops being JSON.
    package var offset: Int?
    /// For `unsupported_version`: the versions this daemon speaks.
    package var supported: [Int]?
    /// For `conflict`: the channel's `seq`.
    package var sequence: UInt64?

    /// For `overflow`, and for `denied` after a change of the rules: the subscription that has ended.
    package var sub: UInt32?

    /// For `rate_limited`: nanoseconds until it may be tried again.
    package var retry: UInt64?

    /// Which post of a batch it is about; nil: all of them, or there is no batch.
    package var post: Int?

    package init(
        _ code: ErrorCode, _ message: String, offset: Int? = nil, supported: [Int]? = nil, sequence: UInt64? = nil,
        sub: UInt32? = nil, retry: UInt64? = nil
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.supported = supported
        self.sequence = sequence
        self.sub = sub
        self.retry = retry
    }

    package static func invalidField(_ field: Field, _ expected: String) -> Refusal {
        Refusal(.invalidField, "field '\(field.name)': \(expected)")
    }

    package static func invalidChannel(_ name: ByteSlice, _ fault: NameFault) -> Refusal {
        Refusal(.invalidChannel, "channel '\(name.excerpt)': \(fault.reason) at byte \(fault.offset)")
    }

    package static func invalidPattern(_ name: ByteSlice, _ fault: NameFault) -> Refusal {
        Refusal(.invalidPattern, "pattern '\(name.excerpt)': \(fault.reason) at byte \(fault.offset)")
    }
}
