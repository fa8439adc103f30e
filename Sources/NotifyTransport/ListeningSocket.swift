// A socket that we bind ourselves. A lock file beside the path decides who may; a socket file that nobody serves is
// replaced, one that is served never, and a path that is no socket is never touched. The file has its final mode from
// the first instant.

import CNotify
import Glibc

package struct ListeningSocket: Sendable {
    package enum Fault: Error, CustomStringConvertible, Sendable {
        /// Somebody serves this address; the process id if it is known.
        case inUse(SocketAddress, pid: Int32?)
        case notASocket(String)
        case failed(SystemError, String)

        package var description: String {
            switch self {
            case .inUse(let address, let pid):
                "\(address) is served by another daemon" + (pid.map { " (process \($0))" } ?? "")
            case .notASocket(let path): "\(path) exists and is not a socket; it was left alone"
            case .failed(let error, let place): "cannot listen on \(place): \(error)"
            }
        }
    }

    package let address: SocketAddress
    package let descriptor: Int32
    private let mode: UInt32
    /// Held for as long as we serve; nil for an abstract address.
    private let lock: SocketLock?
    private let file: FileIdentity?

    private struct FileIdentity: Equatable {
        var device: UInt
        var inode: UInt
    }

    /// - Parameter mode: rights of the socket file, whatever the umask says.
    package init(binding address: SocketAddress, mode: UInt32) throws(Fault) {
        let lock = try Self.lock(address)
        do throws(Fault) {
            try self.init(address, mode, lock)
        } catch {
            lock?.giveUp()
            throw error
        }
    }

    private init(_ address: SocketAddress, _ mode: UInt32, _ lock: SocketLock?) throws(Fault) {
        if let path = address.path { try Self.removeStale(path, address) }
        let fd = SystemCalls.makeSocket()
        guard fd >= 0 else { throw .failed(SystemError(.socket, Int32(-fd)), address.description) }
        self.descriptor = Int32(fd)
        self.address = address
        self.mode = mode
        self.lock = lock
        do throws(Fault) {
            try Self.bind(descriptor, address, mode)
            self.file = address.path.flatMap(Self.identity)
        } catch {
            SystemCalls.close(descriptor)
            throw error
        }
    }

    private static func bind(_ fd: Int32, _ address: SocketAddress, _ mode: UInt32) throws(Fault) {
        // The file takes the descriptor's mode, less the umask: with no umask it is exact at once.
        _ = fchmod(fd, mode)
        let mask = umask(0)
        let bound = SystemCalls.bind(fd, address)
        _ = umask(mask)
        if bound == -Int(EADDRINUSE) { throw .inUse(address, pid: nil) }
        if bound < 0 { throw .failed(SystemError(.bind, Int32(-bound)), address.description) }
        let listening = SystemCalls.listen(fd)
        if listening < 0 { throw .failed(SystemError(.listen, Int32(-listening)), address.description) }
    }

    private static func lock(_ address: SocketAddress) throws(Fault) -> SocketLock? {
        guard let path = address.path else { return nil }
        do throws(SocketLock.Fault) {
            return try SocketLock(beside: path)
        } catch {
            switch error {
            case .held(let pid): throw .inUse(address, pid: pid)
            case .failed(let error): throw .failed(error, SocketLock.name(beside: path))
            }
        }
    }

    /// Removes the socket file if nobody accepts there. We hold the lock, so no other notifyd can be about to.
    private static func removeStale(_ path: String, _ address: SocketAddress) throws(Fault) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = SystemCalls.makeSocket()
        guard probe >= 0 else { throw .failed(SystemError(.socket, Int32(-probe)), path) }
        defer { SystemCalls.close(Int32(probe)) }
        let result = SystemCalls.connect(Int32(probe), address)
        // Only a refusal says that nobody listens; a full backlog (EAGAIN) says that somebody does.
        guard result == -Int(ECONNREFUSED) else { throw .inUse(address, pid: nil) }
        if unlink(path) != 0, errno != ENOENT { throw .failed(SystemError(.unlink, errno), path) }
    }

    private static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// Whether a client that connects to the path comes to us: not, for instance, after somebody removed the file.
    package var isReachable: Bool {
        guard let path = address.path else { return true }
        return Self.identity(path) == file
    }

    /// Binds anew where the file is gone; the lock stays ours. The old descriptor is the caller's to close.
    package func rebound() throws(Fault) -> ListeningSocket {
        try ListeningSocket(address, mode, lock)
    }

    /// Stops listening and removes the file if it is still ours. The lock file stays.
    package func close() {
        SystemCalls.close(descriptor)
        if let path = address.path, isReachable { _ = unlink(path) }
        lock?.release()
    }
}
