// Everything of one wake-up in one transaction. When `commit` returns it is on disk; when it throws nothing of it is, and
// all of it waits in the backlog.

package import NotifyBroker

extension Store {
    package func commit(_ operations: [StoreOperation], now: Int64) throws(StoreFault) {
        backlog += operations
        if backlog.isEmpty { return }
        try becomeWritable(now)
        guard let database, let statements else { preconditionFailure("a writable store is open") }
        let (changes, order, keys, position) = Self.sum(of: backlog)
        try database.execute("BEGIN IMMEDIATE")
        var places: [[UInt8]: StoredPlace?] = [:]
        let before = lastID
        do throws(StoreFault) {
            for name in order {
                if let change = changes[name] { places[name] = try write(change, name, statements, now) }
            }
            try write(keys, statements, now)
            if let position { try statements.position.run(.integer(Int64(bitPattern: position))) }
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
        if let barred { throw barred }
        try makeDirectory()
        if let unsound { try setAside(unsound, now: now) }
        try create()
    }

    private static func sum(
        of operations: [StoreOperation]
    ) -> (changes: [[UInt8]: ChannelChange], order: [[UInt8]], keys: [StoredKey], position: UInt64?) {
        var changes: [[UInt8]: ChannelChange] = [:]
        var order: [[UInt8]] = []
        var keys: [StoredKey] = []
        var position: UInt64?
        for operation in operations {
            if case .remember(let key) = operation { keys.append(key) }
            if case .reserve(let reserved) = operation { position = reserved }
            guard let name = operation.channel else { continue }
            if changes[name] == nil { order.append(name) }
            changes[name, default: ChannelChange()].add(operation)
        }
        return (changes, order, keys, position)
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
        if change.forgotten > 0 { try statements.forgotten.run(.integer(Int64(bitPattern: change.forgotten))) }
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

    /// Keys whose window is over are of no use to anybody: they go when new ones come.
    private func write(_ keys: [StoredKey], _ statements: Statements, _ now: Int64) throws(StoreFault) {
        if keys.isEmpty { return }
        try statements.expireKeys.run(.integer(now))
        for key in keys {
            try statements.key.run(
                .integer(Int64(key.uid)), .bytes(key.text), .integer(Int64(bitPattern: key.sequence)),
                .integer(Int64(bitPattern: key.position)), .integer(Int64(bitPattern: key.matched)),
                .integer(Int64(bitPattern: key.dropped)), .integer(key.expires))
        }
    }

    private static func value(_ position: UInt64?) -> Statement.Value {
        position.map { .integer(Int64(bitPattern: $0)) } ?? .null
    }
}
