// The log says whose fault it is.

import Foundation
import NotifyTestSupport
import Testing

@Suite("The log names who", .timeLimit(.minutes(1)))
struct LogNameTests {
    private var command: String {
        (try? String(contentsOfFile: "/proc/self/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? ""
    }

    @Test("reads too slowly: process, command, user, and what it calls itself")
    func slow() throws {
        let daemon = try TestDaemon()
        let reader = try daemon.client()
        let number = try reader.must(#"{"op":"hello","version":1,"name":"sleepy"}"#).integer("client")
        _ = try reader.must(#"{"op":"subscribe","channel":"a","buffer":{"messages":1}}"#)
        let poster = try daemon.client()
        let payload = String(repeating: "x", count: 60_000)
        try daemon.wait("a line in the log") {
            _ = try poster.must("{\"op\":\"post\",\"channel\":\"a\",\"payload\":\"\(payload)\"}")
            return daemon.log.contains(
                "warning: client \(number) 'sleepy' (process \(getpid()) \(command), uid \(getuid())) reads too slowly: "
            )
        }
    }

    @Test("is turned away")
    func refused() throws {
        let daemon = try TestDaemon(configuration: "{limits: {clients: 1}}")
        let first = try daemon.client()
        _ = try first.must(#"{"op":"ping"}"#)
        let second = try daemon.client()
        _ = try? second.line()
        try daemon.wait("a line in the log") {
            daemon.log.contains(
                "connection of process \(getpid()) \(command), uid \(getuid()) refused: limit 'clients'")
        }
    }

    @Test("has too much, or may not")
    func excess() throws {
        let daemon = try TestDaemon(
            configuration: #"{limits: {subscriptions_per_client: 1}, access: [{deny: ["post"], channels: "secret"}]}"#)
        let client = try daemon.client()
        _ = try client.must(#"{"op":"subscribe","channel":"a"}"#)
        #expect(try client.ask(#"{"op":"subscribe","channel":"b"}"#).op == "error")
        #expect(try client.ask(#"{"op":"post","channel":"secret"}"#).op == "error")
        let who = " (process \(getpid()) \(command), uid \(getuid())) "
        try daemon.wait("two lines in the log") {
            let lines = daemon.log.split(separator: "\n").filter { $0.contains(who) }
            return lines.contains { $0.contains("is refused: ") }
                && lines.contains { $0.contains("has no right 'post'") }
        }
    }
}
