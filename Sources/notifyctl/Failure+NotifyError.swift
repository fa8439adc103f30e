// One exit status per code; the sentence is the library's, which knows what to advise.

import Notify

extension Failure {
    /// What the library or the daemon refused.
    init(_ error: NotifyError) {
        let status = Self.status(of: error.code)
        // Where the status does not tell the reason, the code does.
        let code = status == .refused ? " (\(error.code.rawValue))" : ""
        let advice = error.retryAfter.map { "; try again in \(Self.seconds($0))" } ?? ""
        self.init(status, Printable.text(error.message + code) + advice)
    }

    /// Tenths of a second, rounded up: earlier it would be refused again.
    private static func seconds(_ time: Duration) -> String {
        let tenths = max(1, (time.inNanoseconds + 99_999_999) / 100_000_000)
        return "\(tenths / 10).\(tenths % 10) s"
    }

    static func status(of code: NotifyError.Code) -> ExitCode {
        switch code {
        case .invalidArgument, .invalidChannel, .invalidPattern: .usage
        case .invalidJSON, .lineTooLong, .encodingFailed: .data
        case .notConnected, .timedOut, .closed, .shuttingDown: .unavailable
        case .decodingFailed, .protocolViolation, .cancelled: .software
        case .quotaExceeded, .rateLimited, .storageFailed: .temporary
        case .overflow: .lost
        case .denied, .permissionDenied: .denied
        case .noSubscribers: .nobody
        default: .refused
        }
    }
}
