// The files are taken away, or others put in their place, while the store is open: nothing is called written that the next
// start would not find.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct RemovedTests {
    let shelf: Shelf
    private let files = FileManager.default

    init() throws { shelf = try Shelf() }

    enum Way: CaseIterable {
        case directory, file, log, replaced
    }

    private var aside: String { shelf.directory + ".aside" }

    private func remove(_ way: Way) throws {
        switch way {
        case .directory: try files.moveItem(atPath: shelf.directory, toPath: aside)
        case .file: try files.moveItem(atPath: shelf.path, toPath: aside)
        case .log: try files.moveItem(atPath: shelf.path + "-wal", toPath: aside)
        case .replaced:
            try remove(.directory)
            try files.copyItem(atPath: aside, toPath: shelf.directory)
        }
    }

    private func putBack(_ way: Way) throws {
        switch way {
        case .directory: try files.moveItem(atPath: aside, toPath: shelf.directory)
        case .file: try files.moveItem(atPath: aside, toPath: shelf.path)
        case .log: try files.moveItem(atPath: aside, toPath: shelf.path + "-wal")
        case .replaced:
            try files.removeItem(atPath: shelf.directory)
            try putBack(.directory)
        }
    }

    @Test(
        "A commit fails and names the file; when it is back all that waited goes in", arguments: Way.allCases,
        [false, true])
    func removed(_ way: Way, again: Bool) throws {
        var (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 100, schedule: 0), post("a", message(1, at: 1))], now: shelf.now)
        if again {
            try store.close(position: 1, schedule: 0, now: shelf.now)
            store = shelf.open().store
        }
        try remove(way)
        let fault = #expect(throws: StoreFault.self) {
            try store.commit([post("a", message(2, at: 2))], now: shelf.now)
        }
        #expect(fault?.kind == .unusable)
        #expect(fault?.description.hasPrefix(shelf.path + (way == .log ? "-wal was" : " was")) == true)
        #expect(fault?.description.contains("start notifyd again") == true)
        try putBack(way)
        try store.commit([post("a", message(3, at: 3))], now: shelf.now)
        try store.close(position: 3, schedule: 0, now: shelf.now)
        #expect(shelf.look()["a"]?.history.map(\.sequence) == [1, 2, 3])
    }

    @Test("Another store in its place is left as it is, also at the end")
    func foreign() throws {
        let (store, _) = shelf.open(epoch: "e1")
        try store.commit([.reserve(position: 100, schedule: 0), post("a", message(1, at: 1))], now: shelf.now)
        try remove(.directory)
        let (other, _) = shelf.open(epoch: "e2")
        try other.commit([.reserve(position: 100, schedule: 0), post("b", message(1, at: 1))], now: shelf.now)
        #expect(throws: StoreFault.self) { try store.close(position: 1, schedule: 0, now: shelf.now) }
        try other.commit([post("b", message(2, at: 2))], now: shelf.now)
        let after = try Shelf()
        try shelf.copy(to: after)
        #expect(after.look().epoch == "e2")
        #expect(after.look()["b"]?.history.map(\.sequence) == [1, 2])
        #expect(after.look()["a"] == nil)
    }
}
