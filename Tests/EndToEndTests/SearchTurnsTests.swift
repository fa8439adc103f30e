// Requests that look at everything there is: however many come at once, others are answered between them.

import Foundation
import NotifyTestSupport
import Testing

@Suite("Requests that look at everything", .ownThreads)
struct SearchTurnsTests {
    private static let askers = 12

    /// A daemon with more channels than make one turn when all of them are looked at.
    private func crowded() throws -> (TestDaemon, RawClient) {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        for first in stride(from: 0, to: 130_000, by: 1000) {
            try poster.send(
                bytes: Array((first..<first + 1000).map { "{\"op\":\"post\",\"channel\":\"c.\($0)\"}\n" }.joined().utf8)
            )
        }
        try poster.must(#"{"op":"ping"}"#)
        return (daemon, poster)
    }

    @Test(
        "come from many at once, and who asks for little is answered between them",
        arguments: [
            #"{"op":"channels","id":1,"match":"nowhere"}"#, #"{"op":"channels","id":1}"#,
            #"{"op":"subscribe","id":1,"channel":"*.nowhere","replay":{"after":0}}"#,
        ])
    func between(request: String) throws {
        let (daemon, witness) = try crowded()
        let askers = try (0..<Self.askers).map { _ in try daemon.client() }
        // A test that is late itself on a busy machine finds more answers: then it looks again.
        var answered: [Int] = []
        while answered.count < 10, (answered.last ?? .max) >= Self.askers / 2 {
            for asker in askers { try asker.must(#"{"op":"ping"}"#) }
            try daemon.pause()
            // Twice: what each has asked for first may be answered in one turn after the other.
            for asker in askers { try asker.send(request, request.replacing("\"id\":1", with: "\"id\":2")) }
            try witness.send(#"{"op":"ping","id":"between"}"#)
            daemon.resume()
            #expect(try witness.line().op == "ok")
            answered.append(askers.count { $0.hasInput })
            for asker in askers {
                // A subscription has its past behind its answer.
                var ends = 0
                let end = request.contains("subscribe") ? "live" : "ok"
                let lines = try asker.lines {
                    ends += $0.op == end ? 1 : 0
                    return ends == 2
                }
                #expect(lines.last?.op == end && lines.contains { $0.integer("id") == 2 })
            }
        }
        #expect((answered.last ?? .max) < Self.askers / 2, "\(answered)")
    }

    @Test("are not answered when nobody is left to read it, but what has an effect still has it")
    func gone() throws {
        let (daemon, witness) = try crowded()
        try witness.subscribe("left")
        let askers = try (0..<Self.askers).map { _ in try daemon.client() }
        for asker in askers { try asker.must(#"{"op":"ping"}"#) }
        try daemon.pause()
        for asker in askers {
            for id in 1...50 { try asker.send("{\"op\":\"channels\",\"id\":\(id)}") }
            try asker.send(#"{"op":"post","channel":"left"}"#)
            asker.close()
        }
        daemon.resume()
        #expect(try witness.lines(Self.askers).allSatisfy { $0.op == "message" })
    }
}
