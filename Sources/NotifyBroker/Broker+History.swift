// What goes into the histories, and what leaves them. Messages go in at the end of a wake-up, out of the log in which
// their lines stand: of a burst only those are copied that the bounds leave.

import NotifyWire

extension Broker {
    /// Keeps what was posted since the last call. To be called before the log is given up, and before a replay.
    mutating func keepHistory() {
        let (first, end) = (outbox.linesKept, outbox.lines.count)
        guard first < end else { return }
        outbox.linesKept = end
        // Newest first: whatever would be evicted at once is left out.
        for index in stride(from: end - 1, through: first, by: -1) where outbox.lines[index].isFirst {
            if !choose(outbox.lines[index]) { outbox.lines[index].isFirst = false }
        }
        var index = first
        while index < end { index = keepRun(from: index, to: end) }
        keepWithinBudget()
        scheduleHistory()
    }

    mutating func keepWithinBudget() {
        let histories = histories
        while histories.pointee.bytes > limits.historyBytes, let account = histories.pointee.largest {
            evict(from: account)
        }
    }

    /// Gives up one message of the account: of that of its channels to which was posted longest ago.
    private mutating func evict(from account: AccountRef) {
        let histories = histories
        guard let channel = account.pointee.histories.oldest else { return }
        histories.pointee.change(channel) { $0.pointee.removeOldest() }
        touch(channel)
    }

    /// Whether the bounds leave room for this message, all newer ones of the wake-up having been chosen.
    @inline(__always)
    private mutating func choose(_ line: Outbox.Line) -> Bool {
        let bound = rules.history(line.channel.pointee.rule)
        if bound.messages == 0 { return false }
        let traffic = line.channel.pointee.useTraffic()
        if _slowPath(traffic.pointee.history == nil) { traffic.pointee.history = History.make() }
        guard let history = traffic.pointee.history else { return false }
        if history.pointee.pending < bound.messages {
            history.pointee.pending += 1
            return true
        }
        history.pointee.lose(line.sequence, line.position, now.wall)
        return false
    }

    /// Keeps the chosen lines from `first` on that are of one channel; returns where those of another one begin.
    private mutating func keepRun(from first: Int, to end: Int) -> Int {
        let histories = histories
        let channel = outbox.lines[first].channel
        var index = first
        guard let history = channel.pointee.history, history.pointee.pending > 0 else {
            while index < end, outbox.lines[index].channel == channel { index += 1 }
            return index
        }
        let bound = rules.history(channel.pointee.rule)
        var last = first
        while last + 1 < end, outbox.lines[last + 1].channel == channel { last += 1 }
        let account = outbox.lines[last].account
        histories.pointee.moveToBack(channel, of: account)
        let before = history.pointee.weight
        if now.monotonic >= bound.age { history.pointee.removeAged(before: now.monotonic - bound.age) }
        while index < end, outbox.lines[index].channel == channel {
            if outbox.lines[index].isFirst {
                history.pointee.pending -= 1
                keep(index, in: history, bound)
            }
            index += 1
        }
        histories.pointee.changed(history, from: before)
        while _slowPath(account.pointee.histories.bytes > account.pointee.limits.historyBytesPerUID) {
            evict(from: account)
        }
        return index
    }

    @inline(__always)
    private mutating func keep(_ index: Int, in history: HistoryRef, _ bound: HistoryBound) {
        let line = outbox.lines[index]
        let body = outbox.messages.slice(
            from: line.start + MessageLine.headCount(sub: line.number), to: line.end - 1)
        while history.pointee.count >= bound.messages
            || history.pointee.count > 0 && history.pointee.bytes + body.count > bound.bytes
        {
            history.pointee.removeOldest()
        }
        if body.count <= bound.bytes {
            history.pointee.append(PastMessage.make(line, body, now))
        } else {
            history.pointee.lose(line.sequence, line.position, now.wall)
        }
    }

    /// From now on these rules count, also for channels that there are; their histories come within the new bounds
    /// with their next message.
    package mutating func setRules(_ fresh: [ChannelRule]) {
        let histories = histories
        let before = rules.persistence
        rules = ChannelRules(fresh)
        var known: [ChannelRef] = []
        channels.forEach { channel in
            known.append(channel)
            return true
        }
        for channel in known {
            channel.pointee.rule = rules.find(channel.pointee.name)
            changePersistence(of: channel)
            if !rules.keepsHistory(channel.pointee.rule) { histories.pointee.empty(channel) }
        }
        guard storage.isOn, rules.persistence != before else { return }
        changePersistenceOfHeld()
        changeRules()
    }

    /// Takes the messages out that are too old.
    mutating func dropAged(of channel: ChannelRef) {
        let histories = histories
        let age = rules.history(channel.pointee.rule).age
        guard now.monotonic >= age else { return }
        histories.pointee.change(channel) { $0.pointee.removeAged(before: now.monotonic - age) }
        touch(channel)
    }

    /// Gives up the histories of which all is too old, a part of them at a time.
    mutating func forgetAged() {
        let histories = histories
        var left = Limits.sweepPlaces
        for account in accounts.all where left > 0 {
            while left > 0, let channel = account.pointee.histories.oldest, let history = channel.pointee.history {
                guard now.monotonic >= dueTime(of: history, channel) else { break }
                left -= 1 + history.pointee.count
                histories.pointee.empty(channel)
                touch(channel)
            }
        }
        if left > 0 { return scheduleHistory() }
        historyDeadline = deadlines.add(.history, at: now.monotonic + Limits.sweepPauseNanoseconds)
    }

    mutating func scheduleHistory() {
        guard historyDeadline.isNone, histories.pointee.bytes > 0 else { return }
        var due = UInt64.max
        for account in accounts.all {
            guard let channel = account.pointee.histories.oldest, let history = channel.pointee.history else {
                continue
            }
            due = min(due, dueTime(of: history, channel))
        }
        historyDeadline = deadlines.add(.history, at: max(due, now.monotonic + Limits.sweepNanoseconds))
    }

    private func dueTime(of history: HistoryRef, _ channel: ChannelRef) -> UInt64 {
        history.pointee.newestTime + rules.history(channel.pointee.rule).age
    }
}
