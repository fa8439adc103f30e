// What outlives the daemon: it is killed in the middle of what it does, started again upon what it has left, damaged or
// whole, and its disk is full.

import Foundation
import NotifyTestSupport
import Testing

struct PersistenceTests {
    private static func configuration(_ directory: String) -> String {
        #"{"state_directory":"\#(directory)","channels":[{"pattern":"p.>","persist":true,"history":{"messages":5000,"bytes":10000000,"age_s":3600}}]}"#
    }

    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private var state: String { place.path("state") }
    private var store: String { state + "/notifyd.sqlite" }

    private func start(prelude: String = ":") throws -> TestDaemon {
        try TestDaemon(configuration: Self.configuration(state), prelude: prelude)
    }

    private func replayed(_ client: RawClient, _ channel: String) throws -> [ReceivedLine] {
        try client.send(#"{"op":"subscribe","id":1,"channel":"\#(channel)","replay":{"last":100000}}"#)
        return try client.lines { $0.op == "live" }.filter { $0.op != "live" && $0.op != "ok" }
    }

    @Test(
        "Killed again and again while it is posted to: nothing acknowledged is lost, nothing doubled, no number twice")
    func killed() throws {
        let daemon = try start()
        var acknowledged = 0
        var next = 1
        var positions: Set<Int> = []
        for round in 0..<8 {
            let client = try daemon.client()
            // What the last life did not acknowledge is posted again, with the same key.
            next = acknowledged + 1
            let rounds = 40 + round * 13
            for number in next..<(next + rounds) {
                try client.send(
                    #"{"op":"post","id":\#(number),"channel":"p.a","payload":\#(number),"dedup":"k\#(number)"}"#,
                    #"{"op":"post","channel":"q.a"}"#)
            }
            for _ in 0..<(rounds / 2 + round) {
                let receipt = try client.line()
                #expect(receipt.op == "ok")
                acknowledged += 1
                #expect(receipt.integer("id") == acknowledged)
                if !receipt.has("duplicate") { #expect(positions.insert(receipt.integer("pos")).inserted) }
            }
            daemon.end(SIGKILL)
            try daemon.start()
        }
        let lines = try replayed(daemon.client(), "p.a")
        let payloads = lines.map { $0.integer("payload") }
        #expect(lines.allSatisfy { $0.op == "message" }, "no gap")
        #expect(payloads == Array(1...payloads.count), "in order, none missing, none twice")
        #expect(payloads.count >= acknowledged)
        let sequences = lines.map { $0.integer("seq") }
        #expect(sequences == Array(1...sequences.count))
        let replayedPositions = lines.map { $0.integer("pos") }
        #expect(replayedPositions == replayedPositions.sorted())
        #expect(positions.subtracting(replayedPositions).isEmpty)
    }

    @Test("A restart keeps epoch, position, retained messages and numbers")
    func restarted() throws {
        let daemon = try start()
        let client = try daemon.client()
        let epoch: String? = try client.must(#"{"op":"hello","version":1}"#)["epoch"]
        try client.post("p.a", "1", #","retain":true"#)
        try client.post("p.a", "2")
        #expect(daemon.end() == 0)
        try daemon.start()
        let again = try daemon.client()
        let hello = try again.must(#"{"op":"hello","version":1}"#)
        #expect(hello["epoch"] == epoch)
        #expect(hello.integer("pos") == 2)
        #expect(try again.must(#"{"op":"get","channel":"p.a"}"#).integer("message", "payload") == 1)
        #expect(try again.post("p.a", "3").integer("seq") == 3)
        try again.must(#"{"op":"clear","channel":"p.a"}"#)
        daemon.end(SIGKILL)
        try daemon.start()
        #expect(try daemon.client().must(#"{"op":"hello","version":1}"#)["epoch"] == epoch)
        #expect(try replayed(daemon.client(), "p.a").map { $0.integer("payload") } == [1, 2, 3])
        #expect(try daemon.client().must(#"{"op":"get","channel":"p.a"}"#).text.contains(#""message":null"#))
    }

    @Test(
        "A store that is damaged is set aside, told, and the daemon serves", arguments: ["garbage", "cut", "version"])
    func damaged(how: String) throws {
        let daemon = try start()
        let client = try daemon.client()
        let epoch: String? = try client.must(#"{"op":"hello","version":1}"#)["epoch"]
        for number in 1...200 { try client.send(#"{"op":"post","channel":"p.a","payload":\#(number)}"#) }
        try client.post("p.a")
        #expect(daemon.end() == 0)
        let file = URL(filePath: store)
        var bytes = try Data(contentsOf: file)
        switch how {
        case "garbage": bytes = Data(repeating: 7, count: 10_000)
        case "cut": bytes = bytes.prefix(bytes.count / 2)
        default: bytes[63] = 9  // user_version
        }
        try bytes.write(to: file)
        try daemon.start()
        let again = try daemon.client()
        #expect(try again.must(#"{"op":"hello","version":1}"#)["epoch"] != epoch)
        #expect(try again.post("p.a").integer("seq") == 1)
        try daemon.waitForLog("it has been set aside as \(store).unusable-")
        let names = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(names.contains { $0.hasPrefix("notifyd.sqlite.unusable-") })
    }

    @Test("A store whose log is damaged is told, and what can be read is kept in a new epoch")
    func damagedLog() throws {
        let daemon = try start()
        let client = try daemon.client()
        let epoch: String? = try client.must(#"{"op":"hello","version":1}"#)["epoch"]
        for number in 1...20 { try client.post("p.a", "\(number)") }
        daemon.end(SIGKILL)
        let file = URL(filePath: store + "-wal")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count * 7 / 10] ^= 1
        try bytes.write(to: file)
        try daemon.start()
        let begun: String? = try daemon.client().must(#"{"op":"hello","version":1}"#)["epoch"]
        #expect(begun != epoch)
        try daemon.waitForLog("the log of the store \(store) is damaged")
        let kept = try replayed(daemon.client(), "p.a").map { $0.integer("payload") }
        #expect(kept.count < 20 && kept == Array(1..<(kept.count + 1)))
        try daemon.client().post("p.a", "21")
        daemon.end(SIGKILL)
        try daemon.start()
        #expect(try daemon.client().must(#"{"op":"hello","version":1}"#)["epoch"] == begun)
        #expect(try replayed(daemon.client(), "p.a").map { $0.integer("payload") } == kept + [21])
    }

    @Test("Without a place for the store the daemon serves what needs none, and says why")
    func noPlace() throws {
        try Data().write(to: URL(filePath: state))
        let daemon = try start()
        let client = try daemon.client()
        #expect(try client.ask(#"{"op":"post","channel":"p.a"}"#).code == "storage_failed")
        #expect(try client.post("q.a").integer("seq") == 1)
        try daemon.waitForLog("posts on persistent channels are refused")
    }

    @Test(
        "On a full disk posts on persistent channels are errors and others go on; with room it goes on by itself",
        .disabled(if: Sanitizer.isPresent, "a sanitizer's own memory is in files, too"))
    func fullDisk() throws {
        // As if the disk were full: no file may grow beyond this many blocks of 512 bytes.
        let daemon = try start(prelude: "ulimit -S -f 400; trap '' XFSZ")
        let client = try daemon.client()
        let payload = "\"\(String(repeating: "x", count: 5000))\""
        var accepted = 0
        var answer = try client.ask(#"{"op":"post","channel":"p.a","payload":\#(payload)}"#)
        while answer.op == "ok", accepted < 1000 {
            accepted += 1
            answer = try client.ask(#"{"op":"post","channel":"p.a","payload":\#(payload)}"#)
        }
        #expect(answer.code == "storage_failed")
        #expect(accepted > 0)
        #expect(try client.ask(#"{"op":"post","channel":"p.b"}"#).code == "storage_failed")
        #expect(try client.post("q.a").integer("seq") == 1)
        try daemon.shell("prlimit --pid \(daemon.pid) --fsize=unlimited:")
        try daemon.wait("room again") { try client.ask(#"{"op":"post","channel":"p.b"}"#).op == "ok" }
        daemon.end(SIGKILL)
        try daemon.start()
        // The one that was answered with an error had been accepted, and was written later.
        #expect(try replayed(daemon.client(), "p.a").count == accepted + 1)
    }

    @Test(
        "Started while the store cannot be written it numbers in an epoch of its own, which stays when it can again",
        .disabled(if: Sanitizer.isPresent, "a sanitizer's own memory is in files, too"))
    func unwritableStart() throws {
        let first = try start()
        try first.client().post("p.a", "\"\(String(repeating: "x", count: 20_000))\"")
        try first.client().post("q.a")
        let stored: String? = try first.client().must(#"{"op":"hello","version":1}"#)["epoch"]
        #expect(first.end() == 0)
        // Not one page may be written to its log.
        let second = try start(prelude: "ulimit -S -f 4; trap '' XFSZ")
        let unreserved: String? = try second.client().must(#"{"op":"hello","version":1}"#)["epoch"]
        let position = try second.client().post("q.a").integer("pos")
        #expect(try second.client().ask(#"{"op":"post","channel":"p.a"}"#).code == "storage_failed")
        second.end(SIGKILL)
        let third = try start(prelude: "ulimit -S -f 4; trap '' XFSZ")
        let client = try third.client()
        let epoch: String? = try client.must(#"{"op":"hello","version":1}"#)["epoch"]
        #expect(Set([stored, unreserved, epoch]).count == 3, "the same numbers are given away again")
        #expect(try client.post("q.a").integer("pos") == position)
        try client.send(
            #"{"op":"subscribe","id":1,"channel":"q.a","replay":{"after":\#(position),"epoch":"\#(unreserved ?? "")"}}"#
        )
        #expect(try client.lines { $0.op == "live" }.contains { $0["reason"] == "epoch" })
        try third.shell("prlimit --pid \(third.pid) --fsize=unlimited:")
        try third.wait("room again") { try client.ask(#"{"op":"post","channel":"p.b"}"#).op == "ok" }
        third.end(SIGKILL)
        let last = try start()
        let hello = try last.client().must(#"{"op":"hello","version":1}"#)
        #expect(hello["epoch"] == epoch)
        #expect(hello.integer("pos") > position)
        #expect(try replayed(last.client(), "p.a").count == 1)
    }

    @Test("With its directory removed posts on persistent channels are errors, the log says which; others go on")
    func removed() throws {
        let daemon = try start()
        let client = try daemon.client()
        try client.post("p.a", "1")
        try FileManager.default.moveItem(atPath: state, toPath: state + ".aside")
        #expect(try client.ask(#"{"op":"post","channel":"p.a","payload":2}"#).code == "storage_failed")
        #expect(try client.ask(#"{"op":"post","channel":"p.b"}"#).code == "storage_failed")
        #expect(try client.post("q.a").integer("seq") == 1)
        try daemon.waitForLog("\(store) was removed or replaced")
        try FileManager.default.moveItem(atPath: state + ".aside", toPath: state)
        try daemon.wait("back again") { try client.ask(#"{"op":"post","channel":"p.b"}"#).op == "ok" }
        daemon.end(SIGKILL)
        try daemon.start()
        #expect(try replayed(daemon.client(), "p.a").map { $0.integer("payload") } == [1, 2])
    }

    @Test("Two daemons do not share a store: the second one leaves it alone")
    func taken() throws {
        let first = try start()
        try first.client().post("p.a")
        let second = try start()
        try second.waitForLog("another process has it open")
        #expect(try second.client().ask(#"{"op":"post","channel":"p.a"}"#).code == "storage_failed")
        #expect(try first.client().post("p.a").integer("seq") == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: state).contains { $0.contains("unusable") } == false)
        try second.waitForLog("is left alone until notifyd is started again")
        #expect(first.end() == 0)
        second.end()
        try second.start()
        #expect(try second.client().post("p.a").integer("seq") == 3)
    }

    @Test(
        "Without persistent channels nothing of it is there: no directory, no library",
        .disabled(if: Sanitizer.isPresent, "a sanitizer's library is there, too"))
    func unused() throws {
        let daemon = try TestDaemon(configuration: #"{"state_directory":"\#(state)"}"#)
        try daemon.client().post("p.a")
        #expect(FileManager.default.fileExists(atPath: state) == false)
        let maps = try String(contentsOfFile: "/proc/\(daemon.pid)/maps", encoding: .utf8)
        #expect(maps.contains("libsqlite3") == false)
        #expect(maps.contains("libc.so"))
    }
}
