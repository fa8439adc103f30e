// A file that is no sound store is set aside and told; the daemon gets a new beginning.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct DamageTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case garbage, cutOff, otherVersion, otherProgram, directory, changedByte, noEpoch, noChannel, aheadOfPosition

        var testDescription: String { rawValue }
    }

    @Test("It is set aside under a name with the time, and the store begins anew", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        try fill()
        try apply(damage)
        let (store, state) = shelf.open(epoch: "e2")
        #expect(state == StoredState(epoch: "e2"))
        let aside = "\(Store.fileName).unusable-20261130T120000Z"
        #expect(shelf.files.contains(aside))
        #expect(shelf.notes.count == 1)
        #expect(shelf.notes.first?.contains(aside) == true)
        try store.commit([.reserve(position: 5, schedule: 0), post("b", message(1, at: 1))], now: shelf.now)
        try store.close(position: 1, schedule: 0, now: shelf.now)
        #expect(shelf.look().channels.map(\.name) == [name("b")])
        #expect(shelf.look().epoch == "e2")
        #expect(shelf.notes.isEmpty)
    }

    @Test("A second one within a second gets a name of its own")
    func twice() throws {
        for _ in 0..<2 {
            try fill()
            try apply(.garbage)
            _ = shelf.look()
        }
        #expect(shelf.files.filter { $0.contains("unusable") && !$0.hasSuffix("-wal") }.count == 2)
    }

    @Test("An empty file, and one in which nothing was made yet, are a beginning")
    func unfinished() throws {
        try FileManager.default.createDirectory(atPath: shelf.directory, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: shelf.path))
        #expect(shelf.look() == StoredState(epoch: "fresh"))
        #expect(shelf.notes.isEmpty)
        try Database(path: shelf.path).execute("PRAGMA journal_mode = WAL")
        #expect(shelf.look() == StoredState(epoch: "fresh"))
        #expect(shelf.notes.isEmpty)
        try shelf.write([.reserve(position: 5, schedule: 0)])
        #expect(shelf.look() == StoredState(epoch: "e1", position: 5))
    }

    @Test("A store that another daemon has open is left alone, now and later")
    func taken() throws {
        let (first, _) = shelf.open(epoch: "e1")
        try first.commit([.reserve(position: 5, schedule: 0), post("a", message(1, at: 1))], now: shelf.now)
        let (second, state) = shelf.open(epoch: "e2")
        #expect(state == StoredState(epoch: "e2"))
        #expect(shelf.notes.first?.contains("another process has it open") == true)
        #expect(throws: StoreFault.self) { try second.commit([.reserve(position: 7, schedule: 0)], now: shelf.now) }
        try first.close(position: 1, schedule: 0, now: shelf.now)
        let fault = #expect(throws: StoreFault.self) { try second.commit([], now: shelf.now) }
        #expect(fault?.description.contains("left alone until notifyd is started again") == true)
        #expect(shelf.look()["a"]?.sequence == 1)
        #expect(shelf.files == [Store.fileName])
    }

    @Test("A directory that cannot be looked into is told at the start and with each commit")
    func noDirectory() throws {
        let parent = (shelf.directory as NSString).deletingLastPathComponent
        try Data().write(to: URL(filePath: parent))
        let (store, state) = shelf.open(epoch: "e1")
        #expect(state == StoredState(epoch: "e1"))
        #expect(shelf.notes.count == 1)
        #expect(throws: StoreFault.self) { try store.commit([.reserve(position: 5, schedule: 0)], now: shelf.now) }
    }

    // MARK: Damaging

    private func fill() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit(
            [.reserve(position: 100, schedule: 0)]
                + (1...50).map { post("a", message($0, at: $0, "\"sound \(String(repeating: "x", count: 500))\"")) },
            now: shelf.now)
        try store.close(position: 50, schedule: 0, now: shelf.now)
        #expect(shelf.look()["a"]?.sequence == 50)
    }

    private func apply(_ damage: Damage) throws {
        let file = URL(filePath: shelf.path)
        var bytes = try Data(contentsOf: file)
        switch damage {
        case .garbage: bytes = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
        case .cutOff: bytes = bytes.prefix(bytes.count / 2)
        case .changedByte:
            let place = try #require(bytes.range(of: Data("sound".utf8)))
            bytes[place.lowerBound] = 10
        case .directory:
            try FileManager.default.removeItem(at: file)
            return try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case .otherVersion: return try execute("PRAGMA user_version = \(Schema.version + 1)")
        case .otherProgram: return try execute("PRAGMA application_id = 7")
        case .noEpoch: return try execute("DELETE FROM life")
        case .noChannel: return try execute("DELETE FROM channels")
        case .aheadOfPosition: return try execute("UPDATE life SET position = 49")
        }
        try bytes.write(to: file)
    }

    private func execute(_ text: String) throws { try Database(path: shelf.path).execute(text) }
}
