// What outlives the daemon: a SQLite database with a write-ahead log, written in one transaction per call and on disk when
// the call returns (WAL, synchronous=FULL). The daemon alone has it open.
//
// Nothing in here ends the daemon. A file that is no sound store is set aside under another name. While the file cannot
// be written, what should stand in it is kept and goes in with the next call that succeeds.

import Glibc
import NotifyBroker

package final class Store {
    package static let fileName = "notifyd.sqlite"

    let directory: String
    var path: String { directory + "/" + Self.fileName }
    var epoch: String
    var database: Database?
    var statements: Statements?
    /// What SQLite has open.
    var openFiles: [FileIdentity] = []
    var channels: [[UInt8]: StoredPlace] = [:]
    var lastID: Int64 = 0
    /// What lies at `path` is no sound store, and could not be set aside yet.
    var unsound: String?
    /// What lies at `path` may be sound but could not be read: it is left alone in this life.
    var barred: StoreFault?
    /// Commits are missing of which its log tells.
    var hidesCommit = false
    /// What is not on disk yet.
    var backlog: [StoreOperation] = []
    /// What the administrator should know, a line each.
    private var notes: [String] = []

    /// Where a channel stands in the store.
    struct StoredPlace {
        var id: Int64
        var sequence: UInt64
        var base: UInt64
        var lost = StoredLoss()
        /// `pos` of its retained message.
        var retained: UInt64?
    }

    /// - Parameter freshEpoch: the name of the numbering if the store begins anew.
    package init(directory: String, freshEpoch: String) {
        self.directory = directory
        epoch = freshEpoch
    }

    func note(_ line: String) { notes.append(line) }

    /// What there is to tell since the last call.
    package func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    package var hasBacklog: Bool { !backlog.isEmpty }

    /// In good order: the next start goes on with the very next number.
    package func close(position: UInt64, schedule: UInt64, now: Int64) throws(StoreFault) {
        defer {
            statements = nil
            database = nil
        }
        try commit([.reserve(position: position, schedule: schedule)], now: now)
    }
}
