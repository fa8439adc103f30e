// Channels that nobody uses any more are forgotten, so that a stream of ever new names costs bounded memory. Their
// numbering is not: a forgotten channel that is used again starts above every number that a forgotten channel had, so
// no `seq` comes twice.

import NotifyWire

extension Broker {
    /// More channels are known than are kept however long they have been idle.
    package var isCrowded: Bool { mutating get { sweepDeadline != nil } }

    mutating func sweepIfDue() {
        // A subscription that gets nothing any more, and is about to be told, does not stand with its channel.
        guard review == nil, let due = sweepDeadline, due <= now.monotonic else { return }
        precondition(outbox.isEmpty, "channels are forgotten only between wake-ups: lines may name them")
        sweepDeadline = nil
        let time = now.monotonic
        if sweep.placesLeft == 0 { sweep = Sweep(placesLeft: channels.capacity) }
        let places = min(sweep.placesLeft, Limits.sweepPlaces)
        // All that are idle: some that stayed would keep the pages of those that went.
        sweep.removed += forget(places: places) {
            time >= max($0.pointee.lastUsed, $0.pointee.lastPosted) + Limits.idleNanoseconds
                && $0.pointee.pastCount == 0
        }
        sweep.placesLeft -= places
        if sweep.placesLeft > 0 {
            sweepDeadline = time + Limits.sweepPauseNanoseconds
            return
        }
        // Channels that are all in use are looked at ever less often.
        sweepDelay = sweep.removed > 0 ? Limits.sweepNanoseconds : min(sweepDelay * 2, 64 * Limits.sweepNanoseconds)
        scheduleSweep()
    }

    /// How far the look at all channels has come. It is done in pieces: others must have their turn.
    struct Sweep {
        var placesLeft = 0
        var removed = 0
    }

    mutating func scheduleSweep() {
        guard channels.count > Limits.idleChannels, sweepDeadline == nil else { return }
        sweepDeadline = now.monotonic + sweepDelay
    }

    var hasTooManyChannels: Bool { channels.count > max(limits.channels, urgentChannels) }

    /// Forgets every other channel that may be, so that the next time is far away: a piece with each wake-up, as others
    /// must have their turn. (All of one part of the table would leave the other part ever more crowded.)
    mutating func sweepUrgently() {
        if review != nil { return }
        if urgentPlaces == 0 { urgentPlaces = channels.capacity }
        let places = min(urgentPlaces, Limits.urgentPlaces)
        var isOther = false
        _ = forget(places: places) { _ in
            isOther.toggle()
            return isOther
        }
        urgentPlaces -= places
        if urgentPlaces > 0 { return }
        // If hardly any could go, do not look again before their number has grown by an eighth, or as many reasons to
        // look have come up.
        urgentChannels = channels.count > limits.channels * 7 / 8 ? channels.count * 9 / 8 : 0
    }

    /// A channel may have become forgettable, or is asked for in vain: it is a little more worth while to look.
    mutating func hastenSweep() {
        if urgentChannels > 0 { urgentChannels -= 1 }
    }

    /// Removes the forgettable channels that `isSuperfluous`; returns how many.
    private mutating func forget(places: Int, where isSuperfluous: (ChannelRef) -> Bool) -> Int {
        let before = channels.count
        usual = Usual()
        let histories = histories
        let now = now
        var (lastPosition, lastWall) = (UInt64(0), Int64.min)
        var floor = storage.floor
        var gone: [StoreOperation] = []
        let highest = channels.sweep(places: places) { channel in
            guard channel.pointee.isForgettable, isSuperfluous(channel) else { return false }
            let last = channel.pointee.lastPosition
            lastPosition = max(lastPosition, last)
            if last > 0 {
                lastWall = max(
                    lastWall, channel.pointee.lastPost(at: now), channel.pointee.history?.pointee.lost.wall ?? .min)
            }
            if channel.pointee.isPersistent {
                let sequence = channel.pointee.sequence
                floor = max(floor, sequence)
                gone.append(.forget(channel: [UInt8](channel.pointee.name), sequence: sequence, position: last))
            }
            histories.pointee.empty(channel)
            return true
        }
        for operation in gone { storage.add(operation) }
        storage.floor = floor
        forgottenPosition = max(forgottenPosition, lastPosition)
        forgottenWall = max(forgottenWall, lastWall)
        forgottenSequence = max(forgottenSequence, highest)
        return before - channels.count
    }
}
