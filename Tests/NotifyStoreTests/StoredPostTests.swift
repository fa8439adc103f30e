// Posts that are made later, and the answers to those that were asked for twice: what is written comes back.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct StoredPostTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private let reserve = StoreOperation.reserve(position: 10, schedule: 20)

    @Test("A post comes back with all that it is", arguments: [StoredPost.Kind.delay, .at, .coalesce])
    func whole(kind: StoredPost.Kind) throws {
        let post = StoredPost(
            number: 20, kind: kind, due: 1_796_040_000_123_456_789, client: 1 << 40, pid: -1, uid: .max,
            line: [0, 10, 255] + name("{}"))
        try shelf.write([reserve, .hold(post)])
        #expect(shelf.look().posts == [post])
        #expect(shelf.look().schedule == 20)
    }

    @Test("Numbers go on where they were reserved to, and in good order with the very next")
    func numbers() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([reserve, .reserve(position: 11, schedule: 40)], now: shelf.now)
        let crashed = try Shelf()
        try shelf.copy(to: crashed)
        #expect(crashed.look().schedule == 40)
        try store.close(position: 3, schedule: 7, now: shelf.now)
        #expect(shelf.look().schedule == 7)
    }

    @Test("A post that was made or taken back is gone, also one of the same commit")
    func released() throws {
        try shelf.write(
            [reserve, .hold(later(1)), .hold(later(2)), .hold(later(3)), .release(number: 2)],
            [.release(number: 3)], [.release(number: 1), .hold(later(1, "7"))])
        #expect(shelf.look().posts == [later(1, "7")])
    }

    @Test("Its message and its end are there together, or neither is")
    func together() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 100, schedule: 100)], now: shelf.now)
        for number in UInt64(1)...8 {
            try store.commit(
                [.hold(later(number)), .remember(key("\(number)", number, expires: .max))], now: shelf.now)
            try store.commit([post("a", message(number, at: number)), .release(number: number)], now: shelf.now)
        }
        let log = try Data(contentsOf: URL(filePath: shelf.path + "-wal"))
        var seen: Set<UInt64> = []
        for length in stride(from: log.count, through: 0, by: -1777) {
            let after = try Shelf()
            try shelf.copy(to: after)
            try log.prefix(length).write(to: URL(filePath: after.path + "-wal"))
            let state = after.look()
            let made = state["a"]?.sequence ?? 0
            seen.insert(2 * made + UInt64(state.posts.count))
            #expect(state.posts.allSatisfy { $0.number == made + 1 }, "\(length) bytes of the log")
            #expect(state.keys.count == Int(made) + state.posts.count)
        }
        #expect(seen.count > 8)
    }

    @Test("What was answered comes back with its key")
    func answers() throws {
        let answers: [Broker.Answer] = [
            .posted(Broker.Receipt(sequence: 3, position: 4, matched: 5, dropped: 6)), .scheduled(0),
            .scheduled(1 << 40),
            .held(hasReplaced: false), .held(hasReplaced: true),
        ]
        let keys = answers.enumerated().map {
            StoredKey(text: name("\($0.offset)"), uid: 7, answer: $0.element, expires: shelf.now + Int64($0.offset))
        }
        try shelf.write([reserve] + keys.map { .remember($0) })
        #expect(shelf.look().keys == keys)
    }

    @Test(
        "A post that is not what was written makes the store unsound",
        arguments: [
            "posts SET line = X'7B7D'", "posts SET due = due + 1", "posts SET uid = 0", "posts SET kind = 7",
            "posts SET number = 2", "posts SET pid = 1 << 40", "life SET schedule = 0",
        ])
    func damaged(change: String) throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([reserve, .hold(later(1))], now: shelf.now)
        try store.close(position: 10, schedule: 20, now: shelf.now)
        #expect(shelf.look().posts.count == 1)
        try Database(path: shelf.path).execute("UPDATE \(change)")
        #expect(shelf.look() == StoredState(epoch: "fresh"))
        #expect(shelf.notes.count == 1)
    }
}
