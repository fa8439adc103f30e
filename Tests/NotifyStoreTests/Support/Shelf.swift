// A directory for stores: lives of a store one after the other, and what lies there between them.

import Foundation
import NotifyBroker
import NotifyTestSupport

@testable import NotifyStore

final class Shelf {
    private let temporary: TemporaryDirectory
    let directory: String
    /// 2026-11-30 12:00:00
    var now: Int64 = 1_796_040_000_000_000_000
    private(set) var notes: [String] = []

    init() throws {
        temporary = try TemporaryDirectory()
        directory = temporary.path("state/notifyd")
    }

    var path: String { directory + "/" + Store.fileName }

    /// A store opened as at the start of a daemon, and what it gave back.
    func open(epoch: String = "fresh") -> (store: Store, state: StoredState) {
        let store = Store(directory: directory, freshEpoch: epoch)
        let state = store.load(now: now)
        notes = store.takeNotes()
        return (store, state)
    }

    /// What a daemon would find that starts now.
    func look() -> StoredState { open().state }

    /// One life that writes these operations, each list in one piece, and ends without closing.
    func write(_ lists: [StoreOperation]...) throws {
        let (store, _) = open(epoch: "e1")
        for list in lists { try store.commit(list, now: now) }
    }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted() }

    func copy(to other: Shelf) throws {
        try FileManager.default.createDirectory(atPath: other.directory, withIntermediateDirectories: true)
        for name in files {
            try FileManager.default.copyItem(atPath: "\(directory)/\(name)", toPath: "\(other.directory)/\(name)")
        }
    }

    func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

func name(_ text: String) -> [UInt8] { Array(text.utf8) }

func message(
    _ sequence: UInt64, at position: UInt64, _ payload: String = "null", expires: Int64? = nil
) -> StoredMessage {
    StoredMessage(
        sequence: sequence, position: position, time: Int64(position) * 1000, expires: expires, uid: 1000,
        body: name("\"payload\":\(payload)}"))
}

func post(_ channel: String, _ message: StoredMessage, retain: Bool = false) -> StoreOperation {
    .message(channel: name(channel), message, isRetained: retain)
}

func trim(_ channel: String, through sequence: UInt64) -> StoreOperation {
    .trim(channel: name(channel), through: StoredLoss(sequence: sequence, position: sequence, time: 7))
}

func key(_ text: String, _ sequence: UInt64, expires: Int64) -> StoredKey {
    let receipt = Broker.Receipt(sequence: sequence, position: sequence, matched: 2, dropped: 1)
    return StoredKey(text: name(text), uid: 1000, answer: .posted(receipt), expires: expires)
}

func later(
    _ number: UInt64, _ payload: String = "null", kind: StoredPost.Kind = .delay, due: Int64 = 5
) -> StoredPost {
    StoredPost(
        number: number, kind: kind, due: due, client: 3, pid: 812, uid: 1000,
        line: name(#"{"op":"post","channel":"a","payload":\#(payload)}"#))
}

extension StoredState {
    subscript(channel: String) -> StoredChannel? { channels.first { $0.name == name(channel) } }
}
