// Events of one wake-up that are about a connection which has ended in the same wake-up.

import Foundation
import NotifyTestSupport
import Testing

@Suite("Events that come together", .ownThreads)
struct StaleEventTests {
    /// Stops the daemon, lets `body` prepare what it will find, and lets it go on.
    private func atOnce(_ daemon: TestDaemon, _ body: () throws -> Void) throws {
        try daemon.pause()
        defer { daemon.resume() }
        try body()
    }

    @Test("do not close the newcomer that gets the place of a connection which has just gone")
    func newcomer() throws {
        let daemon = try TestDaemon()
        for _ in 0..<10 {
            let poster = try daemon.client()
            try poster.must(#"{"op":"ping"}"#)
            let goner = try daemon.client()
            // Its queue is full with one message, so that it is written to, and found gone, at once.
            try goner.subscribe("a", #","buffer":{"messages":1}"#)
            var newcomer: RawClient?
            try atOnce(daemon) {
                try poster.send(#"{"op":"post","channel":"a"}"#)
                newcomer = try daemon.client()
                goner.close()
            }
            #expect(try newcomer?.must(#"{"op":"ping"}"#).op == "ok")
        }
    }

    @Test("reach a subscription that ends and one that takes its number, each with its own")
    func numberUsedAgain() throws {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        let listener = try daemon.client()
        try listener.subscribe("a", #","sub":1"#)
        try poster.must(#"{"op":"ping"}"#)
        try atOnce(daemon) {
            for number in 1...3 { try poster.send(#"{"op":"post","channel":"a","payload":\#(number)}"#) }
            try listener.send(
                #"{"op":"unsubscribe","id":1,"sub":1}"#, #"{"op":"subscribe","id":2,"channel":"b","sub":1}"#)
        }
        let lines = try listener.lines { $0.integer("id") == 2 }
        #expect(lines.map(\.op) == ["message", "message", "message", "ok", "ok"])
        try poster.post("b", "7")
        #expect(try listener.line().payload == "7")
    }

    @Test("from many who go at once leave the others what is theirs")
    func crowdGoes() throws {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        let stayers = try (0..<20).map { _ in try daemon.client() }
        let goners = try (0..<200).map { _ in try daemon.client() }
        for client in stayers + goners { try client.subscribe("a") }
        try atOnce(daemon) {
            for number in 1...50 { try poster.send(#"{"op":"post","channel":"a","payload":\#(number)}"#) }
            for goner in goners { goner.close() }
        }
        for client in stayers {
            #expect(try client.lines(50).map(\.payload) == (1...50).map { "\($0)" })
        }
        try daemon.wait(poster, "clients", 21)
        try daemon.wait(poster, "subscriptions", 20)
    }
}
