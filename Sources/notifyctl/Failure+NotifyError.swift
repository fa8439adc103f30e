// One exit status per code; the sentence is the library's, which knows what to advise.

import Notify

extension Failure {
    /// What the library or the daemon refused.
    init(_ error: NotifyError) {
        self.init(Self.status(of: error.code), Printable.text(error.message))
    }

    static func status(of code: NotifyError.Code) -> ExitCode {
        switch code {
        case .invalidArgument, .invalidChannel, .invalidPattern: .usage
        case .invalidJSON, .lineTooLong, .encodingFailed: .data
        case .notConnected, .timedOut, .closed, .shuttingDown: .unavailable
        case .decodingFailed, .protocolViolation, .cancelled: .software
        case .quotaExceeded, .rateLimited: .temporary
        case .denied, .permissionDenied: .denied
        case NotifyError.Code(rawValue: "no_subscribers"): .nobody
        default: .refused
        }
    }
}
