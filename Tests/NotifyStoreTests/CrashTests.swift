// The end of a daemon at any moment: what was committed is there, what was not is not, and nothing is half there.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyStore

struct CrashTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    @Test("What lies on disk while the store is open is all that was committed")
    func copies() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 1 << 20, schedule: 0)], now: shelf.now)
        for sequence in UInt64(1)...20 {
            try store.commit([post("a", message(sequence, at: sequence))], now: shelf.now)
            let after = try Shelf()
            try shelf.copy(to: after)
            #expect(after.look()["a"]?.history.count == Int(sequence))
            #expect(after.notes.isEmpty)
        }
    }

    @Test("A log that was cut off anywhere gives a state that was committed")
    func cutLog() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 1 << 20, schedule: 0)], now: shelf.now)
        for sequence in UInt64(1)...8 {
            let both = [
                post("a", message(sequence, at: 2 * sequence)), post("b", message(sequence, at: 2 * sequence + 1)),
            ]
            try store.commit(both, now: shelf.now)
        }
        let log = try Data(contentsOf: URL(filePath: shelf.path + "-wal"))
        var seen: Set<UInt64> = []
        for length in stride(from: log.count, through: 0, by: -1777) {
            let after = try Shelf()
            try shelf.copy(to: after)
            try log.prefix(length).write(to: URL(filePath: after.path + "-wal"))
            let state = after.look()
            let sequence = state["a"]?.sequence ?? 0
            #expect(state["b"]?.sequence ?? 0 == sequence, "\(length) bytes of the log")
            #expect(state["a"]?.history.map(\.sequence) ?? [] == Array(1..<(sequence + 1)))
            // Nothing tells it from a daemon that died there.
            #expect(after.notes.isEmpty)
            seen.insert(sequence)
        }
        #expect(seen.count > 4)
    }

    @Test("What cannot be written is not there, and goes in with the next that can, in its order")
    func fullDisk() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 100, schedule: 0), post("a", message(1, at: 1))], now: shelf.now)
        try store.database?.execute("PRAGMA max_page_count = 1")
        let large = message(2, at: 2, String(repeating: "7", count: 100_000))
        #expect(throws: StoreFault.self) { try store.commit([post("a", large)], now: shelf.now) }
        #expect(store.hasBacklog)
        #expect(throws: StoreFault.self) { try store.commit([], now: shelf.now) }
        let meanwhile = try Shelf()
        try shelf.copy(to: meanwhile)
        #expect(meanwhile.look()["a"]?.sequence == 1)

        try store.database?.execute("PRAGMA max_page_count = 1000000")
        try store.commit([post("a", message(3, at: 3)), post("b", message(1, at: 4))], now: shelf.now)
        #expect(store.hasBacklog == false)
        try store.close(position: 4, schedule: 0, now: shelf.now)
        let state = shelf.look()
        #expect(state["a"]?.history.map(\.sequence) == [1, 2, 3])
        #expect(state["b"]?.sequence == 1)
    }

    @Test("Any operations in pieces of any size come to what they come to one by one", arguments: 0..<20)
    func pieces(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var position: UInt64 = 0
        var sequences: [String: UInt64] = [:]
        var known: Set<String> = []
        var operations: [StoreOperation] = [.reserve(position: 1000, schedule: 0)]
        for _ in 0..<200 {
            let channel = random.pick(["a", "b", "c"])
            let sequence = sequences[channel] ?? 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where known.contains(channel): operations.append(.clearRetained(channel: name(channel)))
            case 1 where known.contains(channel):
                operations.append(trim(channel, through: sequence / 2 + UInt64.random(in: 0..<4, using: &random)))
            case 2 where random.once(in: 4):
                known.remove(channel)
                operations.append(.forget(channel: name(channel), sequence: sequence, position: position))
            default:
                position += 1
                known.insert(channel)
                sequences[channel] = sequence + 1
                let payload = String(repeating: "1", count: random.once(in: 3) ? 5000 : 3)
                let one = message(sequence + 1, at: position, payload)
                operations.append(post(channel, one, retain: random.once(in: 3)))
            }
        }
        let single = try Shelf()
        let (store, _) = single.open(epoch: "e1")
        for operation in operations { try store.commit([operation], now: single.now) }
        try store.close(position: position, schedule: 0, now: single.now)

        var many: Store? = shelf.open(epoch: "e1").store
        var rest = operations[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...40, using: &random))
            try many?.commit(Array(rest.prefix(count)), now: shelf.now)
            rest = rest.dropFirst(count)
            // Sometimes the daemon dies in between.
            if random.once(in: 4) {
                many = nil
                many = shelf.open().store
            }
        }
        try many?.close(position: position, schedule: 0, now: shelf.now)
        // Thousands of bytes each: worth no words.
        let areEqual = sorted(shelf.look()) == sorted(single.look())
        #expect(areEqual)
        #expect(shelf.notes.isEmpty)
    }

    private func sorted(_ state: StoredState) -> StoredState {
        var state = state
        state.channels.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return state
    }
}
