// `will` and `bye`: what is posted for a client that can no longer do it itself.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Wills")
struct WillTests {
    private let will = #"{"op":"will","id":1,"channel":"gone","payload":7,"type":"T","subject":"s"}"#

    @Test("are posted when their connection ends, from who it was, and once")
    func posted() {
        let stage = Stage(channelRules: [.noHistory])
        let listener = stage.connect()
        listener.subscribe("gone")
        let client = stage.connect(uid: 7, pid: 70)
        let number = client.number
        #expect(client.ask(will) == JSON(#"{"op":"ok","id":1}"#))
        #expect(listener.read().isEmpty)
        stage.disconnect(client)
        let lines = listener.read()
        #expect(lines.payloads == [7])
        #expect(lines[0]["type"].text == "T" && lines[0]["subject"].text == "s")
        #expect(lines[0]["from"] == JSON(#"{"client":\#(number),"pid":70,"uid":7}"#))
        #expect(stage.pins == 0)
        #expect(stage.statistics["scheduled"].int == 0)
    }

    @Test("are replaced by newer ones and forgotten on demand", arguments: [true, false])
    func replaced(isForgotten: Bool) {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe(">")
        let client = stage.connect()
        _ = client.ask(will)
        let reply = client.ask(isForgotten ? #"{"op":"will","id":2}"# : #"{"op":"will","id":2,"channel":"b"}"#)
        #expect(reply.op == "ok")
        #expect(stage.statistics["scheduled"].int == (isForgotten ? 0 : 1))
        stage.disconnect(client)
        #expect(listener.read().map { $0["channel"].text } == (isForgotten ? [] : ["b"]))
    }

    @Test("are not posted after bye, nor when the daemon stops", arguments: [true, false])
    func inOrder(saysBye: Bool) {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        _ = client.ask(will)
        if saysBye { client.send(#"{"op":"bye"}"#) } else { stage.shutDown() }
        stage.disconnect(client)
        #expect(stage.pins == 0)
        if saysBye { #expect(stage.statistics["posts"].int == 0) }
    }

    @Test("are posted when a client closes its side without bye, as soon as it goes")
    func halfClosed() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("gone")
        let client = stage.connect()
        _ = client.ask(will)
        stage.endInput(of: client)
        #expect(client.isEnding)
        #expect(listener.read().isEmpty)
        stage.disconnect(client)
        #expect(listener.read().payloads == [7])
    }

    @Test("come after all that their client has posted itself, also those of many that go at once")
    func order() {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe("*")
        let clients = (0..<5).map { _ in stage.connect() }
        for (number, client) in clients.enumerated() {
            client.send(#"{"op":"will","channel":"w","payload":\#(number)}"#)
        }
        stage.wakeUp {
            for (number, client) in clients.enumerated() {
                client.post("last", "\(10 + number)")
                stage.disconnect(client)
            }
        }
        #expect(listener.read().payloads.sorted() == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14])
        #expect(listener.read().isEmpty)
    }

    @Test("of very many that go at once are posted in turns, between which others have theirs")
    func crowd() throws {
        let stage = Stage(channelRules: [.noHistory])
        let listeners = (0..<300).map { _ in stage.connect() }
        for listener in listeners { listener.subscribe("gone") }
        let crowd = (0..<1200).map { _ in stage.connect() }
        for (number, client) in crowd.enumerated() {
            client.send(#"{"op":"will","channel":"gone","payload":\#(number)}"#)
        }
        stage.wakeUp { for client in crowd { stage.disconnect(client) } }
        var payloads = listeners[0].read().payloads
        #expect(0 < payloads.count && payloads.count < crowd.count)
        var turns = 0
        while let seconds = stage.secondsToDeadline, seconds <= 0 {
            let count = payloads.count
            listeners[1].post("gone", "-1")
            stage.tick()
            payloads += listeners[0].read().payloads.filter { $0 != -1 }
            try #require(payloads.count > count, "each turn gets some further")
            turns += 1
        }
        #expect(turns > 0)
        #expect(payloads == Array(0..<crowd.count))
        #expect(stage.statistics["scheduled"].int == 0)
    }

    @Test("may be retained, with a time to live that begins when they are posted")
    func retained() {
        let stage = Stage(channelRules: [.noHistory])
        let client = stage.connect()
        client.send(#"{"op":"will","channel":"state","payload":"off","retain":true,"ttl_ms":50}"#)
        stage.pass(milliseconds: 1000)
        stage.disconnect(client)
        let other = stage.connect()
        let get = #"{"op":"get","id":1,"channel":"state"}"#
        #expect(other.ask(get)["message"]["payload"].text == "off")
        stage.pass(milliseconds: 50)
        #expect(other.ask(get)["message"] == .null)
    }

    @Test(
        "are refused like posts",
        arguments: [
            (#""channel":"a..b""#, "invalid_channel"), (#""channel":"$notifyd.x""#, "denied"),
            (#""payload":1"#, "missing_field"), (#""channel":"a","delay_ms":1"#, "unknown_field"),
            (#""channel":"a","dedup":"k""#, "unknown_field"), (#""channel":"a","if_seq":0"#, "unknown_field"),
            (#""channel":"a","ttl_ms":0"#, "invalid_field"),
        ])
    func refused(fields: String, code: String) {
        let stage = Stage()
        let listener = stage.connect()
        listener.subscribe(">")
        let client = stage.connect()
        _ = client.ask(will)
        #expect(client.ask(#"{"op":"will","id":2,\#(fields)}"#).code == code)
        stage.disconnect(client)
        #expect(listener.read().payloads == [7], "the one before stays")
    }

    @Test("are bounded with all other posts that are made later")
    func bound() {
        let stage = Stage { $0.scheduledPosts = 1 }
        let client = stage.connect(uid: 99)
        for _ in 1...2 { #expect(client.ask(will).op == "ok", "the second replaces the first") }
        #expect(stage.connect(uid: 99).ask(will).code == "quota_exceeded")
        stage.disconnect(client)
        #expect(stage.connect(uid: 99).ask(will).op == "ok")
    }
}
