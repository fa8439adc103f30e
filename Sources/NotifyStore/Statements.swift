// The statements of a commit, prepared once.

struct Statements {
    let insert: Statement
    let trim: Statement
    let channel: Statement
    let forgetMessages: Statement
    let forgetChannel: Statement
    let key: Statement
    let expireKeys: Statement
    let hold: Statement
    let release: Statement
    let reserve: Statement
    let epoch: Statement
    let forgotten: Statement
    let rules: Statement

    init(_ database: Database) throws(StoreFault) {
        insert = try database.prepare("INSERT INTO messages VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
        trim = try database.prepare("DELETE FROM messages WHERE channel = ? AND seq <= ? AND pos IS NOT ?")
        channel = try database.prepare("INSERT OR REPLACE INTO channels VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
        forgetMessages = try database.prepare("DELETE FROM messages WHERE channel = ?")
        forgetChannel = try database.prepare("DELETE FROM channels WHERE id = ?")
        key = try database.prepare("INSERT OR REPLACE INTO keys VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
        expireKeys = try database.prepare("DELETE FROM keys WHERE expires <= ?")
        hold = try database.prepare("INSERT OR REPLACE INTO posts VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
        release = try database.prepare("DELETE FROM posts WHERE number = ?")
        reserve = try database.prepare("UPDATE life SET position = ?, schedule = ?")
        epoch = try database.prepare("UPDATE life SET epoch = ?")
        forgotten = try database.prepare("UPDATE life SET forgotten = max(forgotten, ?), floor = max(floor, ?)")
        rules = try database.prepare("UPDATE life SET rules = ?")
    }
}
