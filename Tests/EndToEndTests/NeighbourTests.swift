// A greedy user beside innocents, of the same uid and of another, each a process of its own: stuck readers, fast posters, a
// crowd of connections. What the innocents are sent arrives, all of it (trials T085, T089).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads, .enabled(if: getuid() == 0, "becomes other users"))
struct NeighbourTests {
    private static let configuration = """
        {
            access: [{ allow: "all", channels: ">" }],
            limits: { queued_bytes_per_uid: 2000000, queued_bytes: 6000000, clients: 60, clients_per_uid: 40 },
        }
        """
    private let daemon: TestDaemon
    private let files: TemporaryDirectory

    init() throws {
        daemon = try TestDaemon(
            configuration: Self.configuration,
            socket: "@notifyd-neighbours-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        files = try TemporaryDirectory()
    }

    /// A process of this user: `notifyctl` with these arguments.
    private func start(_ uid: Int, _ name: String, _ arguments: [String], input: String = "/dev/null") throws -> pid_t {
        let user = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"]
        // `input` is opened before root is given up.
        let shell = ["/bin/sh", "-c", "exec \"$@\" < \(input)", "sh"]
        let arguments = [arguments[0], "--socket", daemon.socketPath] + arguments.dropFirst()
        return try Child.start(
            shell + user + [Checkout.program("notifyctl")] + arguments,
            environment: ProcessInfo.processInfo.environment, output: files.path(name),
            errors: files.path(name + ".err"))
    }

    private func lines(_ name: String) -> [Substring] {
        ((try? String(contentsOfFile: files.path(name), encoding: .utf8)) ?? "").split(separator: "\n")
    }

    private func end(_ processes: [pid_t]) {
        for process in processes {
            kill(process, SIGCONT)
            kill(process, SIGKILL)
            _ = Child.status(of: process)
        }
    }

    @Test func `a greedy user hurts nobody`() throws {
        let (greedy, other) = (23_001, 23_002)
        let watch = try daemon.client()
        // Readers that stop reading, and one each of both users that reads.
        let stuck = try (1...12).map { try start(greedy, "stuck.\($0)", ["listen", "busy"]) }
        let innocents = try [greedy, other].map { uid in
            try start(
                uid, "innocent.\(uid)", ["listen", "quiet", "--count", "300", "--output", "payload", "--fail-on-gap"])
        }
        defer { end(stuck) }
        try daemon.wait(watch, "subscriptions", 14)
        for process in stuck { kill(process, SIGSTOP) }
        // Posters that never pause.
        let flood = files.path("flood")
        try String(repeating: "\"\(String(repeating: "x", count: 2000))\"\n", count: 50_000)
            .write(toFile: flood, atomically: true, encoding: .utf8)
        let posters = try (1...2).map { try start(greedy, "poster.\($0)", ["post", "busy", "--lines"], input: flood) }
        defer { end(posters) }
        for number in 1...300 {
            try watch.must("{\"op\":\"post\",\"channel\":\"quiet\",\"payload\":\(number)}")
        }
        for (index, uid) in [greedy, other].enumerated() {
            #expect(Child.status(of: innocents[index]) == 0, "\(lines("innocent.\(uid).err"))")
            #expect(lines("innocent.\(uid)") == (1...300).map { Substring("\($0)") })
        }
        // Those who are stuck have lost something, and no more waits for them than their user may have.
        try daemon.waitForLog("uid \(greedy)", "reads too slowly")
        let account = try #require(try accounts(watch).first { $0["uid"] as? Int == greedy })
        #expect((account["queued_bytes"] as? Int ?? .max) <= 2_000_000)
        #expect((account["queued_bytes"] as? Int ?? 0) > 100_000)
    }

    @Test func `a crowd of one user leaves room for another, and for an administrator`() throws {
        let watch = try daemon.client()
        let crowd = try (1...40).map { try start(23_001, "crowd.\($0)", ["listen", "busy", "--no-reconnect"]) }
        defer { end(crowd) }
        try daemon.waitForLog("uid 23001", "refused: limit 'clients' of the daemon is 60, and uid 23001 has its share")
        let other = try start(23_002, "other", ["ping", "--count", "3"])
        #expect(Child.status(of: other) == 0, "\(lines("other.err"))")
        try daemon.client().must(#"{"op":"ping"}"#)
        try watch.must(#"{"op":"ping"}"#)
    }

    private func accounts(_ client: RawClient) throws -> [[String: Any]] {
        let stats: [String: Any]? = try client.must(#"{"op":"stats"}"#)["stats"]
        return stats?["accounts"] as? [[String: Any]] ?? []
    }
}
