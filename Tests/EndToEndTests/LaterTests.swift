// What happens by itself in the real daemon: time passes, clients die.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct LaterTests {
    let daemon: TestDaemon
    let listener: RawClient

    init() throws {
        daemon = try TestDaemon()
        listener = try daemon.client()
        try listener.subscribe("later")
    }

    @Test func `delayed posts come by themselves, in the order of their times, from a client that has gone`() throws {
        let poster = try daemon.client()
        // In one piece: the times of all begin at the same moment.
        let posts = [(9, 3_600_000), (3, 300), (2, 200), (1, 0)].map { payload, delay in
            #"{"op":"post","id":1,"channel":"later","payload":\#(payload),"delay_ms":\#(delay)}"#
        }
        try poster.send(posts.joined(separator: "\n"))
        #expect(try poster.lines(4).map { $0.integer("schedule") } == [1, 2, 3, 4])
        try poster.must(#"{"op":"cancel","schedule":1}"#)
        let time = Date(timeIntervalSinceNow: 0.4).ISO8601Format(.init(includingFractionalSeconds: true))
        try poster.post("later", "4", #","at":"\#(time)""#)
        poster.close()
        #expect(try listener.lines(4).map(\.payload) == ["1", "2", "3", "4"])
    }

    @Test func `a post that is held back comes when its time is over`() throws {
        let poster = try daemon.client()
        // In one piece: the time of the first is not over before the last one comes.
        let posts = (1...3).map { #"{"op":"post","id":1,"channel":"later","payload":\#($0),"coalesce_ms":200}"# }
        try poster.send(posts.joined(separator: "\n"))
        for number in 1...3 {
            let reply = try poster.line()
            #expect(reply["held"] == true && reply["replaced"] == (number > 1))
        }
        #expect(try listener.line().payload == "3")
    }

    @Test func `a retained message is forgotten though nobody asks`() throws {
        try listener.post("state", "1", #","retain":true,"ttl_ms":50"#)
        try daemon.wait(listener, "retained", 0)
    }

    enum End: CaseIterable { case killed, closed, halfClosed, bye }

    @Test(arguments: End.allCases) func `a will is posted however its client goes, unless it says bye`(end: End) throws
    {
        if end == .killed {
            try killWithWill()
        } else {
            let client = try daemon.client()
            try client.must(#"{"op":"will","channel":"later","payload":"will"}"#)
            switch end {
            case .closed: client.close()
            case .halfClosed:
                client.endOutput()
                #expect(try client.linesToEnd().isEmpty)
            default:
                try client.must(#"{"op":"bye"}"#)
                #expect(try client.linesToEnd().isEmpty)
            }
        }
        let observer = try daemon.client()
        try daemon.wait(observer, "clients", 2)
        try listener.send(#"{"op":"post","channel":"later","payload":"end"}"#)
        #expect(
            try listener.lines { $0.payload == "\"end\"" }.map(\.payload) == (end == .bye ? [] : ["\"will\""]) + [
                "\"end\""
            ])
    }

    private func killWithWill() throws {
        let script = """
            import os, signal, socket, sys
            client = socket.socket(socket.AF_UNIX)
            client.connect(sys.argv[1])
            client.sendall(b'{"op":"will","id":1,"channel":"later","payload":"will"}\\n')
            client.recv(100)
            os.kill(os.getpid(), signal.SIGKILL)
            """
        let pid = try Child.start(
            ["python3", "-c", script, daemon.socketPath], environment: ProcessInfo.processInfo.environment,
            output: "/dev/null", errors: daemon.directory.path("log"))
        _ = Child.status(of: pid)
    }

    @Test func `no will is posted when the daemon stops in order, and the log tells what was given up`() throws {
        let client = try daemon.client()
        try client.must(#"{"op":"will","channel":"later","payload":"will"}"#)
        try client.post("later", "1", #","delay_ms":100000"#)
        try client.post("later", "2", #","coalesce_ms":100000"#)
        daemon.signal(SIGTERM)
        let last = try listener.linesToEnd()
        #expect(last.map(\.op) == ["message", "bye"] && last.first?.payload == "2")
        client.close()
        #expect(daemon.waitForEnd() == 0)
        try daemon.waitForLog("1 scheduled posts are given up")
    }

    @Test func `the daemon tells on its own channels who comes and goes, and of reloads`() throws {
        let watcher = try daemon.client()
        try watcher.subscribe("$notifyd.>")
        let client = try daemon.client()
        try client.must(#"{"op":"hello","version":1,"name":"guest"}"#)
        client.close()
        let lines = try watcher.lines(2)
        let pid = ProcessInfo.processInfo.processIdentifier
        #expect(lines.map { $0.text.contains("\"pid\":\(pid),") } == [true, true])
        #expect(lines[0].text.contains(#""channel":"$notifyd.client.connected""#))
        #expect(lines[1].payload.hasSuffix(#""name":"guest","reason":"closed"}"#))
        #expect(lines[1].integer("from", "client") == 0 && lines[1].integer("from", "pid") == Int(daemon.pid))
        for (text, isGood) in [("{", false), ("{}", true)] {
            try daemon.configure(text)
            daemon.signal(SIGHUP)
            #expect(try watcher.line().payload == "{\"ok\":\(isGood)}")
        }
    }
}
