// The order of what waits for one subscription: high priority before normal before low, and each in the order of the
// posts. A queue of normal messages alone needs nothing but its two ends.

import NotifyWire

extension Subscription {
    /// Puts the line in its place; returns the one that comes after it, nil if it is the last.
    mutating func insert(_ line: WaitingRef) -> WaitingRef? {
        let priority = line.pointee.mark.priority
        if priority != .normal { _ = needExtras() }
        let previous = last(noLessThan: priority)
        let next = previous.map { $0.pointee.nextOfSubscription } ?? oldest
        line.pointee.previousOfSubscription = previous
        line.pointee.nextOfSubscription = next
        if let previous { previous.pointee.nextOfSubscription = line } else { oldest = line }
        if let next { next.pointee.previousOfSubscription = line } else { newest = line }
        guard let extras else { return next }
        switch priority {
        case .high: extras.pointee.lastHigh = line
        case .normal: extras.pointee.lastNormal = line
        case .low: break
        }
        if let topic = topic(of: line) { extras.pointee.latest[topic] = line }
        return next
    }

    private func last(noLessThan priority: Priority) -> WaitingRef? {
        guard let extras else { return newest }
        switch priority {
        case .high: return extras.pointee.lastHigh
        case .normal: return extras.pointee.lastNormal ?? extras.pointee.lastHigh
        case .low: return newest
        }
    }

    /// What it waits for a place of, if only the last one of each may wait.
    private func topic(of line: WaitingRef) -> Topic? {
        guard policy == .latest, let channel = line.pointee.channel else { return nil }
        return Topic(channel: channel, subject: line.pointee.mark.topic)
    }

    /// The oldest of those with the lowest priority that waits.
    var oldestOfLowest: WaitingRef? {
        guard let extras, let newest else { return oldest }
        let higher: WaitingRef? =
            switch newest.pointee.mark.priority {
            case .high: nil
            case .normal: extras.pointee.lastHigh
            case .low: extras.pointee.lastNormal ?? extras.pointee.lastHigh
            }
        return higher.map { $0.pointee.nextOfSubscription } ?? oldest
    }

    /// Since when the one waits that has waited longest: the first of one of the priorities.
    var waitsSince: UInt64? {
        let firsts = [
            oldest, extras?.pointee.lastHigh?.pointee.nextOfSubscription,
            extras?.pointee.lastNormal?.pointee.nextOfSubscription,
        ]
        return firsts.compactMap { $0?.pointee.since }.min()
    }

    mutating func take(_ line: WaitingRef) {
        let (previous, next) = (line.pointee.previousOfSubscription, line.pointee.nextOfSubscription)
        if let previous { previous.pointee.nextOfSubscription = next } else { oldest = next }
        if let next { next.pointee.previousOfSubscription = previous } else { newest = previous }
        line.pointee.previousOfSubscription = nil
        line.pointee.nextOfSubscription = nil
        guard let extras else { return }
        if extras.pointee.lastHigh == line { extras.pointee.lastHigh = previous }
        if extras.pointee.lastNormal == line {
            extras.pointee.lastNormal = previous.flatMap { $0.pointee.mark.priority == .normal ? $0 : nil }
        }
        if let topic = topic(of: line), extras.pointee.latest[topic] == line { extras.pointee.latest[topic] = nil }
    }
}
