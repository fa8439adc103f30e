// A relay in front of a daemon's socket that loses connections on demand: what is on its way in that moment is gone, in
// both directions, while the daemon lives on.

import Foundation
import NotifyLock

package final class CuttableRelay: Sendable {
    package let path: String
    private let directory: TemporaryDirectory
    private let target: String
    private let listener: Int32
    private let open = Locked<Set<Int32>>([])

    package init(to target: String) throws {
        directory = try TemporaryDirectory()
        let path = directory.path("socket")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard RawClient.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw POSIXError(.EIO)
        }
        self.path = path
        self.target = target
        self.listener = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let near = accept(listener, nil, nil)
                if near >= 0 {
                    guard let self else {
                        close(near)
                        continue
                    }
                    join(near)
                } else if errno == EINVAL {
                    // Shut down: only now may the number be somebody else's.
                    close(listener)
                    return
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    /// Loses all connections.
    package func cut() {
        open.withLock { open in
            for fd in open { shutdown(fd, Int32(SHUT_RDWR)) }
        }
    }

    private func join(_ near: Int32) {
        let far = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard RawClient.withAddress(target, { connect(far, $0, $1) }) == 0 else {
            close(near)
            close(far)
            return
        }
        open.withLock { $0.formUnion([near, far]) }
        let pumps = Locked(2)
        for (from, to) in [(near, far), (far, near)] {
            Thread.detachNewThread { [open] in
                var bytes = [UInt8](repeating: 0, count: 4096)
                pumping: while case let count = read(from, &bytes, bytes.count), count > 0 {
                    var sent = 0
                    while sent < count {
                        let result = bytes.withUnsafeBytes {
                            send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
                        }
                        if result <= 0 { break pumping }
                        sent += result
                    }
                }
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                let isLast = pumps.withLock { count in
                    count -= 1
                    return count == 0
                }
                guard isLast else { return }
                open.withLock { $0.subtract([near, far]) }
                close(near)
                close(far)
            }
        }
    }
}
