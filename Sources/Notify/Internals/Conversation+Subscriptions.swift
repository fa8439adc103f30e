// Listening: seats are taken and given up; the daemon's word on subscriptions.

import NotifyWire

extension Conversation {
    /// Seats a consumer at all its subscriptions; those that are new are asked for at once if there is a connection.
    mutating func subscribe(
        _ consumer: Consumer, id: UInt64, to keys: [Table.Key], _ now: UInt64
    ) {
        if closedError != nil {
            if case .closed(let error) = phase {
                effects.append(.end(consumer, error))
            } else {
                effects.append(.end(consumer, nil))
            }
            return
        }
        var earlier: [NotifyCenter.Pattern] = []
        for key in keys {
            let seat = Table.Seat(
                id: id, consumer: consumer, earlier: earlier, after: 0, isInterrupted: interruption != nil)
            let (number, isNew) = table.add(key, seat, after: position)
            if isNew, isOpen { sendSubscription(number, id: ids()) }
            earlier.append(key.pattern)
        }
        if let interruption { effects.append(.mark(consumer, .disconnected(interruption))) }
        want(now)
    }

    mutating func sendSubscription(_ number: UInt64, id: UInt64) {
        guard let key = table.entries[number]?.key else { return }
        let again = resumption(number)
        var terms = ClientSubscribeTerms()
        let isAsNew = table.entries[number]?.hasBegun != true
        terms.replay = again ?? (isAsNew ? key.replay.onWire : .none)
        terms.minimumInterval = key.minimumInterval
        terms.group = key.group
        if key.buffer != .standard {
            terms.policy = key.buffer.kind
            // The daemon has a bound of its own, beyond which it takes no wishes.
            terms.messages = min(key.buffer.messages, max(1, server?.limits.queueMessages ?? .max))
        }
        table.update(number) { entry in
            entry.isSent = true
            entry.isResumed = again != nil
        }
        let line = ClientLine.subscribe(
            id: id, sub: number, pattern: key.pattern.rawValue, type: key.type, subject: key.subject?.rawValue,
            fromUID: key.fromUID, echo: key.echo, terms: terms)
        subscribing[id] = number
        outbox.append(line)
    }

    /// What a subscription asks for that was there on an earlier connection: everything after what it has got. nil: it
    /// begins as if for the first time.
    private func resumption(_ number: UInt64) -> Replay? {
        guard let entry = table.entries[number], let epoch = entry.resume.epoch else { return nil }
        // Others of the group have got what came meanwhile.
        if entry.key.group != nil { return nil }
        // Last values may be older than all history: they are asked for once more, and what was got is left out.
        if !entry.hasBegun, entry.key.replay == .retained { return nil }
        return .after(position: entry.resume.position, epoch: epoch)
    }

    /// A consumer leaves.
    mutating func unsubscribe(_ id: UInt64) {
        for entry in table.remove(id) where entry.isSent && isOpen {
            outbox.append(ClientLine.unsubscribe(id: ids(), sub: entry.number))
        }
    }

    /// The daemon has accepted or refused a subscription; answers whether the id was one.
    mutating func subscriptionAnswered(
        _ id: UInt64, _ result: Result<UInt64, NotifyError>, _ now: UInt64
    ) -> Bool {
        guard let number = subscribing.removeValue(forKey: id) else { return false }
        switch result {
        case .success(let position):
            // A subscription that goes on behind what it has got hears of gaps from the daemon.
            if let entry = table.entries[number], !entry.isResumed, let gap = interruptionGap(position) {
                for seat in entry.seats where seat.isInterrupted { effects.append(.mark(seat.consumer, .gap(gap))) }
            }
            let epoch = epoch
            table.update(number) { entry in
                for index in entry.seats.indices { entry.seats[index].isInterrupted = false }
                (entry.wasAccepted, entry.isRefused) = (true, false)
                guard !entry.isResumed, entry.key.replay == .none else { return }
                entry.hasBegun = true
                entry.resume.reach(position, in: epoch)
            }
            self.position = max(self.position, position)
            refusedSubscriptions.accepted(id, now)
            askAgain(now)
        case .failure(let error):
            if postpone(number, of: id, error, now) { return true }
            refusedSubscriptions.accepted(id, now)
            effects.append(.unheard(error))
            end(number, error)
        }
        return true
    }

