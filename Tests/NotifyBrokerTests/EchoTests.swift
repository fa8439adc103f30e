// `"echo":false` for what went before: a connection's own posts are not replayed to it either, and a number that was
// somebody else's in an earlier life of the daemon makes nothing its own.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("A subscription without echo")
struct EchoTests {
    private func replay(_ client: StageClient, _ replay: String, _ more: String = #","echo":false"#) -> [JSON] {
        client.send(#"{"op":"subscribe","channel":"p.*","replay":\#(replay)\#(more)}"#)
        let lines = client.read()
        #expect(lines.last?.op == "live")
        return lines.dropLast()
    }

    @Test(
        "is replayed what others have posted, whenever that was made, and nothing of its own connection",
        arguments: [#""retained""#, #"{"last":9}"#, #"{"after":0}"#, #"{"since":"2001-09-09T01:46:40Z"}"#])
    func others(past: String) {
        let stage = Stage()
        let (own, other) = (stage.connect(), stage.connect())
        // A subject that looks like a sender does not deceive.
        let more = #","retain":true,"subject":",\"from\":{\"client\":1""#
        own.post("p.own", "1", more: more)
        other.post("p.other", "2", more: more)
        own.post("p.late", "3", more: more + #","delay_ms":10"#)
        other.post("p.last", "4", more: more + #","delay_ms":20"#)
        stage.pass(milliseconds: 20)
        #expect(replay(own, past).payloads == [2, 4])
        #expect(replay(own, past, "").payloads == [1, 2, 3, 4])
        #expect(replay(other, past).payloads == [1, 3])
        #expect(replay(stage.connect(), past).payloads == [1, 2, 3, 4])
    }

    @Test("is replayed as many of the last as it asks for, its own not counted")
    func count() {
        let stage = Stage(channelRules: [.persistent("p.>", messages: 4)])
        let (own, other) = (stage.connect(), stage.connect())
        for number in 1...2 { other.post("p.a", "\(number)") }
        for number in 3...4 { own.post("p.a", "\(number)") }
        #expect(replay(own, #"{"last":1}"#).payloads == [2])
        #expect(replay(own, #"{"last":2}"#).payloads == [1, 2])
        // How many of those that are gone were its own nobody knows.
        other.post("p.a", "5")
        for (more, known) in [("", 1), (#","echo":false"#, nil)] {
            let lines = replay(own, #"{"last":5}"#, more)
            #expect(lines.gaps.map { $0["count"].int } == [known])
            #expect(lines.gaps.map { $0["to"].int } == [1])
        }
    }

    @Test("is replayed what an earlier life was told by a client of the same number", arguments: [false, true])
    func earlierLife(isDue: Bool) {
        let first = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        var disk = Disk(first.firstOperations)
        first.connect(uid: 7).post("p.a", "1", more: #","retain":true\#(isDue ? "" : #","delay_ms":1000"#)"#)
        disk.write(first.commit())
        let stage = Stage(
            channelRules: [.persistent("p.>")], stored: disk.state, wall: first.now.wall + 500_000_000)
        let client = stage.connect()
        stage.pass(milliseconds: 500)
        client.post("p.b", "2", more: #","retain":true"#)
        stage.commit()
        for past in [#""retained""#, #"{"last":9}"#] {
            #expect(replay(client, past).payloads == [1])
            let lines = replay(client, past, "")
            #expect(lines.map { $0["from"]["client"].int } == [1, 1])
        }
    }

    @Test("gets what a member of its group leaves that is of a client of an earlier life")
    func handedOver() {
        let first = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        var disk = Disk(first.firstOperations)
        first.connect(uid: 7).post("p.a", "1", more: #","delay_ms":1000"#)
        disk.write(first.commit())
        let stage = Stage(channelRules: [.persistent("p.>")], stored: disk.state)
        let (heir, member) = (stage.connect(), stage.connect())
        for client in [member, heir] { client.subscribe("p.a", #","group":"g","echo":false"#) }
        member.block()
        stage.pass(milliseconds: 1000)
        heir.post("p.a", "2")
        stage.commit()
        #expect(member.peer.pointee.subscriptions?.pointee.waitingMessages == 2)
        stage.disconnect(member)
        #expect(heir.read().payloads == [1])
    }
}
