// Posts that are made later on persistent channels: what goes to the store, when, and who waits for it.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posts that are made later, on persistent channels")
struct StoredScheduleTests {
    static let kinds = [#","delay_ms":5000"#, #","at":"2001-09-09T01:46:45Z""#, #","coalesce_ms":5000"#]
    private let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))

    @Test("are answered when they are on disk", arguments: kinds)
    func answer(more: String) {
        let poster = stage.connect(uid: 7, pid: 70)
        poster.post("p.a", "[1]", more: #","id":1,"type":"T\u00e9","retain":true,"ttl_ms":9,"priority":"high""# + more)
        #expect(poster.read() == [])
        let operations = stage.takeOperations() ?? []
        #expect(operations.count == 1)
        let held = operations.held.first
        #expect(held?.due == 1_000_000_005_000_000_000)
        #expect(held?.uid == 7 && held?.pid == 70 && held?.client == poster.number && held?.number == 1)
        #expect(
            String(decoding: held?.line ?? [], as: UTF8.self)
                == #"{"op":"post","channel":"p.a","type":"T\u00e9","retain":true,"ttl_ms":9,"priority":"high","payload":[1]}"#
        )
        #expect(poster.read() == [])
        stage.settle()
        #expect(poster.read().map(\.op) == ["ok"])
    }

    @Test("go to the store without being asked for an answer, and then hold nothing back", arguments: kinds)
    func silent(more: String) {
        let poster = stage.connect()
        poster.post("p.a", more: more)
        #expect(stage.commit().held.count == 1)
        #expect(poster.read() == [] && poster.isBlocked == false)
    }

    @Test("leave the store in the piece in which their message comes there, and are read after it", arguments: kinds)
    func made(more: String) {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.*")
        poster.post("p.a", "1", more: more)
        stage.commit()
        stage.pass(milliseconds: 5000)
        #expect(reader.read() == [])
        let operations = stage.takeOperations() ?? []
        #expect(operations.messages.map(\.sequence) == [1] && operations.released == [1])
        stage.settle()
        #expect(reader.read().payloads == [1])
        #expect(stage.deadline == nil || stage.pins == 0)
    }

    @Test("are cancelled when that is on disk")
    func cancelled() {
        let poster = stage.connect()
        poster.post("p.a", more: #","id":1,"delay_ms":5000"#)
        stage.commit()
        _ = poster.read()
        poster.send(#"{"op":"cancel","id":2,"schedule":1}"#)
        #expect(poster.read() == [])
        #expect(stage.takeOperations() == [.release(number: 1)])
        #expect(poster.read() == [])
        stage.settle()
        #expect(poster.read() == [JSON(#"{"op":"ok","id":2}"#)])
    }

    @Test("that are held back take the place of the older one in one piece")
    func replaced() {
        let poster = stage.connect()
        poster.post("p.a", "1", more: #","coalesce_ms":5000"#)
        stage.commit()
        stage.advance(seconds: 1)
        poster.post("p.a", "2", more: #","coalesce_ms":5000"#)
        let operations = stage.commit()
        #expect(operations.held.map(\.number) == [2] && operations.released == [1])
        #expect(operations.held.first?.due == 1_000_000_005_000_000_000)
        #expect(poster.ask(#"{"op":"cancel","id":1,"schedule":2}"#).code == "unknown_schedule")
        poster.post("p.a", "3")
        #expect(stage.takeOperations().map { ($0.messages.count, $0.released) } ?? (0, []) == (2, [2]))
    }

    @Test("are as good as nowhere on other channels", arguments: kinds)
    func others(more: String) {
        let poster = stage.connect()
        poster.post("q.a", more: #","id":1"# + more)
        #expect(poster.read().count == 1)
        stage.pass(milliseconds: 5000)
        #expect(stage.takeOperations() == nil)
    }

    @Test("have numbers that are reserved before they are given away")
    func numbers() {
        stage.skip(toSchedule: Storage.block - Storage.margin - 1)
        let poster = stage.connect()
        poster.post("q.a", more: #","delay_ms":1"#)
        #expect(stage.takeOperations() == nil)
        poster.post("q.a", more: #","delay_ms":1"#)
        #expect(
            stage.takeOperations()
                == [.reserve(position: Storage.block, schedule: 2 * Storage.block - Storage.margin + 1)])
    }

    @Test("follow their channel into the store and out of it when the configuration changes", arguments: kinds)
    func reload(more: String) {
        let stage = Stage(channelRules: [], stored: StoredState(epoch: "e1"))
        stage.connect().post("p.a", "1", more: more)
        stage.advance(seconds: 2)
        stage.setRules([.persistent("p.>")])
        let held = stage.commit().held
        #expect(held.map(\.due) == [1_000_000_005_000_000_000])
        #expect(held.map(\.number) == [1])
        stage.setRules([])
        #expect(stage.commit().released == [1])
        stage.setRules([.persistent("p.>")])
        #expect(stage.commit().held == held)
    }

    @Test("of which the daemon has to tell when it stops are those that it gives up")
    func stop() {
        let poster = stage.connect()
        poster.post("p.a", "1", more: #","delay_ms":5000"#)
        poster.post("q.a", "2", more: #","delay_ms":5000"#)
        poster.post("p.a", "3", more: #","coalesce_ms":5000"#)
        stage.commit()
        #expect(stage.givenUp == 1)
        stage.shutDown()
        let operations = stage.commit()
        #expect(operations.messages.map(\.sequence) == [1] && operations.released == [3])
    }

    // MARK: The disk fails

    private func fail() {
        stage.connect().post("p.x")
        _ = stage.takeOperations()
        stage.settle(failure: "full")
    }

    @Test("are refused and not cancelled while it cannot be written", arguments: kinds)
    func refused(more: String) {
        let poster = stage.connect()
        poster.post("p.a", "1", more: #","delay_ms":5000"#)
        stage.commit()
        fail()
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"p.a"\#(more)}"#).code == "storage_failed")
        #expect(poster.ask(#"{"op":"cancel","id":2,"schedule":1}"#).code == "storage_failed")
        _ = stage.trim()
        poster.send(#"{"op":"cancel","id":3,"schedule":1}"#)
        #expect(stage.commit().released == [1])
        #expect(poster.read().map(\.op) == ["ok"])
    }

    @Test("wait until it can be written again, and are made in their order then")
    func putOff() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe(">")
        for (payload, more) in [
            (3, #","delay_ms":3000"#), (1, #","at":"2001-09-09T01:46:41Z""#),
            (2, #","coalesce_ms":2000,"ttl_ms":2001"#),
            (9, #","subject":"s","coalesce_ms":2000,"ttl_ms":2000"#),
        ] {
            poster.post("p.a", "\(payload)", more: more)
        }
        poster.post("q.a", "0", more: #","delay_ms":3000"#)
        stage.commit()
        fail()
        stage.pass(milliseconds: 4000)
        // A batch that is refused does not push out what waits.
        poster.send(#"{"op":"batch","posts":[{"channel":"p.a"}]}"#)
        #expect(reader.read().map { $0["channel"].text } == ["p.x", "q.a"])
        #expect(stage.takeOperations() == nil)
        #expect(stage.deadline == nil || (stage.secondsToDeadline ?? 0) > 0, "it does not ask in vain")
        _ = stage.trim()
        stage.pass(milliseconds: 0)
        let operations = stage.commit()
        #expect(operations.messages.count == 4 && operations.released.sorted() == [1, 2, 3, 4])
        let lines = reader.read()
        #expect(lines.payloads == [1, 2, 3])
        #expect(lines.gaps.map { $0["reason"].text } == ["expired"])
        #expect(stage.deadline == nil || stage.pins == 0)
    }

    @Test("that are put off are overtaken by what is newer, and can be cancelled")
    func putOffAndCancelled() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.a")
        poster.post("p.a", "1", more: #","delay_ms":1000"#)
        poster.post("p.a", "2", more: #","coalesce_ms":1000"#)
        stage.commit()
        fail()
        stage.pass(milliseconds: 1000)
        _ = stage.trim()
        poster.send(#"{"op":"cancel","id":3,"schedule":1}"#)
        poster.post("p.a", "3")
        #expect(stage.commit().released.sorted() == [1, 2])
        #expect(reader.read().payloads == [2, 3])
        stage.pass(milliseconds: 1000)
        #expect(stage.takeOperations() == nil)
    }

    @Test("that could not be written are made all the same, once it can be")
    func unwritten() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.a")
        poster.post("p.a", "1", more: #","id":1,"delay_ms":1000"#)
        _ = stage.takeOperations()
        stage.settle(failure: "full")
        #expect(poster.read().map(\.code) == ["storage_failed"])
        _ = stage.trim()
        stage.pass(milliseconds: 1000)
        stage.commit()
        #expect(reader.read().payloads == [1])
    }
}
