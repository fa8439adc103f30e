// A log that nobody reads: a full pipe instead of stderr. The daemon goes on as if nothing were wrong, and ends.

import Foundation
import NotifyTestSupport
import Testing

@Suite("A log that nobody reads", .ownThreads)
struct BlockedLogTests {
    /// A daemon that logs every client into a pipe, of which this is the other end.
    private struct Logged {
        let daemon: TestDaemon
        let pipe: Int32
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            let path = directory.path("pipe")
            try #require(mkfifo(path, 0o600) == 0)
            pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            try #require(pipe >= 0)
            daemon = try TestDaemon(
                arguments: ["--log-level", "debug"], environment: ["LOG_PIPE": path], prelude: "exec 2>\"$LOG_PIPE\"")
        }

        /// What is in the pipe now.
        func take() -> [UInt8] {
            var taken: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while case let count = read(pipe, &chunk, chunk.count), count > 0 { taken += chunk.prefix(count) }
            return taken
        }
    }

    /// Two log lines for each: more than a pipe holds, less than may wait.
    private static let visitors = 1500

    @Test("does not stop the daemon, and does not keep it from ending")
    func fullPipe() throws {
        let logged = try Logged()
        defer { close(logged.pipe) }
        for _ in 0..<Self.visitors { try logged.daemon.client().close() }
        #expect(try logged.daemon.client().must(#"{"op":"ping"}"#).op == "ok")
        #expect(logged.daemon.end() == 0)
        #expect(logged.take().count > 60_000)
    }

    @Test("comes out whole and in order when it is read after all")
    func readLater() throws {
        let logged = try Logged()
        defer { close(logged.pipe) }
        for _ in 0..<Self.visitors { try logged.daemon.client().close() }
        #expect(try logged.daemon.client().must(#"{"op":"ping"}"#).op == "ok")
        var text: [UInt8] = []
        logged.daemon.signal(SIGTERM)
        let end = Array("stopping".utf8)
        for _ in 0..<RawClient.patience {
            text += logged.take()
            if text.suffix(4096).firstRange(of: end) != nil { break }
            poll(nil, 0, 1)
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let clients = lines.compactMap { line -> Int? in
            guard line.hasSuffix("client connected") else { return nil }
            return line.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
        }
        #expect(clients == Array(1...Self.visitors + 1))
    }
}
