// The tables of a store, and what a file must be to be one.
//
// A message stands once, whether it is part of its channel's history, its retained message, or both: the history
// begins after `lost_seq`, `retained` says which `pos` is retained.

enum Schema {
    /// "ntfy": marks the file as ours.
    static let application: Int64 = 0x6E74_6679
    /// Another version is not read: it is set aside.
    static let version: Int64 = 1

    static let tables = """
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
        PRAGMA user_version = \(version);
        """
}
