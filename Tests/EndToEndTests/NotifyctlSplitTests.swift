// Bytes that arrive one at a time, on both sides. After node-jsonlines#7, mcpc#390, effect#6998 and ndjson#17 (T029):
// decoding each piece to text on its own broke characters that were cut.

import Foundation
import Glibc
import NotifyTestSupport
import Testing

@Suite("notifyctl behind a socket that cuts everything into pieces", .timeLimit(.minutes(2)))
struct NotifyctlSplitTests {
    @Test("posts and listens to the same bytes", arguments: [1, 2, 3, 7])
    func pieces(size: Int) async throws {
        let bench = try await ToolBench()
        let proxy = try CuttingProxy(upstream: bench.socket, path: bench.directory.path("proxy"), pieces: size)
        let payload = "\"é中😀‱𝄞ß\u{301}ñ\""
        // Byte by byte takes long on a busy machine.
        let place = ["--socket", proxy.path, "--connect-timeout=100s"]
        let listener = try await bench.listen("a", "-n2", "--output=payload", place[0], place[1], place[2])
        try #require(await bench.run(["post", "a", payload] + place).status == 0)
        try #require(await bench.run(["post", "a", "--lines"] + place, input: payload + "\r\n").status == 0)
        #expect(await listener.output.rest() == [payload, payload])
        #expect(await listener.status() == 0)
    }
}

/// A socket that passes on to another, so many bytes at a time.
final class CuttingProxy: Sendable {
    let path: String
    private let listening: Int32

    init(upstream: String, path: String, pieces: Int) throws {
        self.path = path
        listening = try UnixSocket.open()
        try UnixSocket.withAddress(path) { guard bind(listening, $0, $1) == 0 else { throw UnixSocket.failure() } }
        guard listen(listening, 16) == 0 else { throw UnixSocket.failure() }
        Thread.detachNewThread { [listening] in
            while case let near = accept(listening, nil, nil), near >= 0 {
                guard let far = try? UnixSocket.connect(upstream) else { break }
                for (from, to) in [(near, far), (far, near)] {
                    Thread.detachNewThread { Self.pump(from, to, pieces) }
                }
            }
        }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    private static func pump(_ from: Int32, _ to: Int32, _ pieces: Int) {
        var buffer = [UInt8](repeating: 0, count: pieces)
        while case let count = read(from, &buffer, pieces), count > 0 {
            if send(to, buffer, count, Int32(MSG_NOSIGNAL)) != count { break }
            // The reader shall see this piece on its own.
            sched_yield()
        }
        shutdown(to, Int32(SHUT_WR))
    }
}

/// Unix sockets by hand.
enum UnixSocket {
    static func open() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw failure() }
        return descriptor
    }

    static func connect(_ path: String) throws -> Int32 {
        let descriptor = try open()
        try withAddress(path) {
            guard Glibc.connect(descriptor, $0, $1) == 0 else {
                close(descriptor)
                throw failure()
            }
        }
        return descriptor
    }

    /// A socket file that nobody serves any more.
    static func leaveBehind(at path: String) throws {
        let descriptor = try open()
        try withAddress(path) { guard bind(descriptor, $0, $1) == 0 else { throw failure() } }
        close(descriptor)
    }

    static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw POSIXError(.ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try withUnsafePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func failure() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
