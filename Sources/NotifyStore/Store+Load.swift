// Reading all of a store at start, with a distrustful eye: a state that is given back is whole.

package import NotifyBroker

extension Store {
    /// What an earlier life left, or a new beginning. Never fails: what is wrong stands in the notes.
    package func load(now: Int64) -> StoredState {
        do throws(StoreFault) {
            return try read(now)
        } catch {
            note("the store \(path) cannot be used: \(error)")
            if unsound == nil { barred = error }
        }
        return StoredState(epoch: epoch)
    }

    private func read(_ now: Int64) throws(StoreFault) -> StoredState {
        do throws(StoreFault) {
            if try openExisting() {
                let state = try readAll()
                if hidesCommit { return beginEpoch(state, now) }
                epoch = state.epoch
                return state
            }
        } catch  where error.kind == .damaged {
            channels = [:]
            lastID = 0
            try setAside(error.description, now: now)
        }
        return StoredState(epoch: epoch)
    }

    private func readAll() throws(StoreFault) -> StoredState {
        guard let database else { preconditionFailure("a store is read after it was opened") }
        let life = try database.prepare("SELECT epoch, position, forgotten, schedule, floor, rules FROM life")
        guard try life.next() else { throw StoreFault(.damaged, "it has no epoch") }
        let text = String(decoding: life.bytes(0), as: UTF8.self)
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }) else {
            throw StoreFault(.damaged, "its epoch is damaged")
        }
        var state = StoredState(
            epoch: text, position: UInt64(bitPattern: life.integer(1)),
            forgotten: UInt64(bitPattern: life.integer(2)))
        state.schedule = UInt64(bitPattern: life.integer(3))
        state.floor = UInt64(bitPattern: life.integer(4))
        state.rules = life.bytes(5)
        var places: [Int64: Int] = [:]
        try readChannels(database, &state, &places)
        try readMessages(database, &state, places)
        try readKeys(database, &state)
        try readPosts(database, &state)
        return state
    }

    /// What was committed last is missing, numbers that were given away with it: they must not come again in one epoch.
    private func beginEpoch(_ found: StoredState, _ now: Int64) -> StoredState {
        note(
            "the log of the store \(path) is damaged: what was committed last is lost, even if it was acknowledged; "
                + "the rest is kept, in a new epoch")
        var state = found
        state.epoch = epoch
        // There may have been channels of which nothing is known any more.
        state.rules = []
        do throws(StoreFault) {
            try commit([.epoch(epoch)], now: now)
            // What is told is told: the damaged end does not stay behind what is written from now on.
            try database?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // It waits for the first commit that succeeds, and may be told again.
        }
        return state
    }

    private func readChannels(
        _ database: Database, _ state: inout StoredState, _ places: inout [Int64: Int]
    ) throws(StoreFault) {
        let rows = try database.prepare(
            "SELECT id, name, seq, base, lost_seq, lost_pos, lost_time, retained FROM channels")
        while try rows.next() {
            let (id, name) = (rows.integer(0), rows.bytes(1))
            let place = StoredPlace(
                id: id, sequence: UInt64(bitPattern: rows.integer(2)), base: UInt64(bitPattern: rows.integer(3)),
                lost: StoredLoss(
                    sequence: UInt64(bitPattern: rows.integer(4)), position: UInt64(bitPattern: rows.integer(5)),
                    time: rows.integer(6)),
                retained: rows.optionalInteger(7).map { UInt64(bitPattern: $0) })
            guard place.sequence <= state.position else {
                throw StoreFault(.damaged, "a channel's seq is ahead of pos")
            }
            channels[name] = place
            lastID = max(lastID, id)
            places[id] = state.channels.count
            var channel = StoredChannel(name: name, sequence: place.sequence, base: place.base)
            channel.lost = place.lost
            state.channels.append(channel)
        }
    }

    private func readMessages(
        _ database: Database, _ state: inout StoredState, _ places: [Int64: Int]
    ) throws(StoreFault) {
        let rows = try database.prepare(
            "SELECT channel, seq, pos, time, expires, uid, body, checksum FROM messages "
                + "ORDER BY channel, seq")
        while try rows.next() {
            guard let place = places[rows.integer(0)], let uid = UInt32(exactly: rows.integer(5)) else {
                throw StoreFault(.damaged, "a message has no channel or no sender")
            }
            let message = StoredMessage(
                sequence: UInt64(bitPattern: rows.integer(1)), position: UInt64(bitPattern: rows.integer(2)),
                time: rows.integer(3), expires: rows.optionalInteger(4), uid: uid, body: rows.bytes(6))
            let name = state.channels[place].name
            guard message.checksum(channel: name) == rows.integer(7), let known = channels[name],
                message.sequence <= known.sequence, message.position <= state.position
            else { throw StoreFault(.damaged, "a message is not what was written") }
            if message.sequence > known.lost.sequence { state.channels[place].history.append(message) }
            if message.position == known.retained { state.channels[place].retained = message }
        }
        for channel in state.channels where channels[channel.name]?.retained != nil && channel.retained == nil {
            throw StoreFault(.damaged, "a retained message is missing")
        }
    }
}