    /// What may have been posted while there was no connection: nothing, if the daemon's position has not moved.
    private func interruptionGap(_ position: UInt64) -> NotifyCenter.Gap? {
        if epochChanged { return NotifyCenter.Gap(reason: .epoch) }
        return positionBefore == position ? nil : NotifyCenter.Gap(reason: .disconnected)
    }

    /// Messages were delivered to a subscription.
    mutating func note(_ messages: ArraySlice<MessageFields>, at number: UInt64) {
        let epoch = epoch
        for message in messages { position = max(position, message.pos) }
        table.update(number) { entry in
            for message in messages { entry.resume.note(message.pos, message.priority, in: epoch) }
        }
    }

    /// Whether a replayed message has come before, or is the center's own and not wanted.
    func isRepetition(_ message: MessageFields, at entry: Table.Entry) -> Bool {
        message.pos <= entry.replayAfter || entry.resume.hasDelivered(message.pos, in: epoch)
            || !entry.key.echo && isOwn(message)
    }

    /// Whether the center itself has posted a message, by the number of one of its connections. What an earlier process of
    /// the daemon had left to be made later may have that number from somebody else: hence the process.
    private func isOwn(_ message: MessageFields) -> Bool {
        guard let since = ownClients[message.client], message.pos > since else { return false }
        return server?.pid.map { $0 == message.pid } ?? true
    }

    /// Messages of a subscription are missing, on a channel that `isCovered` by earlier patterns or not.
    mutating func gap(
        _ gap: NotifyCenter.Gap, sub number: UInt64, isCovered: ([NotifyCenter.Pattern]) -> Bool
    ) {
        for seat in table.entries[number]?.seats ?? [] where !isCovered(seat.earlier) {
            // Each of a consumer's subscriptions says that the numbers count anew: once is enough.
            if gap.reason == .epoch, !seat.earlier.isEmpty { continue }
            effects.append(.mark(seat.consumer, .gap(gap)))
        }
    }

    /// What a subscription asked for by `replay` is through, and everything up to `position` was told. A consumer hears of
    /// it once, when all its replays are, unless it wants to hear it after each reconnect.
    mutating func live(_ number: UInt64, position: UInt64) {
        guard let entry = table.entries[number] else { return }
        self.position = max(self.position, position)
        let epoch = epoch
        table.update(number) { entry in
            entry.hasBegun = true
            entry.resume.reach(position, in: epoch)
        }
        if entry.hasBegun, !entry.key.tellsEveryLive { return }
        for seat in table.entries[number]?.seats ?? [] where table.isLive(seat.id) {
            effects.append(.mark(seat.consumer, .live))
        }
    }

    /// A subscription has ended on the daemon's side, and with it those who sat there.
    mutating func end(_ number: UInt64, _ error: NotifyError) {
        for seat in table.end(number) {
            effects.append(.end(seat.consumer, error))
        }
    }

    // MARK: Losing and regaining the connection

    /// The connection that was asked for subscriptions is gone.
    mutating func forgetSubscribing() {
        for number in table.allNumbers {
            table.update(number) { entry in (entry.isSent, entry.isRefused) = (false, false) }
        }
        subscribing = [:]
        refusedSubscriptions = RefusedSubscriptions()
    }

    /// Consumers are told once that the connection is gone.
    mutating func interrupt(_ error: NotifyError) {
        for number in table.allNumbers {
            table.update(number) { entry in
                for index in entry.seats.indices { entry.seats[index].isInterrupted = true }
            }
        }
        guard interruption == nil else { return }
        interruption = error
        for (_, consumer) in table.consumers { effects.append(.mark(consumer, .disconnected(error))) }
    }

    /// Asks for all subscriptions again on a new connection.
    mutating func resubscribe(isSameEpoch: Bool) {
        if interruption != nil {
            interruption = nil
            for (_, consumer) in table.consumers { effects.append(.mark(consumer, .reconnected)) }
        }
        for number in table.allNumbers {
            table.update(number) { entry in
                entry.replayAfter = isSameEpoch && !entry.hasBegun ? entry.resume.position : 0
                guard !isSameEpoch else { return }
                for index in entry.seats.indices { entry.seats[index].after = 0 }
            }
            sendSubscription(number, id: ids())
        }
    }
}
