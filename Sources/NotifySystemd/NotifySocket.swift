// The datagram socket on which systemd hears from its services. sd_notify(3) would do, but for two things that matter
// here: it sends in blocking mode, so that a manager that is slow to read stops the daemon, and it finds the address in
// the environment each time, so that the variable must stay there for every child to inherit. The protocol is declared
// stable and is one sendto(2): that is what this file does, without blocking, to an address that was taken once.
// Descriptors for the descriptor store will travel from here, too.

import CSystemd  // sys/socket.h, which the Glibc of a static build leaves out
import Glibc

package struct NotifySocket: Sendable {
    /// Why an address or a message did not work, as the end of a sentence.
    package struct Fault: Error, Equatable {
        package let reason: String
        /// The receiver is there, but its queue is full: the same message may pass later.
        package let mayPassLater: Bool
    }

    private let address: sockaddr_un
    private let length: socklen_t

    /// Takes the bytes of NOTIFY_SOCKET: an absolute path, or `@name` for an abstract socket.
    package init(address bytes: some Collection<UInt8>) throws(Fault) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let (slash, at) = (UInt8(ascii: "/"), UInt8(ascii: "@"))
        guard let first = bytes.first, first == slash || (first == at && bytes.count > 1) else {
            throw Fault(reason: "neither an absolute path nor an abstract name (@name)", mayPassLater: false)
        }
        guard bytes.count < capacity else {
            throw Fault(reason: "longer than the \(capacity - 1) bytes of a socket address", mayPassLater: false)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if first == at {
                path[0] = 0
            }
        }
        self.address = address
        // A path ends with its NUL; an abstract name begins with one and is as long as it is.
        self.length = socklen_t(
            MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count + (first == slash ? 1 : 0))
    }

    /// Sends one datagram; never waits, never raises SIGPIPE. A new descriptor each time, as sd_notify does: these
    /// messages are rare, and a manager that re-executed itself is found again.
    package func send(_ message: String) throws(Fault) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Fault(errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        let code: Int32 = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                var sent: Int
                repeat {
                    sent = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), generic, length)
                } while sent < 0 && errno == EINTR
                return sent < 0 ? errno : 0
            }
        }
        guard code == 0 else { throw Fault(errno: code) }
    }
}

extension NotifySocket.Fault {
    fileprivate init(errno code: Int32) {
        self.init(
            reason: code == EAGAIN ? "its receiver does not read, the queue is full" : String(cString: strerror(code)),
            // Besides the full queue: memory or descriptors ran out for the moment.
            mayPassLater: [EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE].contains(code))
    }
}
