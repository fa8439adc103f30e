// Socket activation: systemd binds and listens, starts us at the first connection, and hands the listening sockets
// over as descriptors 3, 4, … with LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES telling whose they are, how many, and
// their names. The bytes of these variables are libsystemd's to read; what is ours is the verdict:
//
//   not set, or LISTEN_PID is not us        the variables leaked from some parent: no sockets, no error
//   ours, and anything at all is wrong      an error: somebody meant to give us sockets, so binding elsewhere is wrong
//
// Either way the variables are gone afterwards, so that no child can take our sockets for its own.
// A descriptor store (descriptors that systemd kept over a restart) comes in through the same door, after the
// sockets and under names of its own: this is the file where they will be told apart.

import CSystemd
import Glibc

/// One listening socket that systemd opened for us. It is non-blocking and closed on exec; it must never be unlinked.
package struct ActivationSocket: Equatable, Sendable {
    package let descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, its unit name without one, `unknown` when the giver told no names.
    package let name: String
}

package enum ActivationSockets {
    /// Takes what systemd passed to this process. To be called once, before there is a second thread (it changes the
    /// environment).
    package static func take() throws(ActivationError) -> [ActivationSocket] {
        defer { forgetVariables() }
        guard isForThisProcess() else { return [] }
        // Read before libsystemd removes it, for the error message.
        let announced = getenv("LISTEN_FDS").map { String(cString: $0) }

        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = csystemd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw ActivationError(.unusableEnvironment(listenFDs: announced, errno: -count)) }
        defer { free(names) }

        var sockets: [ActivationSocket] = []
        for index in 0..<Int(count) {
            let name = names?[index]
            defer { free(name) }
            sockets.append(
                ActivationSocket(
                    descriptor: SD_LISTEN_FDS_START + Int32(index),
                    name: name.map { String(cString: $0) } ?? "unknown"))
        }
        for socket in sockets {
            try check(socket)
            // systemd gives sockets back in blocking mode at every start, whatever they were before.
            let flags = fcntl(socket.descriptor, F_GETFL)
            guard flags >= 0, fcntl(socket.descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
                throw ActivationError(.descriptor(socket, .systemCall(errno: errno)))
            }
        }
        return sockets
    }

    /// Only an exact, well-formed match means us: libsystemd would call a malformed LISTEN_PID an error, but such a
    /// value can only have leaked from somewhere else, since systemd writes it.
    private static func isForThisProcess() -> Bool {
        guard let value = getenv("LISTEN_PID") else { return false }
        return pid_t(String(cString: value)) == getpid()
    }

    private static func check(_ socket: ActivationSocket) throws(ActivationError) {
        let fd = socket.descriptor
        let stream = Int32(SOCK_STREAM.rawValue)
        let questions: [(answer: Int32, otherwise: ActivationError.Flaw)] = [
            (csystemd_is_socket(fd, AF_UNSPEC, 0, -1), .notASocket),
            (csystemd_is_socket_unix(fd, 0, -1), .notUnix),
            (csystemd_is_socket_unix(fd, stream, -1), .notStream),
            (csystemd_is_socket_unix(fd, stream, 1), .notListening),
        ]
        for (answer, flaw) in questions where answer <= 0 {
            throw ActivationError(.descriptor(socket, answer < 0 ? .systemCall(errno: -answer) : flaw))
        }
    }

    private static func forgetVariables() {
        for name in ["LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            unsetenv(name)
        }
    }
}
