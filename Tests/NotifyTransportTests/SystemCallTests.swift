// The gate to the kernel: results as they are, errors as their negative, and faults on purpose.

import Glibc
import NotifyTransport
import Testing

@Suite("System calls")
struct SystemCallTests {
    @Test("answer the errno as its negative and send no signal when the peer is gone")
    func brokenPipe() {
        let pair = SocketPair()
        pair.closeFar()
        let byte: [UInt8] = [1]
        #expect(SystemCalls.send(pair.near, bytes: byte, 1) == -Int(EPIPE))
        #expect(SystemCalls.send(-1, bytes: byte, 1) == -Int(EBADF))
    }

    @Test("do not wait when the peer does not read")
    func fullBuffer() {
        let pair = SocketPair()
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        var total = 0
        var last = 1
        while last > 0 {
            last = SystemCalls.send(pair.near, bytes: bytes, bytes.count)
            total += max(0, last)
        }
        #expect(last == -SystemCalls.wouldBlock)
        #expect(total > 0)
    }

    @Test("make sockets that do not block and are closed on exec")
    func flags() {
        let socket = SystemCalls.makeSocket()
        #expect(socket >= 0)
        #expect(fcntl(Int32(socket), F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(Int32(socket), F_GETFD) & FD_CLOEXEC != 0)
        close(Int32(socket))
    }

    @Test("know who is at the other end")
    func credentials() throws {
        let pair = SocketPair()
        let who = try SystemCalls.credentials(of: pair.near).get()
        #expect(who == Credentials(pid: getpid(), uid: geteuid(), gid: getegid()))
        #expect(throws: SystemError(.credentials, EBADF)) { try SystemCalls.credentials(of: -1).get() }
    }

    @Test("know all of the groups of whoever is at the other end, however many")
    func groups() throws {
        let pair = SocketPair()
        let count = getgroups(0, nil)
        var own = [gid_t](repeating: 0, count: Int(count))
        #expect(getgroups(count, &own) == count)
        #expect(try SystemCalls.groups(of: pair.near).get().sorted() == own.sorted())
        #expect(throws: SystemError(.groups, EBADF)) { try SystemCalls.groups(of: -1).get() }
        // Only root may have other groups, and those are the process's: others' tests look at none.
        guard geteuid() == 0, setgroups(own.count, own) == 0 else { return }
        for count in [32, 33, 1000] {
            let many = (1...UInt32(count)).map { 50_000 + $0 }
            #expect(setgroups(many.count, many) == 0)
            let crowd = SocketPair()
            #expect(try SystemCalls.groups(of: crowd.near).get().sorted() == many)
        }
        #expect(setgroups(own.count, own) == 0)
    }

    @Test("fail on purpose for the descriptor that is meant, in order, and once each")
    func injection() {
        let (one, other) = (SocketPair(), SocketPair())
        SystemCalls.inject([
            .init(.send, on: one.near, ENOBUFS), .init(.send, on: one.near, EAGAIN), .init(.read, on: one.near, EIO),
        ])
        let byte: [UInt8] = [1]
        #expect(SystemCalls.send(other.near, bytes: byte, 1) == 1)
        #expect(SystemCalls.send(one.near, bytes: byte, 1) == -Int(ENOBUFS))
        #expect(SystemCalls.send(one.near, bytes: byte, 1) == -Int(EAGAIN))
        #expect(SystemCalls.send(one.near, bytes: byte, 1) == 1)
        var room = [UInt8](repeating: 0, count: 1)
        #expect(SystemCalls.read(one.near, &room, 1) == -Int(EIO))
        #expect(SystemCalls.read(one.near, &room, 1) == -SystemCalls.wouldBlock)
    }

    @Test("are made again when a signal interrupts them, and move fewer bytes on purpose")
    func interruptedAndShort() {
        let pair = SocketPair()
        SystemCalls.inject([
            .init(.send, on: pair.near, EINTR), .init(.send, .moves(2)) { $0 == pair.near },
            .init(.read, .moves(1)) { $0 == pair.far }, .init(.read, on: pair.far, EINTR),
        ])
        let bytes: [UInt8] = [1, 2, 3]
        #expect(SystemCalls.send(pair.near, bytes: bytes, 3) == 3)
        #expect(SystemCalls.send(pair.near, bytes: bytes, 3) == 2)
        var room = [UInt8](repeating: 0, count: 9)
        #expect(SystemCalls.read(pair.far, &room, 9) == 1)
        #expect(SystemCalls.read(pair.far, &room, 9) == 4)
        #expect(SystemCalls.takeBackFaults() == 0)
    }

    @Test("that failed are told with their name and in words")
    func words() {
        #expect("\(SystemError(.bind, EACCES))" == "bind: Permission denied")
        #expect("\(SystemError(.epollControl, ENOENT))" == "epoll_ctl: No such file or directory")
    }
}
