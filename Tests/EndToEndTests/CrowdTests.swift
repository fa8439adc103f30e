// Very many clients, clients that are killed, and a daemon that has no descriptor left.

import Foundation
import NotifyTestSupport
import Testing

@Suite("Crowds", .ownThreads)
struct CrowdTests {
    /// What this process may open besides what it has open.
    private static let crowd: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        return Int(min(3000, limit.rlim_cur / 2))
    }()

    @Test("of thousands cost little each, all hear, and leave nothing behind")
    func thousands() throws {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        try poster.must(#"{"op":"ping"}"#)
        let (memory, descriptors) = (daemon.memory, daemon.descriptors)
        var clients = try (0..<Self.crowd).map { _ in try daemon.client() }
        try daemon.wait(poster, "clients", Self.crowd + 1)
        #expect(daemon.descriptors == descriptors + Self.crowd)
        // One KiB for each idle client.
        daemon.expectMemory(daemon.memory - memory, below: Self.crowd)
        for client in clients { try client.send(#"{"op":"subscribe","channel":"all"}"#) }
        try daemon.wait(poster, "subscriptions", Self.crowd)
        #expect(try poster.post("all", "1").integer("matched") == Self.crowd)
        for client in clients { #expect(try client.line().payload == "1") }
        clients = []
        try daemon.wait(poster, "clients", 1)
        #expect(daemon.descriptors == descriptors)
        #expect(try poster.post("all", "2").integer("matched") == 0)
        try daemon.waitUntilQuiet("the crowd has gone")
    }

    @Test("of one user and of all have their limits, and the refused are told why")
    func limits() throws {
        let daemon = try TestDaemon(configuration: "{limits:{clients_per_uid:3}}")
        var clients = try (0..<3).map { _ in try daemon.client() }
        try clients[0].must(#"{"op":"ping"}"#)
        let refused = try daemon.client().linesToEnd()
        #expect(refused.map(\.op) == ["error", "bye"])
        #expect(refused[0].code == "quota_exceeded")
        #expect(refused[0].message.contains("'clients_per_uid' of uid \(geteuid()) is 3"))
        #expect(try clients[0].must(#"{"op":"ping"}"#).op == "ok")
        clients[2].close()
        clients.removeLast()
        try daemon.wait(clients[0], "clients", 2)
        #expect(try daemon.client().must(#"{"op":"ping"}"#).op == "ok")
    }

    @Test("beyond the daemon's descriptors are refused with the reason, and it recovers")
    func descriptors() throws {
        let daemon = try TestDaemon(prelude: "ulimit -n 64")
        let first = try daemon.client()
        try first.must(#"{"op":"ping"}"#)
        for _ in 0..<2 {
            var held: [RawClient] = []
            var refusals = 0
            // More than fit; every one of them gets an answer.
            for _ in 0..<100 {
                let client = try daemon.client()
                try? client.send(#"{"op":"ping","id":1}"#)
                let line = try client.line()
                if line.op == "ok" {
                    held.append(client)
                } else {
                    #expect(line.code == "quota_exceeded")
                    #expect(line.message.contains("descriptor"))
                    refusals += 1
                }
            }
            #expect((30..<64).contains(held.count))
            #expect(refusals == 100 - held.count)
            #expect(try first.must(#"{"op":"ping"}"#).op == "ok", "those inside are served")
            try daemon.waitUntilQuiet("refusing")
            held = []
            try daemon.wait(first, "clients", 1)
        }
        #expect(try daemon.client().must(#"{"op":"ping"}"#).op == "ok")
        #expect(
            daemon.log.split(separator: "\n").count { $0.contains("file descriptors") } <= 2, "told, but not each time")
    }

    /// How a connection may end.
    enum End: CaseIterable {
        case closed, killed, unreadAnswers, halfLine, unreadMessages
    }

    @Test("that go in any way leave a daemon that is quiet and holds nothing of theirs", arguments: End.allCases)
    func gone(end: End) async throws {
        let daemon = try TestDaemon()
        let witness = try daemon.client()
        try witness.must(#"{"op":"ping"}"#)
        let descriptors = daemon.descriptors
        if end == .killed {
            try await Self.killedClients(daemon)
        } else {
            let clients = try (0..<20).map { _ in try daemon.client() }
            for client in clients { try client.subscribe("a") }
            switch end {
            case .unreadAnswers:
                for client in clients { try client.send(#"{"op":"ping","id":1}"#, #"{"op":"stats","id":2}"#) }
            case .halfLine: for client in clients { try client.send(bytes: Array(#"{"op":"post","chann"#.utf8)) }
            case .unreadMessages:
                let payload = "\"\(String(repeating: "x", count: 20_000))\""
                for _ in 0..<30 { try witness.post("a", payload) }
            default: break
            }
            for client in clients { client.close() }
        }
        try daemon.wait(witness, "clients", 1)
        #expect(daemon.descriptors == descriptors)
        let state = try witness.must(#"{"op":"stats"}"#)
        #expect(state.integer("stats", "subscriptions") == 0)
        #expect(state.integer("stats", "queued_bytes") == 0)
        try daemon.waitUntilQuiet("clients have gone")
    }

    /// Clients that subscribe, are in the middle of a line, and die of SIGKILL.
    private static func killedClients(_ daemon: TestDaemon) async throws {
        let script = """
            import os, signal, socket, sys
            kept = []
            for _ in range(20):
                client = socket.socket(socket.AF_UNIX)
                client.connect(sys.argv[1])
                client.sendall(b'{"op":"subscribe","id":1,"channel":"a"}\\n')
                client.recv(100)
                client.sendall(b'{"op":"post"')
                kept.append(client)
            os.kill(os.getpid(), signal.SIGKILL)
            """
        let outcome = try await Command.run("python3", ["-c", script, daemon.socketPath])
        #expect(outcome.status == 128 + SIGKILL, "\(outcome.summary)")
    }

    @Test("that come and go all the time disturb nobody who stays")
    func churn() async throws {
        let daemon = try TestDaemon()
        let path = daemon.socketPath
        let poster = try daemon.client()
        let listeners = try (0..<3).map { _ in try daemon.client() }
        for listener in listeners { try listener.subscribe("steady") }
        async let churners: Void = withThrowingTaskGroup(of: Void.self) { group in
            for seed in 1...4 {
                group.addTask {
                    var random = SplitMix(state: UInt64(seed))
                    for _ in 0..<300 {
                        let client = try RawClient(path)
                        try client.send(#"{"op":"subscribe","channel":"\#(random.pick(["steady", "s.*", ">"]))"}"#)
                        if random.once(in: 3) { try client.must(#"{"op":"ping"}"#, meanwhile: { _ in }) }
                        if random.once(in: 3) { try client.send(bytes: Array(#"{"op":"#.utf8)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<1500 { try poster.send(#"{"op":"post","channel":"steady","payload":\#(number)}"#) }
        try await churners
        try poster.must(#"{"op":"ping"}"#)
        for listener in listeners {
            var next = 0
            while next < 1500 {
                #expect(try listener.line().payload == "\(next)")
                next += 1
            }
        }
        try daemon.wait(poster, "clients", 4)
        try daemon.waitUntilQuiet("the coming and going")
    }
}
