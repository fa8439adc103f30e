// SQLite's log is damaged between two lives: SQLite takes that for its end, and the store tells what is missing.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct LogDamageTests {
    private static let count = 12

    /// Twelve commits, all in the log.
    private func filled() throws -> Shelf {
        let shelf = try Shelf()
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 1 << 20, schedule: 0), .rules(name("+a\n"), position: 0)], now: shelf.now)
        for number in UInt64(1)...UInt64(Self.count) {
            try store.commit([post("a", message(number, at: number))], now: shelf.now)
        }
        // As it lies there while the store is open.
        let copy = try Shelf()
        try shelf.copy(to: copy)
        return copy
    }

    private func changeLog(of shelf: Shelf, _ body: (inout Data) -> Void) throws {
        let file = URL(filePath: shelf.path + "-wal")
        var bytes = try Data(contentsOf: file)
        body(&bytes)
        try bytes.write(to: file)
    }

    @Test("One bit that has changed anywhere is told once; what can be read is kept, in a new epoch")
    func bits() throws {
        let sound = try filled()
        let length = try Data(contentsOf: URL(filePath: sound.path + "-wal")).count
        let lastFrame = length - 4096 - 24
        var kept: Set<Int> = []
        // All of the head and of the last frame's, and places all over the log.
        let places =
            Array(0..<32) + stride(from: 32, to: length, by: 997)
            + (lastFrame..<lastFrame + 24).filter { !(8..<16 ~= $0 - lastFrame) }
        for place in places {
            let shelf = try Shelf()
            try sound.copy(to: shelf)
            try changeLog(of: shelf) { $0[place] ^= 0x40 }
            let (store, state) = shelf.open(epoch: "e2")
            #expect(state.epoch == "e2", "byte \(place) of the log")
            #expect(shelf.notes.count == 1 && shelf.notes.first?.contains("damaged") == true)
            let history = state["a"]?.history.map(\.sequence) ?? []
            #expect(history.count < Self.count && history == Array(1..<UInt64(history.count + 1)))
            #expect(state.rules.isEmpty)
            kept.insert(history.count)
            // One life goes on with it, and dies.
            try store.commit([.reserve(position: 2 << 20, schedule: 0), post("b", message(1, at: 20))], now: shelf.now)
            let next = try Shelf()
            try shelf.copy(to: next)
            let after = next.open(epoch: "e3").state
            #expect(after.epoch == "e2" && next.notes.isEmpty)
            #expect(after["a"]?.history.map(\.sequence) ?? [] == history)
            #expect(after["b"]?.history.count == 1)
        }
        #expect(kept.count > 4)
    }

    @Test("A log that has begun anew over an older, longer round of itself is whole, whatever stands behind its end")
    func rounds() throws {
        let shelf = try Shelf()
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 1 << 20, schedule: 0)], now: shelf.now)
        let large = String(repeating: "7", count: 100_000)
        var number: UInt64 = 0
        func write(_ payload: String) throws {
            number += 1
            try store.commit([post("a", message(number, at: number, payload))], now: shelf.now)
        }
        let log = URL(filePath: shelf.path + "-wal")
        func head() throws -> Data { try Data(contentsOf: log).prefix(32) }
        let first = try head()
        while try head() == first, number < 100 { try write(large) }
        try write("1")
        #expect(try head() != first)
        let after = try Shelf()
        try shelf.copy(to: after)
        try changeLog(of: after) { $0[$0.count - 1] ^= 1 }
        let state = after.look()
        #expect(state.epoch == "e1" && after.notes.isEmpty)
        #expect(state["a"]?.history.count == Int(number))
    }
}
