// Persistent channels: what goes to the store, and who waits for it.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

struct StorageTests {
    let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))

    @Test("A start upon a store reserves numbers first")
    func reservation() {
        #expect(
            stage.firstOperations == [
                .rules(Array("+p.>\n".utf8), position: 0),
                .reserve(position: Storage.block, schedule: Storage.block),
            ])
        #expect(stage.takeOperations() == nil)
    }

    // MARK: Who waits

    @Test("An answer waits until the post is on disk, and so does the message")
    func answer() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.*")
        poster.post("p.a", "1", more: #","id":7"#)
        #expect(poster.read() == [] && reader.read() == [])
        #expect(stage.isHeld(poster) && stage.isHeld(reader))
        #expect(stage.takeOperations()?.messages.map(\.sequence) == [1])
        #expect(poster.read() == [] && reader.read() == [])
        stage.settle()
        #expect(poster.read() == [JSON(#"{"op":"ok","id":7,"seq":1,"pos":1,"matched":1,"dropped":0}"#)])
        #expect(reader.read().sequences == [1])
        #expect(stage.isHeld(poster) == false && stage.isHeld(reader) == false)
        #expect(poster.isBlocked == false && reader.isBlocked == false)
        #expect(stage.heldPeers == 0)
    }

    @Test("What comes behind it waits, too, in its order; who has nothing to do with it does not")
    func order() {
        let (poster, both, other) = (stage.connect(), stage.connect(), stage.connect())
        both.subscribe(">")
        other.subscribe("q.a")
        stage.wakeUp {
            poster.post("p.a", "1", more: #","id":1"#)
            poster.post("q.a", "2", more: #","id":2"#)
            poster.post("p..a", "3", more: #","id":3"#)
            poster.send(#"{"op":"ping","id":4}"#)
        }
        #expect(poster.read() == [] && both.read() == [])
        #expect(other.read().payloads == [2])
        #expect(other.ask(#"{"op":"ping","id":5}"#).op == "ok")
        stage.commit()
        #expect(poster.read().map { $0["id"].int } == [1, 2, 3, 4])
        #expect(both.read().payloads == [1, 2])
    }

    @Test("A post that wants no answer gets none, and nothing is left of the waiting")
    func silent() {
        let poster = stage.connect()
        poster.post("p.a", "1")
        #expect(poster.isBlocked)
        stage.commit()
        #expect(poster.read() == [])
        #expect(poster.isBlocked == false)
    }

    @Test("While one piece is written the next is collected; each releases its own")
    func pieces() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.a")
        poster.post("p.a", "1", more: #","id":1"#)
        #expect(stage.takeOperations()?.messages.count == 1)
        poster.post("p.a", "2", more: #","id":2"#)
        poster.post("p.a", "3", more: #","id":3"#)
        #expect(stage.takeOperations() == nil, "one is being written")
        stage.settle()
        #expect(reader.read().payloads == [1])
        #expect(poster.read().map { $0["id"].int } == [1])
        #expect(stage.isHeld(reader) && stage.isHeld(poster))
        #expect(stage.takeOperations()?.messages.map(\.sequence) == [2, 3])
        stage.settle()
        #expect(reader.read().payloads == [2, 3])
        #expect(poster.read().map { $0["id"].int } == [2, 3])
        #expect(stage.heldPeers == 0)
    }

    @Test("A retained message and a replay are told when they are on disk")
    func questions() {
        let (poster, asker, late) = (stage.connect(), stage.connect(), stage.connect())
        poster.post("p.a", "1", more: #","retain":true"#)
        asker.send(#"{"op":"get","id":1,"channel":"p.a"}"#)
        late.send(#"{"op":"subscribe","id":1,"channel":"p.>","replay":{"last":9}}"#)
        #expect(asker.read() == [])
        #expect(late.read().map(\.op) == ["ok"])
        _ = stage.takeOperations()
        let again = stage.connect()
        again.send(#"{"op":"get","id":2,"channel":"p.a"}"#)
        #expect(again.read() == [])
        stage.settle()
        #expect(asker.read().first?["message"]["payload"].int == 1)
        #expect(again.read().first?["message"]["payload"].int == 1)
        #expect(late.read().map(\.op) == ["message", "live"])
        #expect(again.ask(#"{"op":"get","id":3,"channel":"p.a"}"#)["message"]["payload"].int == 1)
    }

    @Test(
        "Who asks for the past of other channels does not wait",
        arguments: [
            #"{"op":"get","id":1,"channel":"v.a"}"#, #"{"op":"get","id":1,"channel":"new"}"#,
            #"{"op":"subscribe","id":1,"channel":"v.a","replay":"retained"}"#,
            #"{"op":"subscribe","id":1,"channel":"v.>","replay":{"last":1}}"#,
        ])
    func othersPast(request: String) {
        let (poster, reader) = (stage.connect(), stage.connect())
        poster.post("v.a", "1", more: #","retain":true"#)
        poster.post("p.a", "2", more: #","retain":true"#)
        reader.send(request)
        #expect(reader.read().first?.op == "ok")
        #expect(!stage.isHeld(reader))
        stage.commit()
    }

    @Test("A filter that lets nothing pass makes nobody wait")
    func filters() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.a", #","type":"T""#)
        poster.subscribe("p.a", #","echo":false"#)
        stage.wakeUp {
            poster.post("p.a", "1")
            #expect(reader.isBlocked == false)
        }
        #expect(reader.ask(#"{"op":"ping","id":2}"#).op == "ok")
    }

    @Test("Who leaves while it waits is gone; who stays is served")
    func departure() {
        let (poster, leaver, reader) = (stage.connect(), stage.connect(), stage.connect())
        leaver.subscribe("p.a")
        reader.subscribe("p.a")
        poster.post("p.a", "1", more: #","id":1"#)
        #expect(stage.heldPeers == 3)
        stage.disconnect(leaver)
        stage.deafen(poster)
        #expect(stage.heldPeers == 1)
        #expect(stage.commit().messages.count == 1)
        #expect(reader.read().payloads == [1])
    }

    @Test("A slow reader goes on as slowly, behind the disk and after it")
    func slowReader() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe("p.a", #","buffer":{"messages":2}"#)
        reader.block()
        for payload in 1...4 { poster.post("p.a", "\(payload)") }
        stage.commit()
        #expect(reader.read() == [])
        reader.unblock()
        let lines = reader.read()
        #expect(lines.payloads == [3, 4])
        #expect(lines.gaps.map { $0["count"].int } == [2])
    }

    @Test("An urgent message overtakes others that wait, but not the disk")
    func priority() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe(">")
        reader.block()
        poster.post("q.a", "1")
        poster.post("p.a", "2", more: #","priority":"high""#)
        reader.unblock()
        #expect(reader.read() == [])
        stage.commit()
        #expect(reader.read().payloads == [2, 1])
    }

    // MARK: What goes to the store

    @Test("A message goes there with all that it is")
    func message() {
        stage.connect(uid: 42).post("p.a", "1", more: #","type":"T","retain":true,"ttl_ms":5"#)
        let operations = stage.commit()
        #expect(operations.messages.first?.uid == 42)
        #expect(operations.messages.first?.time == stage.now.wall)
        #expect(operations.messages.first?.expires == stage.now.wall + 5_000_000)
        let body = String(decoding: operations.messages.first?.body ?? [], as: UTF8.self)
        #expect(body.hasPrefix(#""channel":"p.a","seq":1,"pos":1,"#) && body.hasSuffix(#""payload":1}"#))
        guard case .message(let channel, _, let isRetained)? = operations.first else {
            Issue.record("\(operations)")
            return
        }
        #expect(channel == Array("p.a".utf8))
        #expect(isRetained)
    }

    @Test("Nothing of other channels goes there")
    func others() {
        stage.connect().post("q.a", "1", more: #","retain":true"#)
        #expect(stage.takeOperations() == nil)
    }

    @Test("What the history loses is told, with the next piece")
    func trimming() {
        let stage = Stage(
            channelRules: [.persistent("p.>", messages: 2)], stored: StoredState(epoch: "e1"))
        let poster = stage.connect()
        for _ in 0..<2 { poster.post("p.a") }
        #expect(stage.commit().losses == [])
        poster.post("p.a")
        #expect(stage.commit().losses.map(\.sequence) == [1])
    }

    @Test("What grows too old is told by and by, without being a reason to write")
    func ageing() {
        let poster = stage.connect()
        poster.post("p.a")
        stage.commit()
        #expect(stage.hasTrimmed == false)
        stage.advance(seconds: 61)
        stage.tick()
        #expect(stage.takeOperations() == nil)
        #expect(stage.hasTrimmed)
        #expect(stage.trim().losses.map(\.sequence) == [1])
    }

    @Test("Clearing goes there and is answered when it is on disk")
    func clear() {
        let poster = stage.connect()
        poster.post("p.a", "1", more: #","retain":true"#)
        stage.commit()
        poster.send(#"{"op":"clear","id":1,"channel":"p.a"}"#)
        #expect(poster.read() == [])
        #expect(stage.takeOperations() == [.clearRetained(channel: Array("p.a".utf8))])
        stage.settle()
        #expect(poster.read() == [JSON(#"{"op":"ok","id":1}"#)])
    }

    @Test("A batch is one piece, answered by one line")
    func batch() {
        let poster = stage.connect()
        poster.send(
            #"{"op":"batch","id":1,"posts":[{"channel":"q.a"},{"channel":"p.a"},{"channel":"p.b"}]}"#)
        #expect(poster.read() == [])
        #expect(stage.commit().messages.map(\.position) == [2, 3])
        #expect(poster.read().first?["results"].elements.count == 3)
    }

    @Test("A dedup key goes there with its message, and a double is answered when the first is on disk")
    func keys() {
        let (poster, again) = (stage.connect(uid: 7), stage.connect(uid: 7))
        poster.post("p.a", "1", more: #","id":1,"dedup":"k""#)
        again.post("p.a", "1", more: #","id":2,"dedup":"k""#)
        #expect(again.read() == [])
        let operations = stage.takeOperations() ?? []
        #expect(operations.messages.count == 1)
        let keys = operations.compactMap { if case .remember(let key) = $0 { key } else { nil } }
        #expect(keys.map(\.uid) == [7])
        #expect(keys.map(\.answer) == [.posted(Broker.Receipt(sequence: 1, position: 1))])
        #expect(keys.map(\.expires) == [stage.now.wall + 120_000_000_000])
        stage.settle()
        #expect(poster.read().first?["duplicate"].bool == nil)
        #expect(again.read().first?["duplicate"].bool == true)
        poster.post("q.a", "1", more: #","id":1,"dedup":"k""#)
        #expect(stage.takeOperations() == nil)
    }

    // MARK: The disk fails

    @Test("Posts that could not be written are answered with an error, in their place")
    func failure() {
        let poster = stage.connect()
        let ids = ["7", #""a,b}\"c""#, "0"]
        stage.wakeUp {
            for id in ids { poster.post("p.a", more: #","id":\#(id)"#) }
            poster.post("p.a")
            poster.send(#"{"op":"ping","id":9}"#)
        }
        _ = stage.takeOperations()
        stage.settle(failure: "full")
        let lines = poster.readRaw()
        #expect(lines.count == 5)
        for (line, id) in zip(lines, ids) {
            #expect(line.hasPrefix(#"{"op":"error","id":\#(id),"code":"storage_failed","#))
        }
        #expect(lines[3].hasPrefix(#"{"op":"error","code":"storage_failed","#))
        #expect(lines[4] == #"{"op":"ok","id":9}"#)
    }

    @Test("While it fails, posts on persistent channels are refused and not delivered; others go on")
    func refusal() {
        let (poster, reader) = (stage.connect(), stage.connect())
        reader.subscribe(">")
        poster.post("p.a", "1", more: #","dedup":"k""#)
        _ = stage.takeOperations()
        stage.settle(failure: "full")
        _ = (poster.read(), reader.read())
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"p.a"}"#).code == "storage_failed")
        #expect(poster.ask(#"{"op":"post","id":2,"channel":"p.new","ttl_ms":5}"#).code == "storage_failed")
        #expect(poster.ask(#"{"op":"clear","id":3,"channel":"p.a"}"#).code == "storage_failed")
        #expect(
            poster.ask(#"{"op":"batch","id":4,"posts":[{"channel":"q.a"},{"channel":"p.a"}]}"#).code == "storage_failed"
        )
        #expect(reader.read() == [])
        #expect(poster.ask(#"{"op":"post","id":5,"channel":"q.a"}"#).op == "ok")
        #expect(reader.read().count == 1)
        #expect(poster.ask(#"{"op":"post","id":7,"channel":"p.a","dedup":"k"}"#).code == "storage_failed")
        // It is tried again, with nothing new.
        _ = stage.trim()
        poster.send(#"{"op":"post","id":6,"channel":"p.a"}"#)
        stage.commit()
        #expect(poster.read().first?["seq"].int == 2)
        #expect(poster.ask(#"{"op":"post","id":8,"channel":"p.a","dedup":"k"}"#)["duplicate"].bool == true)
    }
}

extension ChannelRule {
    static func persistent(_ pattern: String, messages: Int = 64) -> ChannelRule {
        var rule = ChannelRule(pattern: pattern)
        rule.persist = true
        rule.history.messages = messages
        return rule
    }
}

extension [StoreOperation] {
    var messages: [StoredMessage] {
        compactMap { if case .message(_, let message, _) = $0 { message } else { nil } }
    }

    var losses: [StoredLoss] {
        compactMap { if case .trim(_, let loss) = $0 { loss } else { nil } }
    }
}
