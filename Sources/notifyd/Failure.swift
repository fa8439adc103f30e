// Why notifyd ends before it serves: one sentence and an exit status of sysexits(3).

import Glibc
import NotifyDaemon

struct Failure: Error {
    enum Status: Int32, CaseIterable {
        case usage = 64
        /// The socket is served by another daemon.
        case unavailable = 69
        case software = 70
        case cannotBind = 73
        case configuration = 78

        /// What the status means, for `--help`.
        var meaning: String {
            switch self {
            case .usage: "wrong usage"
            case .unavailable: "the socket is served by another daemon"
            case .software: "a fault in notifyd"
            case .cannotBind: "cannot bind the socket"
            case .configuration: "wrong configuration"
            }
        }
    }

    var status: Status
    var message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    func tell() {
        let line = Array("notifyd: \(message.printable)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
