// A prepared statement: values in, step, values out.

import CSQLite

final class Statement {
    private let database: Database
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer, of database: Database) {
        (self.statement, self.database) = (statement, database)
    }

    deinit { _ = database.calls.finalize(statement) }

    enum Value {
        case integer(Int64)
        case bytes([UInt8])
        case null
    }

    /// Runs a statement that gives no rows.
    func run(_ values: Value...) throws(StoreFault) {
        var code: Int32 = SQLITE_OK
        for (index, value) in values.enumerated() where code == SQLITE_OK { code = bind(value, Int32(index) + 1) }
        if code == SQLITE_OK { code = database.calls.step(statement) }
        let fault = code == SQLITE_DONE ? nil : database.fault(code)
        _ = database.calls.reset(statement)
        if let fault { throw fault }
    }

    private func bind(_ value: Value, _ place: Int32) -> Int32 {
        switch value {
        case .integer(let number): database.calls.bind_integer(statement, place, number)
        case .null: database.calls.bind_null(statement, place)
        // An empty array has no address, and without one SQLite takes the value for null. SQLITE_TRANSIENT: it copies.
        case .bytes(let bytes):
            (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                database.calls.bind_blob(
                    statement, place, $0.baseAddress, UInt64(bytes.count),
                    unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self))
            }
        }
    }

    /// The next row; false when there is none.
    func next() throws(StoreFault) -> Bool {
        switch database.calls.step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw database.fault(code)
        }
    }

    func integer(_ column: Int32) -> Int64 { database.calls.column_integer(statement, column) }

    func optionalInteger(_ column: Int32) -> Int64? {
        database.calls.column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = database.calls.column_blob(statement, column) else { return [] }
        return [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(database.calls.column_bytes(statement, column))))
    }
}
