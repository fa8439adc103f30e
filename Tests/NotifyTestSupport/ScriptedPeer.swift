// A daemon that does exactly what a test says: for what the real one never does, or not on demand.

import Foundation
import NotifyLock

package final class ScriptedPeer: Sendable {
    package let path: String
    private let directory: TemporaryDirectory
    private let listener: Int32
    private let open = Locked<[Int32]>([])

    /// - Parameter backlog: how many connections the kernel keeps before they are accepted.
    package init(backlog: Int32 = 16) throws {
        directory = try TemporaryDirectory()
        path = directory.path("socket")
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(listener, backlog) == 0 else { throw POSIXError(.EIO) }
    }

    deinit {
        close(listener)
        for fd in open.withLock({ $0 }) { close(fd) }
    }

    /// Waits for the next connection.
    package func accept() async -> Connection {
        let listener = listener
        let fd = await onThread { Glibc.accept(listener, nil, nil) }
        open.withLock { $0.append(fd) }
        return Connection(fd: fd, owner: self)
    }

    /// Waits for the next connection and answers its hello.
    package func acceptAndGreet(epoch: String = "e1", position: Int = 0) async -> Connection {
        let connection = await accept()
        _ = await connection.line()
        await connection.send(
            #"{"op":"ok","id":0,"version":1,"server":"scripted","epoch":"\#(epoch)","client":1,"pos":\#(position)}"#)
        return connection
    }

    fileprivate func forget(_ fd: Int32) {
        open.withLock { $0.removeAll { $0 == fd } }
        close(fd)
    }

    package final class Connection: Sendable {
        private let fd: Int32
        private let owner: ScriptedPeer
        private let pending = Locked<[UInt8]>([])

        init(fd: Int32, owner: ScriptedPeer) {
            self.fd = fd
            self.owner = owner
        }

        /// The next line, without its newline; nil when the other side has closed.
        package func line() async -> String? {
            await onThread { [self] in
                while true {
                    let found = pending.withLock { bytes -> String? in
                        guard let end = bytes.firstIndex(of: 10) else { return nil }
                        defer { bytes.removeFirst(end + 1) }
                        return String(decoding: bytes[..<end], as: UTF8.self)
                    }
                    if let found { return found }
                    var chunk = [UInt8](repeating: 0, count: 65536)
                    let count = read(fd, &chunk, chunk.count)
                    if count <= 0 { return nil }
                    pending.withLock { $0 += chunk[..<count] }
                }
            }
        }

        /// The next line's id.
        package func id() async -> Int? {
            guard let line = await line(), let range = line.firstRange(of: #""id":"#) else { return nil }
            return Int(line[range.upperBound...].prefix { $0.isNumber })
        }

        /// Writes a line.
        package func send(_ line: String) async {
            await send(bytes: Array((line + "\n").utf8))
        }

        /// Writes bytes, in pieces of `size` with the socket empty in between as far as the reader keeps up.
        package func send(bytes: [UInt8], by size: Int = .max) async {
            await onThread { [self] in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(size))
                    let count = Glibc.send(fd, piece, piece.count, Int32(MSG_NOSIGNAL))
                    if count <= 0 { return }
                    rest = rest.dropFirst(count)
                }
            }
        }

        /// Writes a line; answers whether somebody is there to read it.
        package func trySend(_ line: String) async -> Bool {
            await onThread { [self] in
                let bytes = Array((line + "\n").utf8)
                return Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
            }
        }

        package func hangUp() {
            owner.forget(fd)
        }
    }
}

/// Runs what blocks on a thread of its own.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
