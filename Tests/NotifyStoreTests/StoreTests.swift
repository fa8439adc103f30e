// What is written comes back, whoever opens the store next.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct StoreTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    @Test("A store that begins has the epoch it was given and nothing else, and makes no file before it must")
    func beginning() {
        let (store, state) = shelf.open(epoch: "e1")
        #expect(state == StoredState(epoch: "e1"))
        #expect(store.epoch == "e1")
        #expect(shelf.notes.isEmpty)
        #expect(shelf.files.isEmpty)
    }

    @Test("The epoch and the numbers that were reserved come back")
    func numbering() throws {
        try shelf.write([.reserve(position: 100, schedule: 0)], [.reserve(position: 200, schedule: 0)])
        #expect(shelf.look() == StoredState(epoch: "e1", position: 200))
    }

    @Test("A numbering that got another name comes back under it")
    func epoch() throws {
        try shelf.write([.reserve(position: 100, schedule: 0)], [.epoch("e2"), .reserve(position: 200, schedule: 0)])
        #expect(shelf.look() == StoredState(epoch: "e2", position: 200))
    }

    @Test("In good order the next start goes on with the very next number, and no log is left")
    func close() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 1 << 20, schedule: 0), post("a", message(1, at: 1))], now: shelf.now)
        try store.close(position: 1, schedule: 0, now: shelf.now)
        #expect(shelf.files == [Store.fileName])
        #expect(shelf.look().position == 1)
    }

    @Test("A message comes back with all that it is")
    func whole() throws {
        let all = StoredMessage(
            sequence: 3, position: 7, time: 1_796_040_000_123_456_789, expires: 1_796_040_009_000_000_000,
            uid: .max, body: [0, 10, 255] + name("\"payload\":1}"))
        try shelf.write([.reserve(position: 10, schedule: 0), post("a.b", all, retain: true)])
        var channel = StoredChannel(name: name("a.b"), sequence: 3, base: 2)
        (channel.history, channel.retained) = ([all], all)
        #expect(shelf.look().channels == [channel])
    }

    @Test("Nothing at all is a body too")
    func empty() throws {
        let bare = StoredMessage(sequence: 1, position: 1, time: 0, uid: 0, body: [])
        try shelf.write([.reserve(position: 10, schedule: 0), post("a", bare)])
        #expect(shelf.look()["a"]?.history == [bare])
    }

    @Test("The history begins where it was trimmed to")
    func trimming() throws {
        let messages = (1...4).map { message($0, at: $0) }
        try shelf.write(
            [.reserve(position: 10, schedule: 0)] + messages.map { post("a", $0) }, [trim("a", through: 2)])
        #expect(shelf.look()["a"]?.history == Array(messages[2...]))
        #expect(shelf.look()["a"]?.sequence == 4)
        #expect(shelf.look()["a"]?.base == 0)
        #expect(shelf.look()["a"]?.lost == StoredLoss(sequence: 2, position: 2, time: 7))
    }

    @Test("What the history has lost again within one commit is never written")
    func trimmedAtOnce() throws {
        let (store, _) = shelf.open(epoch: "e1")
        let messages = (1...4).map { message($0, at: $0) }
        try store.commit(
            [.reserve(position: 10, schedule: 0)] + messages.map { post("a", $0) } + [trim("a", through: 4)],
            now: shelf.now)
        #expect(try store.database?.integer("SELECT count(*) FROM messages") == 0)
        #expect(try store.database?.integer("SELECT seq FROM channels") == 4)
    }

    @Test("A retained message stays when the history has lost it, and goes when it is replaced or cleared")
    func retained() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit(
            [
                .reserve(position: 10, schedule: 0), post("a", message(1, at: 1), retain: true),
                post("a", message(2, at: 2)), trim("a", through: 1),
            ], now: shelf.now)
        #expect(try store.database?.integer("SELECT count(*) FROM messages") == 2)
        try store.commit([post("a", message(3, at: 3), retain: true)], now: shelf.now)
        #expect(try store.database?.integer("SELECT min(seq) FROM messages") == 2)
        try store.commit([.clearRetained(channel: name("a"))], now: shelf.now)
        #expect(try store.database?.integer("SELECT count(*) FROM messages") == 2)
        #expect(try store.database?.integer("SELECT retained IS NULL FROM channels") == 1)
    }

    @Test("Of a forgotten channel nothing is left, and it can begin anew in the same piece")
    func forget() throws {
        try shelf.write(
            [
                .reserve(position: 10, schedule: 0), post("a", message(1, at: 1), retain: true),
                .remember(key("k", 1, expires: .max)), post("b", message(1, at: 2)),
            ])
        try shelf.write([.forget(channel: name("a"), sequence: 5, position: 1), post("a", message(8, at: 8))])
        let state = shelf.look()
        #expect(state["a"]?.sequence == 8)
        #expect(state["a"]?.history.map(\.sequence) == [8])
        #expect(state["a"]?.retained == nil)
        #expect(state.keys.count == 1)
        #expect(state["a"]?.base == 7)
        #expect(state.forgotten == 1)
        #expect(state["b"]?.sequence == 1)
        try shelf.write([.forget(channel: name("a"), sequence: 4, position: 8)])
        #expect(shelf.look().channels.map(\.name) == [name("b")])
        #expect(shelf.look().forgotten == 8 && shelf.look().floor == 5)
    }

    @Test("Which channels are persistent comes back, and below which numbers no new one begins")
    func rules() throws {
        try shelf.write([.reserve(position: 10, schedule: 0), .rules(name("+a\n"), position: 3)])
        #expect(shelf.look().rules == name("+a\n") && shelf.look().floor == 3 && shelf.look().forgotten == 3)
        try shelf.write([
            .rules(name("+b\n"), position: 7), .forget(channel: name("x"), sequence: 8, position: 9),
            .rules(name("-a\n+b\n"), position: 6),
        ])
        #expect(shelf.look().rules == name("-a\n+b\n") && shelf.look().floor == 8 && shelf.look().forgotten == 9)
    }

    @Test("Keys come back with their receipt; those whose window is over go when new ones come")
    func remembered() throws {
        let (old, new) = (key("old", 1, expires: shelf.now), key("new", 2, expires: shelf.now + 1))
        try shelf.write([.reserve(position: 10, schedule: 0), .remember(new), .remember(old)])
        #expect(shelf.look().keys == [old, new])
        let third = key("third", 3, expires: shelf.now + 2)
        try shelf.write([.remember(third)])
        #expect(shelf.look().keys == [new, third])
    }

    @Test("Only its owner can read it")
    func permissions() throws {
        try shelf.write([.reserve(position: 1, schedule: 0)])
        #expect(try shelf.permissions(shelf.directory) == 0o700)
        #expect(try shelf.permissions(shelf.path) == 0o600)
        chmod(shelf.path, 0o644)
        _ = shelf.look()
        #expect(try shelf.permissions(shelf.path) == 0o600)
    }
}
