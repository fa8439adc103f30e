// Daemons that hang up in the middle of a line, or at once. After omarchy-tunarchy#19 and swift-corelibs-foundation#3224
// (T037): readers that loop for ever at an end of file, and are told of it again and again.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl listen and a daemon that hangs up", .timeLimit(.minutes(2)))
struct NotifyctlHangUpTests {
    private let peer: ScriptedPeer

    init() throws { peer = try ScriptedPeer() }

    private func start(_ options: String...) throws -> RunningTool {
        try RunningTool(
            Checkout.program("notifyctl"),
            ["listen", "a", "--output=payload", "--socket", peer.path] + options)
    }

    /// Serves what `listen` asks for at its beginning: a ping, or a subscription.
    private func serve(_ connection: ScriptedPeer.Connection) async throws {
        await connection.send(#"{"op":"ok","id":\#(try #require(await connection.id())),"pos":0}"#)
    }

    private let half = Array(#"{"op":"message","sub":1,"channel":"a","payl"#.utf8)

    @Test("says once that it went away, prints no half line, and goes on with one that serves")
    func away() async throws {
        let listener = try start("-n1", "--connect-timeout=60")
        let first = await peer.acceptAndGreet()
        for _ in 0..<2 { try await serve(first) }
        await first.send(bytes: half)
        first.hangUp()
        for round in 0..<4 {
            let next = await peer.accept()
            if round % 2 == 0 { await next.send(bytes: half) }
            next.hangUp()
        }
        let last = await peer.acceptAndGreet(epoch: "e2")
        let subscribe = try #require(await last.line())
        let number = { (name: String) in subscribe.firstMatch(of: try Regex("\"\(name)\":(\\d+)"))?[1].substring ?? "" }
        await last.send(#"{"op":"ok","id":\#(try number("id")),"pos":0}"#)
        await last.send(
            #"{"op":"message","sub":\#(try number("sub")),"channel":"a","seq":1,"pos":1,"#
                + #""time":"2026-11-29T12:00:00.000000Z","from":{"client":1,"pid":1,"uid":0},"payload":7}"#)
        #expect(await listener.output.rest() == ["7"])
        #expect(await listener.status() == 0)
        let errors = await listener.errors.rest()
        #expect(errors.count { $0.contains("the daemon went away") } == 1)
        #expect(errors.count { $0.contains("the daemon is back") } == 1)
    }

    @Test("--no-reconnect ends with 69 in the middle of a line")
    func noReconnect() async throws {
        let listener = try start("--no-reconnect", "--connect-timeout=60")
        let first = await peer.acceptAndGreet()
        for _ in 0..<2 { try await serve(first) }
        await first.send(bytes: half)
        first.hangUp()
        #expect(await listener.status() == 69)
        #expect(await listener.output.rest() == [])
        #expect(await listener.errors.rest().count == 1)
    }

    @Test("one that has never served is given up after --connect-timeout, and tried with pauses until then")
    func neverServed() async throws {
        let listener = try start("--connect-timeout=2s")
        let tries = Task { [peer] in
            var count = 0
            while true {
                let next = await peer.accept()
                // The last to come are we.
                if await next.line() == "enough" { return count }
                next.hangUp()
                count += 1
            }
        }
        #expect(await listener.status() == 69)
        #expect(await listener.output.rest() == [])
        #expect(await listener.errors.rest().count == 1)
        let socket = try UnixSocket.connect(peer.path)
        #expect(send(socket, "enough\n", 7, 0) == 7)
        // Pauses are chosen by chance, and double up to 2 seconds.
        #expect(await 2...40 ~= tries.value)
        close(socket)
    }
}
