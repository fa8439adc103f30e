// The tables of a store, and what a file must be to be one.
//
// A message stands once, whether it is part of its channel's history, its retained message, or both: the history
// begins after `lost_seq`, `retained` says which `pos` is retained.

enum Schema {
    /// "ntfy": marks the file as ours.
    static let application: Int64 = 0x6E74_6679
    /// Of an older one what is missing is made; a newer one is not read: it is set aside.
    static var version: Int64 { Int64(steps.count) }

    /// What leads from `version` to this one: all of it makes a new store.
    static func steps(from version: Int64) -> String {
        steps[Int(version)...].joined() + "PRAGMA user_version = \(Self.version);"
    }

    /// From each version to the next. What has been released stays as it is.
    private static let steps = [
        """
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
        PRAGMA application_id = \(application);
        """,
        // Posts that are made later. A key whose post was scheduled has its number, one whose post was held back has 0 or
        // 1 as `replaced`.
        """
        ALTER TABLE life ADD COLUMN schedule INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE posts(
            number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, due INTEGER NOT NULL, client INTEGER NOT NULL,
            pid INTEGER NOT NULL, uid INTEGER NOT NULL, line BLOB NOT NULL, checksum INTEGER NOT NULL);
        ALTER TABLE keys ADD COLUMN schedule INTEGER;
        ALTER TABLE keys ADD COLUMN replaced INTEGER;
        """,
        """
        ALTER TABLE life ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE life ADD COLUMN rules BLOB NOT NULL DEFAULT X'';
        """,
    ]
}
