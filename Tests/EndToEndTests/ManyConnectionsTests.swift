// A user with many connections, each of which asks for little enough to end no turn, beside another user: together they do
// not keep the daemon from the other.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads, .timeLimit(.minutes(2)), .enabled(if: getuid() == 0, "becomes another user"))
struct ManyConnectionsTests {
    /// 120 connections; when told to, all send requests, and the last one a post that ends it.
    private static let greedy = """
        import socket, sys
        path, go, said, line, size = sys.argv[1:]
        def say():
            with open(said, "w") as file: file.write("done")
        def ping(connection):
            connection.sendall(b'{"op":"ping","id":1}\\n')
            connection.recv(1000)
        connections = [socket.socket(socket.AF_UNIX) for _ in range(120)]
        for connection in connections:
            connection.connect("\\0" + path[1:])
            ping(connection)
        # epoll_wait(2) tells first of those of whom it told last: not of the last one, then.
        ping(connections[0])
        say()
        open(go).read()
        lines = (line.encode() + b"\\n") * (int(size) // len(line))
        for connection in connections[:-1]: connection.sendall(lines)
        connections[-1].sendall(b'{"op":"post","channel":"end"}\\n')
        say()
        open(go).read()
        """

    /// Bytes for each connection: all together are many times what is a share, also where that is done quickly, and are
    /// done before anybody loses patience, also where a sanitizer or others take the time.
    private static let size = Sanitizer.isPresent ? 6000 : 20_000

    @Test(
        arguments: [
            "{no JSON}", #"{"op":"post","channel":"denied"}"#, #"{"op":"post","channel":"many","payload":1}"#,
            #"{"op":"post","channel":"kept","retain":true}"#,
        ])
    func `is one among others`(line: String) throws {
        let daemon = try TestDaemon(
            configuration: #"{ access: [{ deny: "all", channels: "denied" }, { allow: "all", channels: ">" }] }"#,
            socket: "@notifyd-many-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        let listener = try daemon.client()
        for _ in 1...5 { try listener.subscribe("many") }
        let other = try daemon.client()
        try other.subscribe("end")
        let files = try TemporaryDirectory()
        let (go, said) = (files.path("go"), files.path("said"))
        chmod(URL(fileURLWithPath: go).deletingLastPathComponent().path, 0o755)
        for pipe in [go, said] { #expect(mkfifo(pipe, 0o666) == 0 && chmod(pipe, 0o666) == 0) }
        let process = try Child.start(
            [
                "setpriv", "--reuid=23001", "--regid=23001", "--clear-groups", "/usr/bin/python3", "-c", Self.greedy,
                daemon.socketPath, go, said, line, "\(Self.size)",
            ],
            environment: ProcessInfo.processInfo.environment, output: files.path("out"), errors: files.path("err"))
        defer {
            kill(process, SIGKILL)
            _ = Child.status(of: process)
        }
        try #require(content(of: said) == "done")
        try daemon.pause()
        do {
            defer { daemon.resume() }
            close(open(go, O_WRONLY))
            try #require(content(of: said) == "done")
            try other.send(#"{"op":"ping","id":7}"#)
        }
        // Its request came last; it is answered before those of the others are done.
        let answers = try other.lines(2)
        #expect(answers.map(\.op) == ["ok", "message"], "\(answers)")
    }

    /// What is written into a named pipe; nothing if that does not come.
    private func content(of pipe: String) -> String {
        let descriptor = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, 60_000) == 1 else { return "" }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
