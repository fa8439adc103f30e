// Everything that can go wrong has a name.

import Notify

let codes: [NotifyError.Code] = [
    .invalidJSON, .lineTooLong, .invalidRequest, .unknownOp, .unknownField, .missingField, .invalidField,
    .invalidChannel, .invalidPattern, .unsupportedVersion, .unknownSubscription, .duplicateSubscription,
    .unknownSchedule, .conflict, .noSubscribers, .denied, .quotaExceeded, .rateLimited, .overflow,
    .storageFailed, .shuttingDown,
    .notConnected, .closed, .encodingFailed, .decodingFailed, .timedOut, .cancelled, .permissionDenied,
    .invalidArgument, .protocolViolation,
]

func show(_ error: NotifyError) {
    print(error.code.rawValue, error.code.description, error.message, error.description)
    print(error.cause == nil, error.offset ?? 0, error.sequence ?? 0, error.socketPath ?? "", error.retryAfter ?? .zero)
}

func newer() -> NotifyError {
    NotifyError(
        .init(rawValue: "new"), "unheard of", cause: nil, offset: 1, sequence: 2, retryAfter: .seconds(1),
        socketPath: "socket")
}
