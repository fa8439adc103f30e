// Two connected sockets of the Unix family, both non-blocking; closed with the last reference.

import Glibc
import NotifyTransport

final class SocketPair: @unchecked Sendable {
    private(set) var near: Int32
    private(set) var far: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "no descriptors left for a test")
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        closeNear()
        closeFar()
    }

    /// Writes to the far end all that it takes; returns how much that was.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { SystemCalls.send(far, bytes: $0.baseAddress.unsafelyUnwrapped, $0.count) }
    }

    @discardableResult
    func send(_ text: String) -> Int { send(Array(text.utf8)) }

    func closeFar() {
        if far >= 0 { close(far) }
        far = -1
    }

    func closeNear() {
        if near >= 0 { close(near) }
        near = -1
    }
}
