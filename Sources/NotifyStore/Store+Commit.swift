// Everything of one wake-up in one transaction. When `commit` returns it is on disk; when it throws nothing of it is, and
// all of it waits in the backlog.

package import NotifyBroker

extension Store {
    package func commit(_ operations: [StoreOperation], now: Int64) throws(StoreFault) {
        backlog += operations
        if backlog.isEmpty { return }
        try becomeWritable(now)
        try checkFiles()
        guard let database, let statements else { preconditionFailure("a writable store is open") }
        let sum = Sum(of: backlog)
        try database.execute("BEGIN IMMEDIATE")
        var places: [[UInt8]: StoredPlace?] = [:]
        let before = lastID
        do throws(StoreFault) {
            for name in sum.order {
                if let change = sum.changes[name] { places[name] = try write(change, name, statements, now) }
            }
            try write(sum.keys, statements, now)
            try write(sum.posts, statements)
            if let (rules, position) = sum.rules {
                try statements.rules.run(.bytes(rules))
                try forget((position, position), statements)
            }
            if let (position, schedule) = sum.reserved {
                try statements.reserve.run(.integer(Int64(bitPattern: position)), .integer(Int64(bitPattern: schedule)))
            }
            if let epoch = sum.epoch { try statements.epoch.run(.bytes(Array(epoch.utf8))) }
            try database.execute("COMMIT")
        } catch {
            // SQLite may have rolled back by itself.
            try? database.execute("ROLLBACK")
            lastID = before
            throw error
        }
        for (name, place) in places { channels[name] = place }
        backlog = []
    }

    private func becomeWritable(_ now: Int64) throws(StoreFault) {
        if database != nil { return }
        if let barred {
            throw StoreFault(
                .unusable,
                "\(path) could not be read at the start (\(barred)) and is left alone until notifyd is started again")
        }
        try makeDirectory()
        if let unsound { try setAside(unsound, now: now) }
        try create()
    }

    /// What the operations come to.
    private struct Sum {
        var changes: [[UInt8]: ChannelChange] = [:]
        /// The names of the channels.
        var order: [[UInt8]] = []
        var keys: [StoredKey] = []
        /// By their numbers; nil: none any more.
        var posts: [UInt64: StoredPost?] = [:]
        var rules: (bytes: [UInt8], position: UInt64)?
        var reserved: (position: UInt64, schedule: UInt64)?
        var epoch: String?

        init(of operations: [StoreOperation]) {
            for operation in operations {
                switch operation {
                case .remember(let key): keys.append(key)
                case .hold(let post): posts[post.number] = .some(post)
                case .release(let number): posts[number] = .some(nil)
                case .rules(let bytes, let position): rules = (bytes, position)
                case .reserve(let position, let schedule): reserved = (position, schedule)
                case .epoch(let name): epoch = name
                case .message, .clearRetained, .trim, .forget:
                    guard let name = operation.channel else { continue }
                    if changes[name] == nil { order.append(name) }
                    changes[name, default: ChannelChange()].add(operation)
                }
            }
        }
    }

    /// Returns where the channel stands afterwards; nil: nowhere.
    private func write(
        _ change: ChannelChange, _ name: [UInt8], _ statements: Statements, _ now: Int64
    ) throws(StoreFault) -> StoredPlace? {
        var known = channels[name]
        if change.isForgotten, let place = known {
            try statements.forgetMessages.run(.integer(place.id))
            try statements.forgetChannel.run(.integer(place.id))
            known = nil
        }
        if change.isForgotten { try forget(change.forgotten, statements) }
        guard known != nil || change.isAlive else { return nil }
        if known == nil { lastID += 1 }
        let base = change.messages.first.map { $0.sequence - 1 } ?? change.sequence
        var place = known ?? StoredPlace(id: lastID, sequence: 0, base: base)
        if change.lost.sequence > place.lost.sequence { place.lost = change.lost }
        place.sequence = max(place.sequence, change.sequence)
        switch change.retained {
        case .asBefore: break
        case .none: place.retained = nil
        case .message(let position): place.retained = position
        }
        try write(change.messages, to: place, name, statements)
        if let known, place.lost != known.lost || place.retained != known.retained {
            try statements.trim.run(
                .integer(place.id), .integer(Int64(bitPattern: place.lost.sequence)), Self.value(place.retained))
        }
        try statements.channel.run(
            .integer(place.id), .bytes(name), .integer(Int64(bitPattern: place.sequence)),
            .integer(Int64(bitPattern: place.base)), .integer(Int64(bitPattern: place.lost.sequence)),
            .integer(Int64(bitPattern: place.lost.position)), .integer(place.lost.time), Self.value(place.retained))
        return place
    }

    /// Channels that are not stored may have had numbers up to these.
    private func forget(_ last: (sequence: UInt64, position: UInt64), _ statements: Statements) throws(StoreFault) {
        try statements.forgotten.run(
            .integer(Int64(bitPattern: last.position)), .integer(Int64(bitPattern: last.sequence)))
    }

    private func write(
        _ messages: [StoredMessage], to place: StoredPlace, _ name: [UInt8], _ statements: Statements
    ) throws(StoreFault) {
        for message in messages where message.sequence > place.lost.sequence || message.position == place.retained {
            try statements.insert.run(
                .integer(Int64(bitPattern: message.position)), .integer(place.id),
                .integer(Int64(bitPattern: message.sequence)), .integer(message.time),
                message.expires.map { .integer($0) } ?? .null, .integer(Int64(message.uid)), .bytes(message.body),
                .integer(message.checksum(channel: name)))
        }
    }

    private static func value(_ position: UInt64?) -> Statement.Value {
        position.map { .integer(Int64(bitPattern: $0)) } ?? .null
    }
}
