// Readiness as a service manager sees it (trials T078, T080, T082).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct ServiceManagerTests {
    @Test func `at READY a connection is taken`() throws {
        let daemon = try TestDaemon()
        for _ in 0..<20 {
            // `start` returns with READY=1; there is no second try.
            try daemon.client().must(#"{"op":"ping"}"#)
            daemon.end()
            try daemon.start()
        }
    }

    @Test func `without a socket there is no READY`() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path("socket"), withIntermediateDirectories: false)
        let failure = #expect(throws: TestDaemon.Failure.self) { try TestDaemon(socket: directory.path("socket")) }
        #expect(failure?.status == 73)
    }

    @Test func `a whole life is told in order`() throws {
        let daemon = try TestDaemon()
        daemon.signal(SIGHUP)
        try daemon.wait("reload") { daemon.log.contains("configuration reloaded") }
        daemon.end()
        let told = daemon.told().flatMap { $0.split(separator: "\n") }.map { $0.split(separator: "=")[0] }
        #expect(told.filter { $0 != "STATUS" && $0 != "MONOTONIC_USEC" } == ["RELOADING", "READY", "STOPPING"])
    }

    @Test(arguments: [
        "", "relative", "/nonexistent/x", "/" + String(repeating: "l", count: 200), "vsock:2:1234", "12", "@",
        "/dev/null",
    ])
    func `an address that leads nowhere does not matter`(address: String) throws {
        let daemon = try TestDaemon(environment: ["NOTIFY_SOCKET": address])
        try daemon.client().must(#"{"op":"ping"}"#)
        #expect(daemon.end() == 0)
        #expect(daemon.log.split(separator: "\n").count <= 5, "\(daemon.log)")
    }

    @Test func `a service manager that does not read does not hold it up`() throws {
        let full = try FullReceiver()
        let daemon = try TestDaemon(environment: ["NOTIFY_SOCKET": full.path, "WATCHDOG_USEC": "100000"])
        let client = try daemon.client()
        for _ in 0..<200 { try client.must(#"{"op":"ping"}"#) }
        daemon.signal(SIGHUP)
        try daemon.wait("reload") { daemon.log.contains("configuration reloaded") }
        #expect(daemon.end() == 0)
    }
}

/// A datagram socket whose queue is full and stays so.
private final class FullReceiver {
    private let directory: TemporaryDirectory
    private let receiver: Int32
    private let sender: Int32
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("full")
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        receiver = socket(AF_UNIX, type, 0)
        sender = socket(AF_UNIX, type, 0)
        let bound = RawClient.withAddress(path) { bind(receiver, $0, $1) }
        let connected = RawClient.withAddress(path) { connect(sender, $0, $1) }
        guard bound == 0, connected == 0 else { throw RawClient.Failure("cannot make \(path)") }
        while send(sender, "x", 1, 0) == 1 {}
    }

    deinit {
        close(receiver)
        close(sender)
    }
}
