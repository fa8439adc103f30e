// One connection to SQLite, and what its answers mean.

import CSQLite
import Glibc

final class Database {
    let calls: csqlite
    private let connection: OpaquePointer

    /// Opens the file, which must be there.
    init(path: String) throws(StoreFault) {
        calls = try Library.calls()
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = calls.open(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let fault = Self.fault(code, Self.words(calls.message(opened)))
            _ = calls.close(opened)
            throw fault
        }
        connection = opened
    }

    deinit { _ = calls.close(connection) }

    func execute(_ text: String) throws(StoreFault) {
        let code = calls.exec(connection, text, nil, nil, nil)
        if code != SQLITE_OK { throw fault(code) }
    }

    func prepare(_ text: String) throws(StoreFault) -> Statement {
        var statement: OpaquePointer?
        let code = calls.prepare(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw fault(code) }
        return Statement(statement, of: self)
    }

    /// The one integer that the statement gives.
    func integer(_ text: String) throws(StoreFault) -> Int64 {
        let statement = try prepare(text)
        guard try statement.next() else { throw StoreFault(.damaged, "no answer to \(text)") }
        return statement.integer(0)
    }

    func fault(_ code: Int32) -> StoreFault {
        Self.fault(code, Self.words(calls.message(connection)))
    }

    private static func words(_ text: UnsafePointer<CChar>?) -> String {
        text.map { String(cString: $0) } ?? "no memory"
    }

    private static func fault(_ code: Int32, _ words: String) -> StoreFault {
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_FORMAT,
            SQLITE_SCHEMA:
            StoreFault(.damaged, words)
        case SQLITE_BUSY, SQLITE_LOCKED: StoreFault(.unusable, "another process has it open")
        default: StoreFault(.unusable, words)
        }
    }
}
