// What becomes of a past that has not been said yet when its subscription, its peer or its channel comes to an end.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("A long replay whose end comes early")
struct LongReplayEndTests {
    let stage: Stage
    let poster: StageClient
    let listener: StageClient

    init() {
        stage = Stage(pieceBytes: 400) { $0.channels = 20 }
        stage.goesOn = false
        poster = stage.connect()
        for number in 1...20 { poster.post("a", "\(number)") }
        listener = stage.connect()
    }

    private func ask(_ more: String = "") {
        listener.send(#"{"op":"subscribe","sub":1,"channel":"a","replay":{"last":99}\#(more)}"#)
        #expect(listener.read().payloads == [1, 2, 3])
        #expect(stage.pins == 1 && stage.unsaid == 1)
    }

    private func rest() -> [JSON] {
        for _ in 0..<99 where listener.isBlocked { stage.goOn() }
        return listener.read()
    }

    @Test("is given up by who unsubscribes: nothing more of it comes, and no live")
    func unsubscribed() {
        ask()
        listener.block()
        stage.goOn()
        listener.send(#"{"op":"unsubscribe","id":2,"sub":1}"#)
        poster.post("a", "21")
        listener.room = nil
        #expect(rest().map(\.op) == ["ok"])
        #expect(stage.pins == 0 && stage.unsaid == 0)
        #expect(!listener.isBlocked)
    }

    @Test("is given up with its connection", arguments: [false, true])
    func disconnected(isDeaf: Bool) {
        ask()
        if isDeaf { stage.deafen(listener) }
        stage.disconnect(listener)
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("is not made for a peer that reads nothing any more")
    func deaf() {
        stage.deafen(listener)
        listener.send(#"{"op":"subscribe","channel":"a","replay":{"last":99}}"#)
        listener.send(#"{"op":"subscribe","channel":"a","replay":"retained"}"#)
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("comes whole before the connection of who says bye ends, with what waited behind it")
    func bye() {
        ask()
        poster.post("a", "21")
        listener.send(#"{"op":"bye","id":2}"#)
        poster.post("a", "22")
        #expect(listener.isEnding && listener.isBlocked)
        let lines = rest()
        #expect(lines.payloads == Array(4...21))
        #expect(lines.map(\.op) == Array(repeating: "message", count: 17) + ["live", "message", "ok"])
        #expect(!listener.isBlocked)
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("comes whole before the daemon stops")
    func shutDown() {
        ask()
        stage.shutDown()
        let lines = rest()
        #expect(lines.payloads == Array(4...20))
        #expect(lines.suffix(2).map(\.op) == ["live", "bye"])
    }

    @Test("comes whole, with what waits behind it, before a subscription with policy fail has ended")
    func overflowed() {
        ask(#","buffer":{"policy":"fail","messages":2}"#)
        for number in 21...23 { poster.post("a", "\(number)") }
        #expect(stage.statistics["subscriptions"].int == 0)
        // The number is free again.
        listener.send(#"{"op":"subscribe","sub":1,"channel":"b","replay":{"last":1}}"#)
        let lines = rest()
        #expect(lines.payloads == Array(4...22))
        #expect(lines.suffix(5).map(\.op) == ["live", "message", "message", "error", "live"])
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("goes with a member of a group; what was posted since goes to another one")
    func group() {
        ask(#","group":"g""#)
        poster.post("a", "21")
        let heir = stage.connect()
        heir.subscribe("a", #","group":"g""#)
        stage.disconnect(listener)
        #expect(heir.read().payloads == [21])
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("counts what it has delivered, also after its subscription has ended")
    func counted() {
        ask()
        listener.send(#"{"op":"bye"}"#)
        _ = rest()
        let client = poster.ask(#"{"op":"clients","id":1}"#)["clients"].elements.last
        #expect(client?["delivered"].int == 20)
    }

    @Test("ends where the access rules deny it from then on", arguments: ["a", "*"])
    func revoked(pattern: String) {
        for number in 21...30 { poster.post("b", "\(number)") }
        listener.send(#"{"op":"subscribe","sub":1,"channel":"\#(pattern)","replay":{"last":99}}"#)
        #expect(listener.read().payloads == [1, 2, 3])
        stage.setAccess(AccessRules([.deny(on: "a", to: Selector(uid: 1000)), .allow()]))
        let lines = rest()
        #expect(lines.payloads == (pattern == "a" ? [] : Array(21...30)))
        #expect(lines.last?.op == (pattern == "a" ? "error" : "live"))
        #expect(lines.last?.code == (pattern == "a" ? "denied" : nil))
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }

    @Test("is of channels alone that its user may listen to", arguments: [#"{"last":99}"#, #""retained""#])
    func denied(replay: String) {
        stage.setAccess(AccessRules([.deny(on: "b", to: Selector(uid: 1001)), .allow()]))
        for channel in ["b", "c"] { poster.post(channel, "1", more: #","retain":true"#) }
        let guest = stage.connect(uid: 1001)
        guest.send(#"{"op":"subscribe","channel":"*","replay":\#(replay)}"#)
        for _ in 0..<99 where guest.isBlocked { stage.goOn() }
        #expect(Set(guest.read().messages.compactMap { $0["channel"].text }).subtracting(["a"]) == ["c"])
    }

    @Test("keeps its channel from being forgotten")
    func crowd() {
        ask()
        for number in 1...60 { poster.post("c\(number)", "1") }
        #expect(stage.channelCount <= 40)
        let lines = rest()
        #expect(lines.payloads == Array(4...20))
        #expect(lines.gaps.isEmpty)
    }

    @Test("leaves nothing behind when the broker goes with it")
    func broker() {
        let stage = Stage(pieceBytes: 400)
        stage.goesOn = false
        let poster = stage.connect()
        for number in 1...20 { poster.post("a", "\(number)") }
        stage.connect().send(#"{"op":"subscribe","channel":">","replay":{"last":99}}"#)
        #expect(stage.unsaid == 1)
    }

    @Test("of a persistent channel begins when what it may hold is on disk")
    func persistent() {
        let stage = Stage(
            pieceBytes: 400, channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        stage.goesOn = false
        let (poster, listener) = (stage.connect(), stage.connect())
        for number in 1...9 { poster.post("p.a", "\(number)") }
        for pattern in ["p.a", "p.*"] {
            listener.send(#"{"op":"subscribe","channel":"\#(pattern)","replay":{"last":9}}"#)
        }
        poster.post("p.a", "10")
        stage.goOn()
        #expect(listener.read() == [] && stage.isHeld(listener))
        stage.commit()
        var lines: [JSON] = []
        for turn in 0..<99 where listener.isBlocked {
            lines += listener.read()
            if turn == 1 { poster.post("p.a", "11") }
            stage.goOn()
        }
        lines += listener.read()
        for sub in 1...2 {
            let own = lines.filter { $0["sub"].int == sub }
            #expect(own.payloads == Array(1...10))
            #expect(own.map(\.op) == Array(repeating: "message", count: 9) + ["live", "message"])
        }
        stage.commit()
        #expect(listener.read().payloads == [11, 11])
        #expect(stage.pins == 0 && stage.unsaid == 0)
    }
}
