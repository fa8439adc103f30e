// The one gate to the kernel. EINTR is retried here and nowhere else; results are the call's own, or -errno, so that
// the hot path neither throws nor reads thread-local state twice. In debug builds a test can make a call fail
// (SystemCalls+Faults).

package import CNotify
import Glibc

package enum SystemCalls {
    package enum Call: String, Sendable, Hashable {
        case socket, bind, listen, accept, connect, read, send, open, stat, unlink, close, shutdown
        case epollCreate = "epoll_create1"
        case epollControl = "epoll_ctl"
        case epollWait = "epoll_wait"
        case timerCreate = "timerfd_create"
        case wakeupCreate = "eventfd"
        case signals = "signalfd"
        case credentials = "getsockopt"
        case groups = "getsockopt(SO_PEERGROUPS)"
        case lock = "flock"
        case chmod = "fchmod"
    }

    @inline(__always)
    private static func retrying(_ call: Call, _ fd: Int32, _ body: () -> Int) -> Int {
        while true {
            #if DEBUG
                if let number = injectedError(call, fd) {
                    if number == EINTR { continue }
                    return -Int(number)
                }
            #endif
            let result = body()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { return -Int(number) }
        }
    }

    /// The errno of a call that would have to wait.
    package static let wouldBlock = Int(EAGAIN)

    package static func read(_ fd: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
        #if DEBUG
            let count = min(count, injectedCount(.read, fd) ?? count)
        #endif
        return retrying(.read, fd) { Glibc.read(fd, buffer, count) }
    }

    /// sendmsg(2) with MSG_NOSIGNAL and MSG_DONTWAIT.
    package static func send(_ fd: Int32, _ vectors: UnsafePointer<iovec>, _ count: Int) -> Int {
        #if DEBUG
            if let most = injectedCount(.send, fd), count > 0 {
                var first = iovec(iov_base: vectors.pointee.iov_base, iov_len: min(most, vectors.pointee.iov_len))
                return retrying(.send, fd) { cnotify_send(fd, &first, 1) }
            }
        #endif
        return retrying(.send, fd) { cnotify_send(fd, vectors, count) }
    }

    package static func send(_ fd: Int32, bytes: UnsafeRawPointer, _ count: Int) -> Int {
        var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes), iov_len: count)
        return send(fd, &vector, 1)
    }

    package static func accept(_ listener: Int32) -> Int {
        retrying(.accept, listener) { Int(cnotify_accept(listener)) }
    }

    /// A stream socket of the Unix family: close-on-exec and non-blocking.
    package static func makeSocket() -> Int {
        retrying(.socket, -1) {
            Int(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | oNonblock | oCloexec, 0))
        }
    }

    private static let oNonblock = Int32(SOCK_NONBLOCK.rawValue)
    private static let oCloexec = Int32(SOCK_CLOEXEC.rawValue)

    package static func connect(_ fd: Int32, _ address: SocketAddress) -> Int {
        retrying(.connect, fd) { address.withSockaddr { Int(Glibc.connect(fd, $0, $1)) } }
    }

    package static func bind(_ fd: Int32, _ address: SocketAddress) -> Int {
        retrying(.bind, fd) { address.withSockaddr { Int(Glibc.bind(fd, $0, $1)) } }
    }

    package static func listen(_ fd: Int32) -> Int {
        retrying(.listen, fd) { Int(Glibc.listen(fd, SOMAXCONN)) }
    }

    package static func shutdownWriting(_ fd: Int32) -> Int {
        retrying(.shutdown, fd) { Int(Glibc.shutdown(fd, Int32(SHUT_WR))) }
    }

    /// Closes without a retry: Linux has released the descriptor even when close(2) answers EINTR.
    package static func close(_ fd: Int32) {
        _ = Glibc.close(fd)
    }

    package static func credentials(of fd: Int32) -> Result<Credentials, SystemError> {
        var raw = cnotify_credentials()
        let result = retrying(.credentials, fd) { Int(cnotify_peer_credentials(fd, &raw)) }
        guard result >= 0 else { return .failure(SystemError(.credentials, Int32(-result))) }
        return .success(Credentials(pid: raw.pid, uid: raw.uid, gid: raw.gid))
    }

    /// The supplementary groups of whoever connected.
    package static func groups(of fd: Int32) -> Result<[UInt32], SystemError> {
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            var size = UInt32(groups.count * MemoryLayout<UInt32>.size)
            let result = retrying(.groups, fd) { Int(cnotify_peer_groups(fd, &groups, &size)) }
            let count = Int(size) / MemoryLayout<UInt32>.size
            if result >= 0 { return .success(Array(groups.prefix(count))) }
            // There are more; the kernel has said how many.
            guard result == -Int(ERANGE), count > groups.count else {
                return .failure(SystemError(.groups, Int32(-result)))
            }
            groups = [UInt32](repeating: 0, count: count)
        }
    }

    static func epollCreate() -> Int { retrying(.epollCreate, -1) { Int(cnotify_epoll_create()) } }

    static func epollControl(_ set: Int32, _ operation: Int32, _ fd: Int32, _ events: UInt32, _ data: UInt64) -> Int {
        retrying(.epollControl, fd) { Int(cnotify_epoll_control(set, operation, fd, events, data)) }
    }

    /// Waits at most `milliseconds`; a signal ends the wait early with 0 events.
    static func epollWait(
        _ set: Int32, _ events: UnsafeMutablePointer<cnotify_event>, _ count: Int32, _ milliseconds: Int32
    ) -> Int {
        #if DEBUG
            if let number = injectedError(.epollWait, set) { return number == EINTR ? 0 : -Int(number) }
        #endif
        let result = Int(cnotify_epoll_wait(set, events, count, milliseconds))
        if result >= 0 { return result }
        return errno == EINTR ? 0 : -Int(errno)
    }

    static func timerCreate() -> Int { retrying(.timerCreate, -1) { Int(cnotify_timer_create()) } }
    static func wakeupCreate() -> Int { retrying(.wakeupCreate, -1) { Int(cnotify_wakeup_create()) } }

    /// A descriptor that becomes readable when one of the signals is pending; blocks them for the calling thread and
    /// those it starts later.
    package static func signalCreate(_ signals: [Int32]) -> Int {
        retrying(.signals, -1) { Int(cnotify_signal_create(signals, Int32(signals.count))) }
    }

    /// The next pending signal of `signalCreate`'s descriptor; nil when there is none.
    package static func signalRead(_ fd: Int32) -> Int32? {
        let number = cnotify_signal_read(fd)
        return number == 0 ? nil : number
    }

    /// CLOCK_MONOTONIC in nanoseconds.
    package static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// CLOCK_REALTIME in nanoseconds since 1970.
    package static func wallNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
