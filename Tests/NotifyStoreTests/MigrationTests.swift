// A store of an older version is taken over with all that it holds.

import Foundation
import NotifyBroker
import Testing

@testable import NotifyStore

struct MigrationTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// What the daemon of schema version 1 has left: written down as it was, not to be changed with the schema.
    private static let first = """
        PRAGMA journal_mode = WAL;
        CREATE TABLE life(epoch BLOB NOT NULL, position INTEGER NOT NULL, forgotten INTEGER NOT NULL);
        CREATE TABLE channels(
            id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, seq INTEGER NOT NULL, base INTEGER NOT NULL,
            lost_seq INTEGER NOT NULL, lost_pos INTEGER NOT NULL, lost_time INTEGER NOT NULL, retained INTEGER);
        CREATE TABLE messages(
            pos INTEGER PRIMARY KEY, channel INTEGER NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL,
            expires INTEGER, uid INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL);
        CREATE UNIQUE INDEX messages_of_channel ON messages(channel, seq);
        CREATE TABLE keys(
            uid INTEGER NOT NULL, text BLOB NOT NULL, seq INTEGER NOT NULL, pos INTEGER NOT NULL,
            matched INTEGER NOT NULL, dropped INTEGER NOT NULL, expires INTEGER NOT NULL,
            PRIMARY KEY(uid, text)) WITHOUT ROWID;
        CREATE INDEX keys_by_end ON keys(expires);
        PRAGMA application_id = 1853122169;
        PRAGMA user_version = 1;
        INSERT INTO life VALUES(CAST('e1' AS BLOB), 16777216, 9);
        INSERT INTO channels VALUES(4, CAST('a' AS BLOB), 7, 4, 5, 5, 77, 7);
        INSERT INTO messages VALUES(
            7, 4, 7, 7000, NULL, 1000, CAST('"payload":null}' AS BLOB), \(message(7, at: 7).checksum(channel: name("a"))));
        INSERT INTO keys VALUES(1000, CAST('k' AS BLOB), 7, 7, 2, 1, 9223372036854775807);
        """

    /// What leads to that of version 2.
    private static let second = """
        ALTER TABLE life ADD COLUMN schedule INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE posts(
            number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, due INTEGER NOT NULL, client INTEGER NOT NULL,
            pid INTEGER NOT NULL, uid INTEGER NOT NULL, line BLOB NOT NULL, checksum INTEGER NOT NULL);
        ALTER TABLE keys ADD COLUMN schedule INTEGER;
        ALTER TABLE keys ADD COLUMN replaced INTEGER;
        PRAGMA user_version = 2;
        """

    private func fill(_ text: String = first) throws {
        try FileManager.default.createDirectory(atPath: shelf.directory, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: shelf.path))
        try Database(path: shelf.path).execute(text)
    }

    @Test("All of version 1 is there, and what is new can be written")
    func first() throws {
        try fill()
        let (store, state) = shelf.open()
        #expect(shelf.notes.isEmpty)
        #expect(state.epoch == "e1" && state.position == 16_777_216 && state.forgotten == 9 && state.schedule == 0)
        #expect(state["a"]?.sequence == 7 && state["a"]?.base == 4)
        #expect(state["a"]?.lost == StoredLoss(sequence: 5, position: 5, time: 77))
        #expect(state["a"]?.history == [message(7, at: 7)] && state["a"]?.retained == message(7, at: 7))
        #expect(state.keys == [key("k", 7, expires: .max)])
        #expect(state.posts.isEmpty && state.floor == 0 && state.rules.isEmpty)
        let answer = StoredKey(text: name("l"), uid: 1, answer: .scheduled(1), expires: .max)
        try store.commit(
            [.reserve(position: 16_777_217, schedule: 5), .hold(later(1)), .remember(answer)], now: shelf.now)
        try store.close(position: 7, schedule: 1, now: shelf.now)
        #expect(shelf.look().posts == [later(1)] && shelf.look().keys.count == 2)
        #expect(shelf.notes.isEmpty)
    }

    @Test("It has the same tables as a new one", arguments: ["", second])
    func tables(more: String) throws {
        try fill(Self.first + more)
        _ = shelf.look()
        let other = try Shelf()
        try other.write([.reserve(position: 1, schedule: 1)])
        let shapes = try [shelf, other].map { shelf in
            let database = try Database(path: shelf.path)
            let rows = try database.prepare(
                "SELECT m.name, c.name, c.type, c.\"notnull\" FROM sqlite_schema m, pragma_table_info(m.name) c "
                    + "ORDER BY m.name, c.cid")
            var lines: [String] = []
            while try rows.next() {
                lines.append((0..<4).map { String(decoding: rows.bytes($0), as: UTF8.self) }.joined(separator: " "))
            }
            return lines
        }
        #expect(shapes[0].count > 30)
        #expect(shapes[0] == shapes[1])
    }

    @Test("A crash in the middle leaves version 1, and the next start takes it over", arguments: [1777, 5000, 0])
    func crash(length: Int) throws {
        try fill()
        let (store, _) = shelf.open()
        let after = try Shelf()
        try shelf.copy(to: after)
        let log = try Data(contentsOf: URL(filePath: shelf.path + "-wal"))
        #expect(log.count > length)
        try log.prefix(length).write(to: URL(filePath: after.path + "-wal"))
        #expect(after.look().keys.count == 1)
        #expect(after.notes.isEmpty)
        #expect(store.hasBacklog == false)
    }

    @Test("One that is damaged is set aside as it was", arguments: ["DROP TABLE keys", "DELETE FROM life"])
    func damaged(text: String) throws {
        try fill(Self.first + text)
        #expect(shelf.look() == StoredState(epoch: "fresh"))
        #expect(shelf.notes.first?.contains("it has been set aside") == true)
    }

    @Test("A version that is not known is set aside, and the log says which", arguments: [0, -1, Schema.version + 1])
    func unknown(version: Int64) throws {
        try fill(Self.first + "PRAGMA user_version = \(version)")
        #expect(shelf.look() == StoredState(epoch: "fresh"))
        #expect(shelf.notes.first?.contains("of version \(version), and this is version \(Schema.version)") == true)
        #expect(shelf.notes.first?.contains("it has been set aside") == true)
    }
}
