// Which signals the daemon listens to. They are blocked before the first thread starts and read from a signalfd.

import Glibc
package import NotifyTransport

package enum Signals {
    enum Meaning {
        case stop
        case reload
    }

    static func meaning(of signal: Int32) -> Meaning {
        signal == SIGHUP ? .reload : .stop
    }

    /// Blocks SIGTERM, SIGINT and SIGHUP and returns the descriptor they are read from; ignores SIGPIPE. To be called
    /// while there is one thread.
    package static func take() throws(SystemError) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        let result = SystemCalls.signalCreate([SIGTERM, SIGINT, SIGHUP])
        guard result >= 0 else { throw SystemError(.signals, Int32(-result)) }
        return Int32(result)
    }
}
