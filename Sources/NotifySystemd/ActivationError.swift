// What can be wrong with sockets that were meant for us. Each is the fault of whoever passed them (a unit file, a
// wrapper script), so the sentence names the variable or descriptor and what was expected.

import Glibc

package struct ActivationError: Error, Equatable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// LISTEN_PID is ours, but LISTEN_FDS or LISTEN_FDNAMES do not fit.
        case unusableEnvironment(listenFDs: String?, errno: Int32)
        /// A descriptor that is there, but is not what we can serve.
        case descriptor(ActivationSocket, Flaw)
    }

    package enum Flaw: Equatable, Sendable {
        case notASocket
        case notUnix
        case notStream
        case notListening
        case systemCall(errno: Int32)
    }

    package let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    package var description: String {
        switch kind {
        case .unusableEnvironment(let count, EBADF):
            return "LISTEN_FDS=\(count ?? "") announces descriptors from 3 on, but not all of them are open"
        case .unusableEnvironment(let count, ELIBACC):
            return "LISTEN_FDS=\(count ?? "") announces descriptors, but libsystemd.so.0 cannot be loaded"
        case .unusableEnvironment(let count, _):
            return "LISTEN_FDS=\(count ?? "") is not a number of sockets, or LISTEN_FDNAMES does not name as many"
        case .descriptor(let socket, let flaw):
            let what =
                switch flaw {
                case .notASocket: "is not a socket"
                case .notUnix: "is not an AF_UNIX socket"
                case .notStream: "is not a stream socket (ListenStream=)"
                case .notListening: "does not listen (Accept=yes is not supported)"
                case .systemCall(let code): "is unusable: \(String(cString: strerror(code)))"
                }
            return "descriptor \(socket.descriptor) (\(socket.name)), passed for socket activation, \(what)"
        }
    }
}
