// Posts that are made later on persistent channels, while the daemon is killed and started again.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct PersistentScheduleTests {
    private let place: TemporaryDirectory
    private let daemon: TestDaemon

    init() throws {
        place = try TemporaryDirectory()
        daemon = try TestDaemon(
            configuration:
                #"{"state_directory":"\#(place.path("state"))","channels":[{"pattern":"p.>","persist":true,"history":{"messages":5000,"bytes":10000000,"age_s":3600}}]}"#
        )
    }

    private func restart(by signal: Int32 = SIGKILL) throws -> RawClient {
        daemon.end(signal)
        try daemon.start()
        return try daemon.client()
    }

    /// All that was ever posted, and what comes until the message with this payload.
    private func payloads(until last: String, _ client: RawClient) throws -> [String] {
        try client.send(#"{"op":"subscribe","id":1,"channel":"p.a","replay":{"last":100000}}"#)
        return try client.lines { $0.payload == last }.filter { $0.op == "message" }.map(\.payload)
    }

    @Test(
        "What was to be made after the end of the daemon comes when the next is there, and once",
        arguments: [SIGKILL, SIGTERM])
    func restarted(signal: Int32) throws {
        let poster = try daemon.client()
        // In one piece: both times begin at the same moment.
        try poster.send(
            #"{"op":"post","id":1,"channel":"p.a","payload":1,"delay_ms":300}"#,
            #"{"op":"post","id":2,"channel":"p.a","payload":0,"delay_ms":1}"#)
        #expect(try poster.lines(2).map(\.op) == ["ok", "ok"])
        let time = Date(timeIntervalSinceNow: 0.4).ISO8601Format(.init(includingFractionalSeconds: true))
        try poster.post("p.a", "2", #","at":"\#(time)""#)
        let taken = try poster.post("p.a", "9", #","delay_ms":100000"#).integer("schedule")
        try poster.must(#"{"op":"cancel","schedule":\#(taken)}"#)
        let client = try restart(by: signal)
        #expect(try payloads(until: "2", client) == ["0", "1", "2"])
        let again = try restart()
        try again.post("p.a", "3")
        #expect(try again.must(#"{"op":"stats"}"#).integer("stats", "scheduled") == 0)
        #expect(try payloads(until: "3", again) == ["0", "1", "2", "3"])
        #expect(daemon.log.contains("given up") == false)
    }

    @Test("What fell due while there was no daemon is made at once, in the order of its times")
    func overdue() throws {
        let poster = try daemon.client()
        try poster.send(
            #"{"op":"post","channel":"p.a","payload":2,"delay_ms":40}"#,
            #"{"op":"post","channel":"p.a","payload":1,"coalesce_ms":20}"#,
            #"{"op":"post","id":1,"channel":"p.a","payload":0,"subject":"s","delay_ms":0}"#)
        _ = try poster.line()
        daemon.end(SIGKILL)
        let due = Date(timeIntervalSinceNow: 0.04)
        try daemon.wait("the times are over") { Date() > due }
        try daemon.start()
        let client = try daemon.client()
        try client.post("p.a", "3")
        #expect(try payloads(until: "3", client) == ["0", "1", "2", "3"])
    }

    @Test("Killed again and again while posts are scheduled: each is made once, whoever had to repeat it")
    func killed() throws {
        let count = 400
        var acknowledged = 0
        var rounds = 0
        var client = try daemon.client()
        while acknowledged < count {
            rounds += 1
            // What the last life did not acknowledge is asked for again, with the same key.
            for number in (acknowledged + 1)...min(acknowledged + 60, count) {
                let when = number % 3 == 0 ? "coalesce_ms" : "delay_ms"
                try client.send(
                    #"{"op":"post","id":\#(number),"channel":"p.a","subject":"\#(number)","payload":\#(number),"dedup":"k\#(number)","\#(when)":\#(number * 7 % 50)}"#
                )
            }
            for _ in 0..<min(rounds * 17 % 40, count - acknowledged) {
                let receipt = try client.line()
                #expect(receipt.op == "ok")
                acknowledged += 1
                #expect(receipt.integer("id") == acknowledged)
            }
            client = try restart()
        }
        try daemon.wait(client, "scheduled", 0)
        try client.post("p.a", "0")
        let payloads = try payloads(until: "0", client).dropLast().compactMap { Int($0) }
        #expect(payloads.sorted() == Array(1...count), "none missing, none twice")
        #expect(rounds > 10)
    }

    @Test("A will is not posted when it is the daemon that is killed")
    func will() throws {
        let client = try daemon.client()
        try client.must(#"{"op":"will","channel":"p.a","payload":"will"}"#)
        let again = try restart()
        try again.post("p.a", "1")
        #expect(try payloads(until: "1", again) == ["1"])
    }
}
