// Who may listen where: stale files go, living ones and everything that is no socket stay.

import Foundation
import NotifyTestSupport
import NotifyTransport
import Testing

@Suite("Listening sockets")
struct ListeningSocketTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let address: SocketAddress

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("s")
        address = try SocketAddress(path)
    }

    private func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private func fault(_ body: () throws(ListeningSocket.Fault) -> ListeningSocket) -> ListeningSocket.Fault? {
        do throws(ListeningSocket.Fault) {
            try body().close()
            return nil
        } catch {
            return error
        }
    }

    @Test("take connections, and take their file with them")
    func serves() throws {
        let socket = try ListeningSocket(binding: address, mode: 0o600)
        _ = try RawClient(path)
        #expect(SystemCalls.accept(socket.descriptor) >= 0)
        #expect(SystemCalls.accept(socket.descriptor) == -SystemCalls.wouldBlock)
        #expect(socket.isReachable)
        socket.close()
        #expect(status(path) == nil)
        #expect(status(path + ".lock") != nil, "the lock file stays")
    }

    @Test("have exactly the rights that were asked for", arguments: [0o600, 0o660, 0o666, 0o777, 0o000] as [UInt32])
    func mode(rights: UInt32) throws {
        let socket = try ListeningSocket(binding: address, mode: rights)
        #expect(status(path)?.st_mode == S_IFSOCK | rights)
        socket.close()
    }

    @Test("replace a file that nobody serves")
    func stale() throws {
        let dead = SystemCalls.makeSocket()
        #expect(SystemCalls.bind(Int32(dead), address) == 0)
        close(Int32(dead))
        let inode = status(path)?.st_ino
        let socket = try ListeningSocket(binding: address, mode: 0o600)
        #expect(socket.isReachable)
        #expect(inode != nil)
        _ = try RawClient(path)
        socket.close()
    }

    @Test("leave a living one alone, and say whose it is")
    func living() throws {
        let first = try ListeningSocket(binding: address, mode: 0o600)
        let inode = status(path)?.st_ino
        for _ in 0..<3 {
            let fault = fault { () throws(ListeningSocket.Fault) in try ListeningSocket(binding: address, mode: 0o600) }
            guard case .inUse(address, let pid)? = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(pid == getpid())
            #expect(fault?.description == "\(path) is served by another daemon (process \(getpid()))")
        }
        #expect(status(path)?.st_ino == inode)
        _ = try RawClient(path)
        first.close()
    }

    @Test("leave one alone that somebody else serves without our lock")
    func foreign() throws {
        let other = Int32(SystemCalls.makeSocket())
        #expect(SystemCalls.bind(other, address) == 0)
        #expect(SystemCalls.listen(other) == 0)
        let fault = fault { () throws(ListeningSocket.Fault) in try ListeningSocket(binding: address, mode: 0o600) }
        guard case .inUse(_, nil)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(status(path + ".lock") == nil, "a lock file was left beside a path that is not ours")
        close(other)
        #expect(throws: Never.self) { try ListeningSocket(binding: address, mode: 0o600).close() }
    }

    @Test("never touch what is no socket")
    func noSocket() throws {
        try Data("precious".utf8).write(to: URL(filePath: path))
        let fault = fault { () throws(ListeningSocket.Fault) in try ListeningSocket(binding: address, mode: 0o600) }
        guard case .notASocket(path)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("elsewhere"))
        guard
            case .notASocket? = self.fault({ () throws(ListeningSocket.Fault) in
                try ListeningSocket(binding: address, mode: 0o600)
            })
        else {
            Issue.record("a link was followed")
            return
        }
        #expect(status(path).map { $0.st_mode & S_IFMT } == S_IFLNK)
        #expect(status(path + ".lock") == nil, "a lock file was left beside a path that is not ours")
    }

    @Test("leave a lock file that was there before where it was")
    func oldLock() throws {
        try ListeningSocket(binding: address, mode: 0o600).close()
        let inode = status(path + ".lock")?.st_ino
        try Data().write(to: URL(filePath: path))
        _ = fault { () throws(ListeningSocket.Fault) in try ListeningSocket(binding: address, mode: 0o600) }
        #expect(inode != nil && status(path + ".lock")?.st_ino == inode)
    }

    @Test("say which directory is not there")
    func noDirectory() throws {
        let address = try SocketAddress(directory.path("none/s"))
        let fault = fault { () throws(ListeningSocket.Fault) in try ListeningSocket(binding: address, mode: 0o600) }
        guard case .failed(let error, let place)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(error == SystemError(.open, ENOENT))
        #expect(place == address.description + ".lock")
    }

    @Test("notice that their file was removed or replaced, and can be bound anew")
    func removed() throws {
        let socket = try ListeningSocket(binding: address, mode: 0o640)
        unlink(path)
        #expect(!socket.isReachable)
        let fresh = try socket.rebound()
        close(socket.descriptor)
        #expect(fresh.isReachable)
        #expect(!socket.isReachable)
        #expect(status(path)?.st_mode == S_IFSOCK | 0o640)
        _ = try RawClient(path)
        guard
            case .inUse? = fault({ () throws(ListeningSocket.Fault) in
                try ListeningSocket(binding: address, mode: 0o600)
            })
        else {
            Issue.record("the lock was lost")
            return
        }
        fresh.close()
    }

    @Test("do not remove a file that is another one's by now")
    func replaced() throws {
        let socket = try ListeningSocket(binding: address, mode: 0o600)
        unlink(path)
        try Data().write(to: URL(filePath: path))
        socket.close()
        #expect(status(path) != nil)
    }

    @Test("of the abstract kind need no file and exclude each other")
    func abstract() throws {
        let name = "@notify-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let address = try SocketAddress(name)
        let socket = try ListeningSocket(binding: address, mode: 0o600)
        _ = try RawClient(name)
        #expect(socket.isReachable)
        guard
            case .inUse(address, nil)? = fault({ () throws(ListeningSocket.Fault) in
                try ListeningSocket(binding: address, mode: 0o600)
            })
        else {
            Issue.record("two daemons under one name")
            return
        }
        socket.close()
        #expect(throws: Never.self) { try ListeningSocket(binding: address, mode: 0o600).close() }
    }

    @Test("may have the longest name that the kernel takes")
    func longest() throws {
        let base = directory.path("")
        let path = base + "/" + String(repeating: "x", count: 107 - base.utf8.count - 1)
        let socket = try ListeningSocket(binding: SocketAddress(path), mode: 0o600)
        _ = try RawClient(path)
        #expect(status(path) != nil)
        socket.close()
    }

    @Test("that could not be bound leave nothing open and nothing behind")
    func failedBind() throws {
        let socket = Int32(SystemCalls.makeSocket())
        close(socket)
        // The next socket gets that number, and may then not be bound.
        let fault = fault { () throws(ListeningSocket.Fault) in
            try ListeningSocket(binding: SocketAddress.unbindable, mode: 0o600)
        }
        guard case .failed(let error, _)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(error.call == .open)
        #expect("\(error)".hasPrefix("open: "))
    }
}

extension SocketAddress {
    /// In a directory where nobody, not even root, makes files.
    fileprivate static let unbindable = {
        guard let address = try? SocketAddress("/proc/self/notify-test") else { preconditionFailure("a good path") }
        return address
    }()
}
