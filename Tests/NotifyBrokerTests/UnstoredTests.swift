// Messages that are not on disk yet, in queues that are more than queues: of groups, with intervals, that block.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Messages that are not on disk yet")
struct UnstoredTests {
    let stage = Stage(channelRules: [.persistent("p.>"), .persistent("r")], stored: StoredState(epoch: "e1"))
    let poster: StageClient

    init() { poster = stage.connect() }

    private func reader(_ more: String = "", pattern: String = "p.a") -> StageClient {
        let client = stage.connect()
        client.subscribe(pattern, more)
        return client
    }

    private func post(_ numbers: ClosedRange<Int>, on channel: String = "p.a") {
        for number in numbers { poster.post(channel, "\(number)", more: #","id":\#(number)"#) }
    }

    /// Commits what there is: it is written, or it is not.
    private func commit(fails: Bool) {
        _ = stage.takeOperations()
        stage.settle(failure: fails ? "full" : nil)
    }

    /// The receipts that the poster has read: whether each was an `ok`.
    private func receipts() -> [Int: Bool] {
        let lines = poster.read().map { ($0["id"].int ?? -1, $0.op == "ok") }
        return Dictionary(lines, uniquingKeysWith: { _, _ in false })
    }

    @Test("hold up nothing that was said before them")
    func before() {
        let reader = reader(pattern: ">")
        stage.wakeUp {
            post(1...1, on: "q")
            post(2...2)
            post(3...3, on: "q")
        }
        #expect(reader.read().payloads == [1])
        stage.commit()
        #expect(reader.read().payloads == [2, 3])
    }

    // MARK: Groups

    @Test(
        "go to one member of a group when they are written, or could not be; no member gets them before",
        arguments: [false, true])
    func group(fails: Bool) {
        let members = (1...3).map { _ in reader(#","group":"g""#) }
        post(1...6)
        post(7...7, on: "q")
        for member in members { #expect(member.read().isEmpty && stage.isHeld(member)) }
        commit(fails: fails)
        let shares = members.map { $0.read().payloads }
        #expect(shares.flatMap(\.self).sorted() == Array(1...6))
        for share in shares { #expect(share == share.sorted() && share.count == 2) }
        #expect(receipts() == Dictionary(uniqueKeysWithValues: (1...7).map { ($0, !fails || $0 == 7) }))
        #expect(stage.heldPeers == 0)
    }

    @Test(
        "go to others when their member dies, and not before they are written",
        arguments: ["killed", "unsubscribe", "deaf"], [false, true])
    func memberDies(way: String, fails: Bool) {
        let (dying, heir) = (reader(#","group":"g""#), reader(#","group":"g""#))
        post(1...4)
        switch way {
        case "killed": stage.disconnect(dying)
        case "deaf": stage.deafen(dying)
        default: dying.send(#"{"op":"unsubscribe","sub":1}"#)
        }
        #expect(heir.read().isEmpty && receipts().isEmpty)
        commit(fails: fails)
        let received = heir.read().payloads
        #expect(received.sorted() == [1, 2, 3, 4])
        #expect(receipts().count == 4)
        #expect(stage.heldPeers == 0 && stage.pins == 0)
        #expect(stage.statistics["queued_messages"].int == 0)
    }

    @Test("go to an heir that came later, also if it waits for an older piece already")
    func lateHeir() {
        let other = stage.connect()
        let dying = reader(#","group":"g""#)
        let heir = reader(pattern: "r")
        post(1...1, on: "r")
        #expect(stage.takeOperations()?.messages.count == 1)
        post(2...2)
        #expect(heir.peer.pointee.heldPiece != 0)
        heir.send(#"{"op":"subscribe","channel":"p.a","group":"g"}"#)
        stage.disconnect(dying)
        stage.settle()
        #expect(heir.read().payloads == [1])
        #expect(stage.isHeld(heir))
        stage.commit()
        #expect(heir.read().payloads == [2])
        #expect(other.ask(#"{"op":"ping","id":1}"#).op == "ok")
        #expect(stage.heldPeers == 0)
    }

    @Test("are gone with their last member")
    func lastMember() {
        let member = reader(#","group":"g""#)
        post(1...2)
        stage.disconnect(member)
        stage.commit()
        #expect(receipts() == [1: true, 2: true])
        #expect(stage.pins == 0 && stage.heldPeers == 0)
        #expect(reader(#","group":"g""#).read().isEmpty)
    }

    // MARK: Intervals

    @Test("wait for the disk and for their interval, whichever is longer", arguments: [true, false], [false, true])
    func interval(diskIsSlower: Bool, fails: Bool) {
        let reader = reader(#","min_interval_ms":100"#)
        post(1...3)
        #expect(reader.read().isEmpty)
        if diskIsSlower {
            stage.pass(milliseconds: 100)
            #expect(reader.read().isEmpty)
            commit(fails: fails)
        } else {
            commit(fails: fails)
            #expect(reader.read().payloads == [1])
            stage.pass(milliseconds: 99)
            #expect(reader.read().isEmpty)
            stage.pass(milliseconds: 1)
        }
        let lines = reader.read()
        #expect(lines.payloads == (diskIsSlower ? [1, 3] : [3]))
        #expect(lines.gaps.map { [$0["from"].int, $0["to"].int] } == [[2, 2]])
        #expect(receipts().count == 3 && stage.heldPeers == 0)
    }

    @Test("are not overtaken on their way by what is held of an older piece, nor hold it up")
    func intervalOfTwoPieces() {
        let reader = reader(#","min_interval_ms":100"#)
        post(1...2)
        #expect(stage.takeOperations()?.messages.count == 2)
        post(3...3)
        stage.pass(milliseconds: 100)
        stage.settle()
        #expect(reader.read().payloads == [1])
        stage.commit()
        let lines = reader.read()
        #expect(lines.payloads == [3] && lines.gaps.count == 1)
    }

    @Test("are gone with the client for whom they are held, or go when it says bye")
    func intervalEnds() {
        let (leaving, polite) = (reader(#","min_interval_ms":100"#), reader(#","min_interval_ms":100"#))
        post(1...2)
        stage.disconnect(leaving)
        polite.send(#"{"op":"bye","id":9}"#)
        #expect(polite.read().isEmpty)
        stage.commit()
        #expect(polite.read().payloads == [1, 2])
        #expect(stage.pins == 0 && stage.heldPeers == 0)
    }

    // MARK: Block

    @Test("hold their poster when they fill the queue, until they are read", arguments: [2, 3], [false, true])
    func block(posts: Int, fails: Bool) {
        let reader = reader(#","buffer":{"policy":"block","messages":3}"#)
        post(1...posts)
        #expect(poster.isPaused == (posts == 3))
        #expect(reader.read().isEmpty)
        commit(fails: fails)
        #expect(!poster.isPaused)
        let lines = reader.read()
        #expect(lines.payloads == Array(1...posts) && lines.gaps.isEmpty)
        #expect(receipts().count == posts)
    }

    @Test("hold their poster no longer than it would wait for a reader")
    func blockEnds() {
        let reader = reader(#","buffer":{"policy":"block","messages":3}"#)
        post(1...3)
        stage.pass(milliseconds: 999)
        #expect(poster.isPaused)
        stage.pass(milliseconds: 1)
        #expect(!poster.isPaused)
        post(4...4)
        #expect(!poster.isPaused)
        stage.commit()
        let lines = reader.read()
        #expect(lines.payloads == [2, 3, 4])
        #expect(lines.gaps.map { $0["count"].int } == [1])
    }

    @Test("of a reader that dies let their poster go", arguments: ["killed", "unsubscribe", "deaf"])
    func blockedReaderDies(way: String) {
        let reader = reader(#","buffer":{"policy":"block","messages":3}"#)
        post(1...3)
        switch way {
        case "killed": stage.disconnect(reader)
        case "deaf": stage.deafen(reader)
        default: reader.send(#"{"op":"unsubscribe","sub":1}"#)
        }
        #expect(!poster.isPaused)
        stage.commit()
        #expect(receipts() == [1: true, 2: true, 3: true])
        #expect(stage.pins == 0 && stage.heldPeers == 0)
    }
}
