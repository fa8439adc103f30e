// What is not of one channel: posts that are made later, and keys of posts that must not be made twice.

import NotifyBroker

extension Store {
    /// What was held and released since the last commit was never there.
    func write(_ posts: [UInt64: StoredPost?], _ statements: Statements) throws(StoreFault) {
        for (number, post) in posts {
            guard let post else {
                try statements.release.run(.integer(Int64(bitPattern: number)))
                continue
            }
            try statements.hold.run(
                .integer(Int64(bitPattern: number)), .integer(post.kind.rawValue), .integer(post.due),
                .integer(Int64(bitPattern: post.client)), .integer(Int64(post.pid)), .integer(Int64(post.uid)),
                .bytes(post.line), .integer(post.checksum))
        }
    }

    func readPosts(_ database: Database, _ state: inout StoredState) throws(StoreFault) {
        let rows = try database.prepare(
            "SELECT number, kind, due, client, pid, uid, line, checksum FROM posts ORDER BY number")
        while try rows.next() {
            guard let kind = StoredPost.Kind(rawValue: rows.integer(1)), let pid = Int32(exactly: rows.integer(4)),
                let uid = UInt32(exactly: rows.integer(5))
            else { throw StoreFault(.damaged, "a post that is made later has no kind or no sender") }
            let post = StoredPost(
                number: UInt64(bitPattern: rows.integer(0)), kind: kind, due: rows.integer(2),
                client: UInt64(bitPattern: rows.integer(3)), pid: pid, uid: uid, line: rows.bytes(6))
            guard post.checksum == rows.integer(7), post.number <= state.schedule else {
                throw StoreFault(.damaged, "a post that is made later is not what was written")
            }
            state.posts.append(post)
        }
    }

    /// Keys whose window is over are of no use to anybody: they go when new ones come.
    func write(_ keys: [StoredKey], _ statements: Statements, _ now: Int64) throws(StoreFault) {
        if keys.isEmpty { return }
        try statements.expireKeys.run(.integer(now))
        for key in keys {
            var receipt = Broker.Receipt(sequence: 0, position: 0)
            var (schedule, replaced) = (Statement.Value.null, Statement.Value.null)
            switch key.answer {
            case .posted(let made): receipt = made
            case .scheduled(let number): schedule = .integer(Int64(bitPattern: number))
            case .held(let hasReplaced): replaced = .integer(hasReplaced ? 1 : 0)
            }
            try statements.key.run(
                .integer(Int64(key.uid)), .bytes(key.text), .integer(Int64(bitPattern: receipt.sequence)),
                .integer(Int64(bitPattern: receipt.position)), .integer(Int64(receipt.matched)),
                .integer(Int64(receipt.dropped)), .integer(key.expires), schedule, replaced)
        }
    }

    func readKeys(_ database: Database, _ state: inout StoredState) throws(StoreFault) {
        let rows = try database.prepare(
            "SELECT uid, text, seq, pos, matched, dropped, expires, schedule, replaced FROM keys ORDER BY expires")
        while try rows.next() {
            guard let uid = UInt32(exactly: rows.integer(0)) else { throw StoreFault(.damaged, "a key has no sender") }
            let answer: Broker.Answer =
                if let number = rows.optionalInteger(7) {
                    .scheduled(UInt64(bitPattern: number))
                } else if let replaced = rows.optionalInteger(8) {
                    .held(hasReplaced: replaced != 0)
                } else {
                    .posted(
                        Broker.Receipt(
                            sequence: UInt64(bitPattern: rows.integer(2)),
                            position: UInt64(bitPattern: rows.integer(3)),
                            matched: Int(clamping: max(0, rows.integer(4))),
                            dropped: Int(clamping: max(0, rows.integer(5)))))
                }
            state.keys.append(StoredKey(text: rows.bytes(1), uid: uid, answer: answer, expires: rows.integer(6)))
        }
    }
}
