// The socket file: ours alone, with the rights asked for from the start, and there as long as we serve
// (trials T097, T101, T105, T107, T121).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct SocketFileTests {
    private func inode(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func second(_ path: String) async throws -> Command.Outcome {
        try await Command.run(Checkout.program("notifyd"), ["--socket", path], timeout: .seconds(30))
    }

    @Test(arguments: ["000", "022", "077", "777"]) func `the umask does not change its rights`(umask: String) throws {
        let daemon = try TestDaemon(prelude: "umask \(umask)")
        #expect(try mode(daemon.socketPath) == 0o600)
        let open = try TestDaemon(configuration: "{ mode: '0666' }", prelude: "umask \(umask)")
        #expect(try mode(open.socketPath) == 0o666)
    }

    @Test func `a second daemon leaves the first alone and says who it is`() async throws {
        let daemon = try TestDaemon()
        let client = try daemon.client()
        let before = inode(daemon.socketPath)
        for isStopped in [false, true, false] {
            daemon.signal(isStopped ? SIGSTOP : SIGCONT)
            let outcome = try await second(daemon.socketPath)
            #expect(outcome.status == 69 && outcome.errors.contains("process \(daemon.pid)"), "\(outcome.summary)")
            #expect(inode(daemon.socketPath) == before)
        }
        try client.must(#"{"op":"ping"}"#)
        try daemon.client().must(#"{"op":"ping"}"#)
    }

    @Test func `an abstract name has one daemon, too`() async throws {
        let name = "@notify-test-\(UUID().uuidString)"
        let daemon = try TestDaemon(socket: name)
        try daemon.client().must(#"{"op":"ping"}"#)
        #expect(try await second(name).status == 69)
        daemon.end()
        #expect(throws: RawClient.Failure.self) { try daemon.client() }
        try daemon.start()
        try daemon.client().must(#"{"op":"ping"}"#)
    }

    @Test func `of two that start together one serves`() async throws {
        let directory = try TemporaryDirectory()
        let script = """
            "$0" --socket "$1" 2>"$1.1" & one=$!
            "$0" --socket "$1" 2>"$1.2" & two=$!
            wait -n; status=$?
            kill -TERM $one $two 2>"$1.3"
            wait
            exit $status
            """
        for round in 0..<10 {
            // The loser ends by itself, before anything is done to the winner.
            let outcome = try await Command.run(
                "/bin/bash", ["-c", script, Checkout.program("notifyd"), directory.path("socket")],
                timeout: .seconds(30))
            #expect(outcome.status == 69, "round \(round): \(outcome.summary)")
            #expect(inode(directory.path("socket")) == nil)
        }
    }

    @Test func `what is no socket is left alone`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("file")
        try Data("precious".utf8).write(to: URL(filePath: file))
        try FileManager.default.createDirectory(atPath: directory.path("directory"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: file)
        for name in ["file", "directory", "link"] {
            let outcome = try await second(directory.path(name))
            #expect(outcome.status == 73 && outcome.errors.contains("not a socket"), "\(outcome.summary)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    }

    @Test func `a socket file that was removed comes back, and those inside stay`() async throws {
        let daemon = try TestDaemon()
        let client = try daemon.client()
        try client.subscribe("s")
        let path = daemon.socketPath
        try FileManager.default.removeItem(atPath: path)
        // It looks after its file now and then: waiting for that must not hold a thread that other tests need.
        while inode(path) == nil { try await Task.sleep(for: .milliseconds(20)) }
        try daemon.wait("connections") { (try? daemon.client()) != nil }
        try daemon.client().post("s", "1")
        #expect(try client.line().payload == "1")
        try daemon.waitForLog(path)
    }

    @Test func `connections wait at the door while the daemon is busy`() throws {
        let daemon = try TestDaemon()
        let listener = try daemon.client()
        try listener.subscribe("door")
        daemon.signal(SIGSTOP)
        let clients = try (0..<300).map { number in
            let client = try daemon.client()
            try client.send("{\"op\":\"post\",\"id\":\(number),\"channel\":\"door\",\"payload\":\(number)}")
            return client
        }
        daemon.signal(SIGCONT)
        for (number, client) in clients.enumerated() { #expect(try client.line().integer("id") == number) }
        #expect(Set(try listener.lines(300).map(\.payload)) == Set((0..<300).map(String.init)))
    }

    @Test(arguments: ["exec <&-", "exec >&-", "exec 2>&-", "exec <&- >&- 2>&-"])
    func `closed standard descriptors are filled before any socket`(prelude: String) throws {
        let daemon = try TestDaemon(prelude: prelude)
        try daemon.client().must(#"{"op":"ping"}"#)
        for number in 0...2 {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/\(number)")
            #expect(target == "/dev/null" || target == daemon.directory.path("log"))
        }
    }
}
