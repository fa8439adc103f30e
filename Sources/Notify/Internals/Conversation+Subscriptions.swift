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
        table.update(number) { $0.isSent = true }
        let line = ClientLine.subscribe(
            id: id, sub: number, pattern: key.pattern.rawValue, type: key.type, subject: key.subject?.rawValue,
            fromUID: key.fromUID, echo: key.echo, replaysRetained: key.replay == .retained)
        subscribing[id] = number
        outbox.append(line)
    }

    /// A consumer leaves.
    mutating func unsubscribe(_ id: UInt64) {
        for entry in table.remove(id) where entry.isSent && isOpen {
            outbox.append(ClientLine.unsubscribe(id: ids(), sub: entry.number))
        }
    }

    /// The daemon has accepted or refused a subscription; answers whether the id was one.
    mutating func subscriptionAnswered(_ id: UInt64, _ result: Result<UInt64, NotifyError>) -> Bool {
        guard let number = subscribing.removeValue(forKey: id) else { return false }
        switch result {
        case .success(let position):
            for seat in table.entries[number]?.seats ?? [] where seat.isInterrupted {
                if let gap = interruptionGap(position) { effects.append(.mark(seat.consumer, .gap(gap))) }
            }
            table.update(number) { entry in
                for index in entry.seats.indices { entry.seats[index].isInterrupted = false }
            }
            self.position = max(self.position, position)
        case .failure(let error):
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

    /// Messages up to here were delivered to a subscription.
    mutating func note(position: UInt64, at number: UInt64) {
        self.position = max(self.position, position)
        table.update(number) { $0.last = max($0.last, position) }
    }

    /// Messages of a subscription are missing, on a channel that `isCovered` by earlier patterns or not.
    mutating func gap(
        _ gap: NotifyCenter.Gap, sub number: UInt64, isCovered: ([NotifyCenter.Pattern]) -> Bool
    ) {
        for seat in table.entries[number]?.seats ?? [] where !isCovered(seat.earlier) {
            effects.append(.mark(seat.consumer, .gap(gap)))
        }
    }

    /// What a subscription asked for by `replay` is through; a consumer hears of it when all its replays are.
    mutating func live(_ number: UInt64) {
        table.update(number) { $0.isLive = true }
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

    /// Consumers are told once that the connection is gone.
    mutating func interrupt(_ error: NotifyError) {
        for number in table.allNumbers {
            table.update(number) { entry in
                entry.isSent = false
                entry.isLive = false
                for index in entry.seats.indices { entry.seats[index].isInterrupted = true }
            }
        }
        subscribing = [:]
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
                entry.replayAfter = isSameEpoch ? entry.last : 0
                for index in entry.seats.indices { entry.seats[index].after = 0 }
            }
            sendSubscription(number, id: ids())
        }
    }
}
