// A second life of the broker upon what the first one has stored.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

struct RestoreTests {
    /// Those of all lives, if the test does not say otherwise.
    private static let rules = Array("+p.>\n".utf8)

    /// Plays the store for channel `p.a`: what it gives back after these operations.
    private func state(after operations: [StoreOperation], position: UInt64) -> StoredState {
        var channel = StoredChannel(name: Array("p.a".utf8), sequence: 0)
        for case .message(_, let message, let isRetained) in operations {
            channel.history.append(message)
            channel.sequence = message.sequence
            if isRetained { channel.retained = message }
        }
        for case .trim(_, let loss) in operations {
            channel.lost = loss
            channel.history.removeAll { $0.sequence <= loss.sequence }
        }
        var state = StoredState(epoch: "e1", position: position, channels: [channel])
        state.rules = Self.rules
        return state
    }

    /// A life in which `posts` posts were made, the second one retained.
    private func firstLife(posts: Int, messages: Int = 64) -> StoredState {
        let stage = Stage(
            channelRules: [.persistent("p.>", messages: messages)], stored: StoredState(epoch: "e1"))
        let poster = stage.connect()
        var operations: [StoreOperation] = []
        for number in 1...posts {
            poster.post("p.a", "\(number)", more: number == 2 ? #","retain":true"# : "")
            operations += stage.commit()
        }
        return state(after: operations, position: UInt64(posts))
    }

    private func secondLife(_ state: StoredState, messages: Int = 64) -> Stage {
        Stage(channelRules: [.persistent("p.>", messages: messages)], stored: state)
    }

    @Test("Numbering, history and retained message go on")
    func goesOn() {
        let stage = secondLife(firstLife(posts: 3))
        let reader = stage.connect()
        reader.send(#"{"op":"subscribe","id":1,"channel":"p.a","replay":{"last":9}}"#)
        let lines = reader.read()
        #expect(lines.payloads == [1, 2, 3])
        #expect(lines.sequences == [1, 2, 3])
        #expect(lines.gaps == [])
        #expect(reader.ask(#"{"op":"get","id":2,"channel":"p.a"}"#)["message"]["payload"].int == 2)
        let poster = stage.connect()
        poster.post("p.a", "4", more: #","id":3"#)
        #expect(stage.commit().messages.map(\.sequence) == [4])
        #expect(poster.read().first?["pos"].int == 4)
    }

    @Test("A message of the first life passes filters as it did")
    func filters() {
        let first = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        first.connect(uid: 7).post("p.a", "1", more: #","type":"T\u00e9","subject":"s","retain":true"#)
        let stage = secondLife(state(after: first.commit(), position: 1))
        for replay in [#""retained""#, #"{"last":1}"#] {
            let reader = stage.connect()
            let filter = #","type":"Té","subject":"s","from_uid":7,"replay":\#(replay)"#
            reader.send(#"{"op":"subscribe","id":1,"channel":"p.a"\#(filter)}"#)
            #expect(reader.read().payloads == [1])
            reader.send(#"{"op":"subscribe","id":1,"channel":"p.a","from_uid":8,"replay":\#(replay)}"#)
            #expect(reader.read().payloads == [])
        }
    }

    @Test("Who resumes misses nothing that history has, and is told what it has lost")
    func resuming() {
        let stage = secondLife(firstLife(posts: 5, messages: 3), messages: 3)
        for (position, payloads, gaps) in [(2, [3, 4, 5], 0), (1, [3, 4, 5], 1), (5, [], 0)] {
            for pattern in ["p.a", "p.*", "p.>"] {
                let reader = stage.connect()
                let after = #"{"after":\#(position),"epoch":"e1"}"#
                reader.send(#"{"op":"subscribe","id":1,"channel":"\#(pattern)","replay":\#(after)}"#)
                let lines = reader.read()
                #expect(lines.payloads == payloads, "\(pattern) after \(position)")
                #expect(lines.gaps.count == gaps, "\(pattern) after \(position)")
            }
        }
    }

    @Test("Of channels that are not persistent it is told that something may be missing")
    func volatile() {
        let stage = secondLife(firstLife(posts: 3))
        let poster = stage.connect()
        poster.post("q.a", "9")
        for pattern in ["q.a", "q.new", "q.>", ">", "*.a"] {
            let reader = stage.connect()
            reader.send(#"{"op":"subscribe","id":1,"channel":"\#(pattern)","replay":{"after":2,"epoch":"e1"}}"#)
            #expect(reader.read().gaps.map { $0["reason"].text } == ["history"], "\(pattern)")
            reader.send(#"{"op":"subscribe","id":1,"channel":"\#(pattern)","replay":{"after":3,"epoch":"e1"}}"#)
            #expect(reader.read().gaps == [], "\(pattern)")
        }
    }

    @Test("A key of the first life is known until its window is over, to its own uid")
    func keys() {
        let first = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        first.connect(uid: 7).post("p.a", "1", more: #","dedup":"k""#)
        let operations = first.commit()
        var state = state(after: operations, position: 1)
        for case .remember(let key) in operations { state.keys.append(key) }
        for (seconds, isDouble) in [(Int64(119), true), (120, false)] {
            let stage = Stage(
                channelRules: [.persistent("p.>")], stored: state, wall: first.now.wall + seconds * 1_000_000_000)
            for (uid, isOwn) in [(UInt32(7), true), (8, false)] {
                let poster = stage.connect(uid: uid)
                poster.post("p.a", "1", more: #","id":1,"dedup":"k""#)
                stage.commit()
                let receipt = poster.read().first
                #expect((receipt?["duplicate"].bool == true) == (isDouble && isOwn))
                #expect((receipt?["seq"].int == 1) == (isDouble && isOwn))
            }
        }
    }

    @Test("No number comes twice, whatever was posted between the last reservation and the end")
    func numbering() {
        var state = StoredState(epoch: "e1", position: Storage.block)
        state.rules = Self.rules
        let stage = secondLife(state)
        #expect(stage.firstOperations == [.reserve(position: 2 * Storage.block, schedule: Storage.block)])
        let poster = stage.connect()
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"q.a"}"#)
        #expect(receipt["pos"].int == Int(Storage.block) + 1)
        #expect(receipt["seq"].int == Int(Storage.block) + 1)
    }

    @Test("The next numbers are reserved before the last are given away")
    func reservation() {
        let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        let poster = stage.connect()
        stage.skip(to: Storage.block - Storage.margin - 1)
        poster.post("q.a")
        #expect(stage.takeOperations() == nil)
        poster.post("q.a")
        #expect(
            stage.takeOperations() == [
                .reserve(position: 2 * Storage.block - Storage.margin + 1, schedule: Storage.block)
            ])
    }

    @Test("What has expired or grown too old meanwhile is gone")
    func expired() {
        let first = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        let poster = first.connect()
        poster.post("p.a", "1", more: #","retain":true,"ttl_ms":1000"#)
        let operations = first.commit()
        for (time, isThere) in [(first.now.wall + 999_999_999, true), (first.now.wall + 1_000_000_000, false)] {
            let stage = Stage(
                channelRules: [.persistent("p.>")], stored: state(after: operations, position: 1), wall: time)
            let reader = stage.connect()
            let message = reader.ask(#"{"op":"get","id":1,"channel":"p.a"}"#)["message"]
            #expect((message["payload"].int == 1) == isThere)
        }
        let stage = Stage(
            channelRules: [.persistent("p.>")], stored: state(after: operations, position: 1),
            wall: first.now.wall + 60_000_000_000)
        let reader = stage.connect()
        reader.send(#"{"op":"subscribe","id":1,"channel":"p.a","replay":{"last":9}}"#)
        #expect(reader.read().map(\.op) == ["ok", "gap", "live"])
    }

    @Test("A channel that the configuration no longer calls persistent is forgotten")
    func changedRules() {
        let stage = Stage(channelRules: [.persistent("x.>")], stored: firstLife(posts: 3))
        #expect(stage.firstOperations.first == .rules(Array("+x.>\n".utf8), position: 3))
        #expect(
            stage.firstOperations.dropFirst().first == .forget(channel: Array("p.a".utf8), sequence: 3, position: 3))
        #expect(stage.channelCount == 0)
    }

    @Test("A channel that becomes persistent goes to the store as it is, and out of it when it is no longer")
    func reload() {
        let stage = Stage(channelRules: [], stored: StoredState(epoch: "e1"))
        let poster = stage.connect()
        poster.post("p.a", "1", more: #","retain":true"#)
        poster.post("p.a", "2")
        #expect(stage.takeOperations() == nil)
        stage.setRules([.persistent("p.>")])
        let operations = stage.commit()
        #expect(operations.messages.map(\.sequence) == [1, 2])
        #expect(state(after: operations, position: 2).channels[0].retained?.sequence == 1)
        stage.setRules([])
        #expect(
            stage.commit() == [
                .forget(channel: Array("p.a".utf8), sequence: 2, position: 2), .rules([], position: 2),
            ])
        #expect(poster.ask(#"{"op":"post","id":1,"channel":"p.a"}"#)["seq"].int == 3)
    }

    @Test("A channel that is no longer persistent is not forgotten before the store has heard of it")
    func pendingLoss() {
        let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1")) { $0.channels = 4 }
        let (poster, observer) = (stage.connect(), stage.connect())
        poster.post("p.a", "1")
        stage.setRules([])
        for number in 0..<6 { poster.post("q.\(number)") }
        #expect(observer.ask(#"{"op":"channels","id":1,"match":"p.>"}"#)["channels"].elements.count == 1)
        stage.commit()
        for number in 6..<12 { poster.post("q.\(number)") }
        #expect(observer.ask(#"{"op":"channels","id":1,"match":"p.>"}"#)["channels"].elements.isEmpty)
    }

    @Test("An idle persistent channel is forgotten only when nothing of it is kept, and then in the store, too")
    func idle() {
        let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1")) { $0.channels = 4 }
        let poster = stage.connect()
        poster.post("p.a", "1")
        stage.commit()
        for number in 0..<6 { poster.post("q.\(number)") }
        #expect(stage.commit() == [])
        #expect(poster.ask(#"{"op":"channels","id":1,"match":"p.>"}"#)["channels"].elements.count == 1)
        stage.advance(seconds: 61)
        stage.tick()
        _ = stage.trim()
        for number in 6..<12 { poster.post("q.\(number)") }
        #expect(stage.commit() == [.forget(channel: Array("p.a".utf8), sequence: 1, position: 1)])
    }
}
