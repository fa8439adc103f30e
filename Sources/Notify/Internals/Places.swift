// Where an endpoint's daemon may listen, and what to say when it does not. Pure: the environment comes in as a closure.

import Glibc
import NotifyTransport

struct Places {
    static let system = "/run/notifyd/socket"

    /// The sockets to try, in this order.
    let paths: [String]

    /// - Throws: `notConnected` when the endpoint is the user's and there is no `$XDG_RUNTIME_DIR`.
    init(
        _ endpoint: NotifyCenter.Endpoint, environment: (String) -> String?
    ) throws(NotifyError) {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let user = variable("XDG_RUNTIME_DIR").map { $0 + "/notifyd/socket" }
        switch endpoint.place {
        case .automatic:
            if let path = variable("NOTIFYD_SOCKET") {
                paths = [path]
            } else {
                paths = [user, Self.system].compactMap { $0 }
            }
        case .user:
            guard let user else {
                throw NotifyError(.notConnected, "no user's daemon: $XDG_RUNTIME_DIR is not set")
            }
            paths = [user]
        case .system: paths = [Self.system]
        case .path(let path): paths = [path]
        }
    }

    /// An address, or why the text is none.
    static func address(_ path: String) throws(NotifyError) -> SocketAddress {
        do {
            return try SocketAddress(path)
        } catch {
            throw NotifyError(.invalidArgument, "\(error)", socketPath: path)
        }
    }

    /// Nobody listens at any of the sockets.
    ///
    /// - Parameter hasSystemd: as sd_booted(3) finds out.
    static func absence(
        _ paths: [String], hasSystemd: Bool = access("/run/systemd/system", F_OK) == 0
    ) -> NotifyError {
        let starts = paths.map { path in
            switch path {
            case system: hasSystemd ? "systemctl start notifyd.socket" : "notifyd"
            case _ where path.hasPrefix("/run/user/") && path.hasSuffix("/notifyd/socket"):
                "systemctl --user enable --now notifyd.socket"
            default: "notifyd --socket \(path)"
            }
        }
        // Its socket may have been closed because it cannot start.
        let cause = paths == [system] && hasSystemd ? "; if it does not stay, see journalctl -u notifyd" : ""
        return NotifyError(
            .notConnected,
            "no daemon at \(paths.joined(separator: " or ")): start it with \(starts.joined(separator: " or "))\(cause)",
            socketPath: paths.last)
    }

    /// What is there is something else.
    static func mistake(_ path: String) -> NotifyError {
        NotifyError(.notConnected, "\(path) is no socket", socketPath: path)
    }

    /// Somebody listens but does not take the connection, or does not answer hello.
    static func silence(_ path: String?) -> NotifyError {
        NotifyError(.notConnected, "the daemon at \(path ?? "the socket") does not answer", socketPath: path)
    }

    static func refusal(_ path: String, _ error: SystemError) -> NotifyError {
        NotifyError(.notConnected, "cannot connect to \(path): \(error)", cause: error, socketPath: path)
    }

    static func prohibition(_ path: String, group: String?) -> NotifyError {
        let advice = group.map { ": the socket belongs to group '\($0)'" } ?? ""
        return NotifyError(.permissionDenied, "no permission to open \(path)\(advice)", socketPath: path)
    }
}
