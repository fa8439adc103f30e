// The lock file beside a socket's path: whoever holds it may bind there. It stays when its daemon ends, and goes only
// if it was made for a path where nobody could listen. A lock counts if the file still has the name it was opened by:
// one that was removed meanwhile would be held by two.

import CNotify
import Glibc

struct SocketLock: Sendable {
    enum Fault: Error {
        /// Another process holds it; its id if it is known.
        case held(pid: Int32?)
        case failed(SystemError)
    }

    static func name(beside path: String) -> String { path + ".lock" }

    private let descriptor: Int32
    private let name: String
    /// It was not there before.
    private let isNew: Bool

    /// Locks `PATH.lock` and writes our process id into it.
    init(beside path: String) throws(Fault) {
        name = Self.name(beside: path)
        while true {
            let (fd, isNew) = try Self.open(name)
            if flock(fd, LOCK_EX | LOCK_NB) != 0 {
                let number = errno
                let holder = Self.pid(in: fd)
                SystemCalls.close(fd)
                throw number == EWOULDBLOCK ? .held(pid: holder) : .failed(SystemError(.lock, number))
            }
            guard Self.isNamed(fd, name) else {
                SystemCalls.close(fd)
                continue
            }
            let text = Array("\(getpid())\n".utf8)
            _ = ftruncate(fd, 0)
            _ = pwrite(fd, text, text.count, 0)
            (descriptor, self.isNew) = (fd, isNew)
            return
        }
    }

    /// The file stays for the next daemon at this path.
    func release() { SystemCalls.close(descriptor) }

    /// Nobody listens at this path after all: a file that was made for it goes, one that was there before stays.
    func giveUp() {
        if isNew { _ = unlink(name) }
        release()
    }

    /// The file, made if it is not there, and whether it was made.
    private static func open(_ name: String) throws(Fault) -> (Int32, Bool) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        while true {
            let made = Glibc.open(name, flags | O_CREAT | O_EXCL, 0o600)
            if made >= 0 { return (made, true) }
            guard errno == EEXIST else { throw .failed(SystemError(.open, errno)) }
            let found = Glibc.open(name, flags)
            if found >= 0 { return (found, false) }
            guard errno == ENOENT else { throw .failed(SystemError(.open, errno)) }
        }
    }

    private static func isNamed(_ fd: Int32, _ name: String) -> Bool {
        var (ours, named) = (stat(), stat())
        return fstat(fd, &ours) == 0 && lstat(name, &named) == 0 && ours.st_ino == named.st_ino
            && ours.st_dev == named.st_dev
    }

    private static func pid(in fd: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(fd, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
    }
}
