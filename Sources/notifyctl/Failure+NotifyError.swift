// One exit status per code, and one line of advice where we know what to do.

import Glibc
import Notify

extension Failure {
    /// What the library or the daemon refused.
    init(_ error: NotifyError) {
        var text = Printable.text(error.message)
        if let advice = Self.advice(error) { text += ": \(advice)" }
        self.init(Self.status(of: error.code), text)
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

    private static func advice(_ error: NotifyError) -> String? {
        guard error.code == .permissionDenied, let path = error.socketPath else { return nil }
        return SocketFile(path: path)?.advice
    }
}

/// A socket in the file system, and who may connect to it.
struct SocketFile: Equatable {
    var owner: String
    var group: String
    var mode: mode_t

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        mode = status.st_mode
        owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
    }

    init(owner: String, group: String, mode: mode_t) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Whom to ask, or which group to join.
    var advice: String {
        mode & S_IWGRP != 0
            ? "only \(owner) and members of group \(group) may connect" : "only \(owner) may connect (group \(group))"
    }
}
