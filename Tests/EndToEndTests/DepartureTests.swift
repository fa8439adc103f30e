// Peers that go, in whatever way: nothing spins, nothing stays behind, nobody else notices
// (trials T001, T003, T133).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct DepartureTests {
    let daemon: TestDaemon
    let observer: RawClient

    init() throws {
        daemon = try TestDaemon()
        observer = try daemon.client()
        try observer.must(#"{"op":"ping"}"#)
    }

    enum Way: CaseIterable {
        case closed, unreadByUs, unreadByDaemon, insideALine, halfClosedFirst, bothShut
    }

    @Test(arguments: Way.allCases) func `a peer that goes leaves nothing and nothing spins`(way: Way) throws {
        let before = daemon.descriptors
        let clients = try (0..<20).map { _ in try daemon.client() }
        for client in clients { try client.subscribe("go", ",\"sub\":1") }
        #expect(daemon.descriptors == before + 20)
        switch way {
        case .closed: break
        case .unreadByUs:
            for _ in 0..<50 { try observer.post("go", SlowReaderTests.payload(500)) }
        case .unreadByDaemon:
            daemon.signal(SIGSTOP)
            for client in clients { try client.send(#"{"op":"post","channel":"went","payload":1}"#) }
        case .insideALine:
            for client in clients { try client.send(bytes: Array(#"{"op":"post","channel":"go","#.utf8)) }
        case .halfClosedFirst:
            for client in clients { client.endOutput() }
            try observer.must(#"{"op":"ping"}"#)
            try daemon.waitUntilQuiet("half-closed peers")
        case .bothShut:
            for client in clients { shutdown(client.descriptor, Int32(SHUT_RDWR)) }
        }
        for client in clients { client.close() }
        daemon.signal(SIGCONT)
        try daemon.wait(observer, "clients", 1)
        try daemon.wait(observer, "subscriptions", 0)
        #expect(daemon.descriptors == before)
        try daemon.waitUntilQuiet("\(way)")
        #expect(try observer.post("go").integer("matched") == 0)
        if way == .unreadByDaemon { #expect(try observer.post("went").integer("seq") == 21) }
    }

    @Test func `a process that is killed while it is written to costs nothing`() throws {
        let script = """
            import socket, sys, time
            held = []
            for _ in range(5):
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.sendall(b'{"op":"subscribe","channel":"kill","id":1}\\n')
                s.recv(4096)
                held.append(s)
            time.sleep(600)
            """
        let line = Array("{\"op\":\"post\",\"channel\":\"kill\",\"payload\":\(SlowReaderTests.payload(5000))}\n".utf8)
        for _ in 0..<5 {
            let pid = try Child.start(
                ["python3", "-c", script, daemon.socketPath], environment: ProcessInfo.processInfo.environment,
                output: "/dev/null", errors: daemon.directory.path("log"))
            defer {
                kill(pid, SIGKILL)
                _ = Child.status(of: pid)
            }
            try daemon.wait(observer, "subscriptions", 5)
            for number in 0..<500 {
                try observer.send(bytes: line)
                if number == 100 { kill(pid, SIGKILL) }
            }
            try daemon.wait(observer, "clients", 1)
        }
        try daemon.waitUntilQuiet("killed processes")
    }

    @Test func `who posts and closes without reading is heard to the end`() throws {
        try observer.subscribe("last.words")
        for round in 1...20 {
            let client = try daemon.client()
            let count = round * 50
            let lines = (1...count).map {
                "{\"op\":\"post\",\"id\":\($0),\"channel\":\"last.words\",\"payload\":\($0)}\n"
            }
            try client.send(bytes: Array(lines.joined().utf8))
            client.close()
            #expect(try observer.lines(count).map(\.payload) == (1...count).map(String.init))
        }
    }

    @Test func `who posts more than is read at once and closes is heard to the end`() throws {
        try observer.subscribe("last.words")
        let client = try daemon.client()
        client.enlargeOutput(to: 1 << 20)
        daemon.signal(SIGSTOP)
        // With answers that nobody will read: the daemon finds out in the middle of it.
        let lines = (1...5000).map { "{\"op\":\"post\",\"id\":\($0),\"channel\":\"last.words\",\"payload\":\($0)}\n" }
        let bytes = Array(lines.joined().utf8)
        let taken = bytes.prefix(try client.offer(bytes[...]))
        client.close()
        daemon.signal(SIGCONT)
        let count = taken.count { $0 == 10 }
        #expect(taken.count > 100_000)
        #expect(try observer.lines(count).map(\.payload) == (1...count).map(String.init))
    }

    @Test func `short lives do not disturb long ones`() throws {
        let steady = try (0..<4).map { _ in try daemon.client() }
        for client in steady { try client.subscribe("steady") }
        var posted = 0
        for round in 0..<300 {
            let visitors = try (0..<5).map { _ in try daemon.client() }
            for (number, visitor) in visitors.enumerated() {
                try visitor.send(
                    "{\"op\":\"subscribe\",\"channel\":\"steady.\(round % 9)\"}", #"{"op":"subscribe","channel":">"}"#)
                if (round + number) % 4 == 0 { try visitor.must(#"{"op":"ping"}"#) { _ in } }
                if (round + number) % 3 == 0 { try visitor.send(bytes: Array(#"{"op":"#.utf8)) }
            }
            posted += 1
            try observer.post("steady", "\(posted)")
            for visitor in visitors { visitor.close() }
        }
        for client in steady { #expect(try client.lines(posted).map { $0.integer("seq") } == Array(1...posted)) }
        try daemon.wait(observer, "clients", 5)
        try daemon.wait(observer, "subscriptions", 4)
        try daemon.waitUntilQuiet("short lives")
    }
}
