// The start upon what an earlier life has left in the store.

import NotifyWire

extension Broker {
    /// To be called once, before anything else. The epoch is that of the state already.
    ///
    /// - Parameter identity: who a user is whose posts are still to be made.
    package mutating func restore(
        _ state: StoredState, identity: (UInt32) -> Identity = { Identity(uid: $0, gid: $0) }
    ) {
        storage.isOn = true
        position = state.position
        // No channel's `seq` is above the daemon's `pos`: whatever was forgotten goes on above it.
        forgottenSequence = state.position
        (forgottenPosition, storage.floor) = (state.forgotten, state.floor)
        if state.rules != rules.persistence {
            changeRules()
            forgottenPosition = position
        }
        // Nobody has written down when that was.
        if forgottenPosition > 0 { forgottenWall = now.wall }
        if state.position > 0 { volatile = (state.position, now.wall) }
        for channel in state.channels.sorted(by: { $0.lastPosition < $1.lastPosition }) { restore(channel) }
        held.lastNumber = state.schedule
        restore(state.posts, identity)
        for key in state.keys where key.expires > now.wall { restore(key) }
        keepWithinBudget()
        scheduleHistory()
        reserveNumbers()
    }

    /// Among the channels that are persistent now may be some of which the store knows nothing although they had
    /// messages: whichever it does not know goes on above all numbers that there were.
    mutating func changeRules() {
        storage.floor = position
        storage.add(.rules(rules.persistence, position: position))
    }

    mutating func reserveNumbers() { storage.reserve(after: position, schedule: held.lastNumber) }

    /// Instead of that of the state, before anybody knows it: the numbers to come could not be reserved, so the next life
    /// may give the same ones away. The store takes the name with its next success.
    package mutating func beginEpoch(_ name: String) {
        epoch = name
        storage.add(.epoch(name))
    }

    private mutating func restore(_ stored: StoredChannel) {
        stored.name.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let name = ByteSlice(start, bytes.count)
            let rule = rules.find(name)
            // The configuration has changed.
            guard ChannelName.fault(in: name) == nil, rules.persists(rule) else {
                return storage.add(
                    .forget(channel: stored.name, sequence: stored.sequence, position: stored.lastPosition))
            }
            let channel = channels.insert(name, sequence: stored.sequence, now: now.monotonic)
            channel.pointee.rule = rule
            channel.pointee.isPersistent = true
            channel.pointee.lastPosition = stored.lastPosition
            restoreHistory(of: channel, stored)
            if let retained = stored.retained { restore(retained, on: channel) }
        }
    }

    private mutating func restore(_ stored: StoredKey) {
        remember(
            DedupTable.Key(text: stored.text, uid: stored.uid), stored.answer, on: account(of: .uid(stored.uid)),
            until: now.monotonic + UInt64(stored.expires - now.wall))
    }

    private mutating func restoreHistory(of channel: ChannelRef, _ stored: StoredChannel) {
        let histories = histories
        let bound = rules.history(channel.pointee.rule)
        touch(channel)
        let lost = stored.lost
        let history = History.make(
            base: stored.base,
            lost: lost.sequence > 0
                ? .init(sequence: lost.sequence, position: lost.position, wall: lost.time) : .init())
        channel.pointee.history = history
        guard bound.messages > 0, let last = stored.history.last else { return }
        histories.pointee.moveToBack(channel, of: account(of: .uid(last.uid)))
        let before = history.pointee.weight
        let now = now
        for message in stored.history {
            message.body.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                // By the wall clock: the other one may have begun anew since.
                if now.wall - message.time >= Int64(clamping: bound.age) {
                    history.pointee.lose(message.sequence, message.position, message.time)
                } else {
                    history.pointee.keep(PastMessage.make(message, ByteSlice(start, bytes.count), now), within: bound)
                }
            }
        }
        histories.pointee.changed(history, from: before)
    }

    private mutating func restore(_ message: StoredMessage, on channel: ChannelRef) {
        if let expires = message.expires, expires <= now.wall {
            return storage.add(.clearRetained(channel: [UInt8](channel.pointee.name)))
        }
        message.body.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let body = ByteSlice(start, bytes.count)
            scratch.clear(keeping: 64 << 10)
            let labels = MessageLine.labels(of: body, decodingTo: &scratch)
            keepRetained(
                body, .init(type: [UInt8](labels.type), subject: [UInt8](labels.subject), uid: message.uid),
                on: channel, account(of: .uid(message.uid)), sequence: message.sequence, position: message.position,
                expires: message.expires.map { now.monotonic + UInt64($0 - now.wall) } ?? 0)
        }
    }
}

extension StoredChannel {
    /// The `pos` of its last message that is known.
    fileprivate var lastPosition: UInt64 {
        max(history.last?.position ?? 0, retained?.position ?? 0, lost.position)
    }
}
