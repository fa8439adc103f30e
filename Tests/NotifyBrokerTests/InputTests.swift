// What has come from clients and is not handled yet is shared: nobody with lines that never end takes the room of others.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("What has come of lines that are not complete")
struct InputTests {
    /// 4000 bytes for all, 2000 for a uid, and 1 always for each connection.
    private let stage = Stage {
        $0.inputBytes = 4000
        $0.inputBytesPerUID = 2000
        ($0.clients, $0.clientsPerUID) = (4000, 2000)
    }

    private func used(_ uid: UInt32) -> Int? {
        let accounts = stage.connect(uid: 99).ask(#"{"op":"stats","id":1}"#)["stats"]["accounts"].elements
        return accounts.first { $0["uid"].int == Int(uid) }?["input_bytes"].int
    }

    @Test("is as much as half of what a uid may have, for one that is alone; who has more is told and ends")
    func alone() {
        let (one, other) = (stage.connect(uid: 1), stage.connect(uid: 2))
        #expect(stage.keepInput(1000, of: one))
        #expect(used(1) == 1000)
        #expect(!stage.keepInput(1001, of: one))
        let lines = one.read()
        #expect(lines.map(\.op) == ["error", "bye"] && one.isEnding)
        #expect(lines[0].code == "quota_exceeded" && lines[0]["id"] == .null)
        #expect(lines[0].message.contains("'input_bytes_per_uid' of uid 1 is 2000"))
        #expect(lines[1]["reason"].text == "quota_exceeded")
        #expect(used(1) == 0)
        #expect(stage.takeExcesses().map(\.uid) == [1])
        #expect(stage.keepInput(1000, of: other))
    }

    @Test("leaves something to another connection of the uid, and to another uid, however greedy the first ones are")
    func shares() {
        let greedy = (1...400).map { _ in stage.connect(uid: 1) }
        // Each takes a little more as long as it may.
        var kept = [Int](repeating: 0, count: greedy.count)
        for step in [100, 10, 1] {
            for (index, client) in greedy.enumerated() where !client.isEnding {
                while client.peer.pointee.account.pointee.refusal(input: step, on: kept[index]) == nil {
                    kept[index] += step
                    #expect(stage.keepInput(kept[index], of: client))
                }
            }
        }
        #expect(kept.reduce(0, +) <= 2000 + 400)
        let (sibling, other) = (stage.connect(uid: 1), stage.connect(uid: 2))
        #expect(stage.keepInput(1, of: sibling))
        #expect(stage.keepInput(500, of: other))
        #expect(greedy.allSatisfy { !$0.isEnding })
    }

    @Test("may always be what is an equal part of it, if there were as many connections as there may be")
    func floor() {
        let stage = Stage {
            ($0.inputBytes, $0.inputBytesPerUID, $0.clients, $0.clientsPerUID) = (4000, 2000, 40, 20)
        }
        let clients = (1...20).map { _ in stage.connect(uid: 1) }
        for client in clients { #expect(stage.keepInput(100, of: client)) }
        #expect(!stage.keepInput(101, of: clients[0]))
        #expect(stage.keepInput(100, of: clients[1]))
    }

    @Test("is given back when it has been handled, and when the connection goes")
    func givenBack() {
        let (one, other) = (stage.connect(uid: 1), stage.connect(uid: 1))
        #expect(stage.keepInput(600, of: one) && stage.keepInput(300, of: other))
        #expect(used(1) == 900)
        #expect(stage.statistics["input_bytes"].int == 900 && stage.statistics["limits"]["input_bytes"].int == 4000)
        #expect(stage.keepInput(10, of: one))
        #expect(used(1) == 310)
        stage.disconnect(other)
        #expect(used(1) == 10)
        #expect(stage.keepInput(0, of: one))
        #expect(used(1) == 0 && stage.statistics["input_bytes"].int == 0)
        #expect(stage.keepInput(1000, of: one))
    }

    @Test("is not taken away when the limits become smaller, but grows no more")
    func reload() {
        let one = stage.connect(uid: 1)
        #expect(stage.keepInput(900, of: one))
        stage.setLimits { $0.inputBytesPerUID = 1000 }
        #expect(stage.keepInput(900, of: one) && stage.keepInput(800, of: one))
        #expect(!stage.keepInput(801, of: one))
    }
}
