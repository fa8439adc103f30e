// The daemon's own channels: who comes, who goes, who falls behind.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("The daemon's own channels")
struct OwnChannelTests {
    @Test("tell who comes and who goes, from the daemon")
    func clients() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("$notifyd.client.*")
        let one = stage.connect(uid: 7, pid: 70)
        one.send(#"{"op":"hello","version":1,"name":"sh\"op"}"#)
        let two = stage.connect(uid: 8, pid: 80)
        two.send(#"{"op":"bye"}"#)
        let numbers = [one, two].map(\.number)
        stage.disconnect(two)
        stage.disconnect(one)
        let lines = listener.read()
        #expect(
            lines.map { $0["channel"].text?.split(separator: ".").last } == [
                "connected", "connected", "disconnected", "disconnected",
            ])
        #expect(lines.map { $0["payload"]["client"].int } == [0, 1, 1, 0].map { Int(numbers[$0]) })
        #expect(lines.map { $0["payload"]["uid"].int } == [7, 8, 8, 7])
        #expect(lines.map { $0["payload"]["pid"].int } == [70, 80, 80, 70])
        #expect(lines.map { $0["payload"]["reason"].text } == [nil, nil, "bye", "closed"])
        #expect(lines.map { $0["payload"]["name"].text } == [nil, nil, nil, "sh\"op"])
        #expect(lines.allSatisfy { $0["from"] == JSON(#"{"client":0,"pid":4711,"uid":99}"#) })
        #expect(lines.sequences == [1, 2, 1, 2])
    }

    @Test("post nothing that nobody listens to")
    func unheard() {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe(">")
        client.subscribe("*.*.*")
        client.subscribe("$notifyd.reload")
        stage.disconnect(stage.connect())
        #expect(client.read().isEmpty)
        #expect(stage.statistics["posts"].int == 0)
        #expect(stage.channelCount == 1)
        client.send(#"{"op":"unsubscribe","sub":3}"#)
        stage.announceReload(succeeded: true)
        #expect(client.read().isEmpty)
    }

    @Test("tell of a reload, and whether it went well", arguments: [true, false])
    func reload(succeeded: Bool) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("$notifyd.>")
        stage.announceReload(succeeded: succeeded)
        let lines = client.read()
        #expect(lines.map { $0["channel"].text } == ["$notifyd.reload"])
        #expect(lines.first?["payload"] == JSON(#"{"ok":\#(succeeded)}"#))
    }

    @Test("tell of a subscription that begins to lose messages, once until it has caught up")
    func slow() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("$notifyd.slow")
        let poster = stage.connect()
        let reader = stage.connect(uid: 7, pid: 70)
        reader.subscribe("a.*", #","sub":5,"buffer":{"messages":1}"#)
        for round in 1...2 {
            reader.block()
            poster.post("a.b", "1")
            #expect(listener.read().isEmpty)
            for _ in 1...3 { poster.post("a.b", "2") }
            let lines = listener.read()
            let payload = JSON(#"{"client":\#(reader.number),"pid":70,"uid":7,"sub":5,"channel":"a.*"}"#)
            #expect(lines.map { $0["payload"] } == [payload])
            #expect(lines.sequences == [round])
            reader.unblock()
            #expect(reader.read().gaps.map { $0["count"].int } == [3])
        }
        #expect(stage.takeSlow().count == 2)
    }

    @Test("do not tell of who listens to them and is slow itself", arguments: ["$notifyd.slow", "$notifyd.>"])
    func noFeedback(pattern: String) {
        let stage = Stage()
        let poster = stage.connect()
        let slow = (1...3).map { _ in stage.connect() }
        for each in slow {
            each.subscribe(pattern, #","buffer":{"messages":1}"#)
            each.subscribe("a", #","sub":9,"buffer":{"messages":1}"#)
            _ = each.read()
        }
        for each in slow { each.block() }
        for _ in 1...5 { poster.post("a") }
        // One message for each subscription to `a`, and none for those to the channel of slow ones.
        #expect(stage.statistics["posts"].int == 5 + 3 + (pattern.hasSuffix(">") ? 1 : 0))
        #expect(stage.takeSlow().count == 6)
    }

    @Test("are not posted to by clients, nor scheduled, nor willed")
    func denied() {
        let client = Stage()
        for request in [
            #""op":"post""#, #""op":"post","delay_ms":1"#, #""op":"post","coalesce_ms":1"#, #""op":"will""#,
            #""op":"post","dedup":"k""#,
        ] {
            #expect(client.connectAndAsk(#"{\#(request),"id":1,"channel":"$notifyd.slow"}"#).code == "denied")
        }
    }

    @Test("have numbers of their own and may be replayed like others")
    func history() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("$notifyd.reload")
        stage.announceReload(succeeded: true)
        #expect(listener.read().sequences == [1])
        let late = stage.connect()
        late.send(#"{"op":"subscribe","channel":"$notifyd.reload","replay":{"last":1}}"#)
        #expect(late.read().map(\.op) == ["message", "live"])
    }
}
