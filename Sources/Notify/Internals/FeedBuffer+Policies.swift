// What a buffer does with messages that it has no room for, by its policy.

import NotifyWire

extension FeedBuffer {
    private mutating func add(_ run: Run) {
        runs.append(run)
        messageCount += run.count
        bytes += run.byteCount
    }

    mutating func addAndDropOldest(_ run: Run) -> Int {
        add(run)
        var dropped = 0
        // Whom the policy `block` keeps from posting has sent something before he hears of it.
        let limit = policy == .block ? .max : limit
        while messageCount > limit || (bytes > byteLimit && messageCount > 1) {
            dropOldest()
            dropped += 1
        }
        return dropped
    }

    /// A run is small beside the bound on bytes: it may reach beyond it.
    mutating func addWhatFits(_ run: Run) -> Int {
        let room = hasFailed || bytes > byteLimit ? 0 : limit - messageCount
        guard run.count > room else {
            add(run)
            return 0
        }
        var rest = run
        if room > 0 { add(rest.split(room)) }
        if policy == .fail {
            hasFailed = true
            return 0
        }
        let dropped = rest.count
        let place = head + UInt64(messageCount)
        if marks.isEmpty || marks[marks.count - 1].before != place { marks.append((place, [])) }
        var losses = marks[marks.count - 1].run
        while rest.count > 1 { Self.record(rest.split(1).first, .overflow, in: &losses) }
        Self.record(rest.first, .overflow, in: &losses)
        Self.bound(&losses)
        marks[marks.count - 1].run = losses
        return dropped
    }

    mutating func replace(_ run: Run) -> Int {
        var dropped = 0
        var rest = run
        while rest.count > 1 { dropped += replace(with: rest.split(1)) }
        return dropped + replace(with: rest)
    }

    private mutating func replace(with message: Run) -> Int {
        let topic = message.first.topic
        if let older = latest[topic] { takeOut(older) }
        lastNumber += 1
        latest[topic] = lastNumber
        numbers.append(lastNumber)
        return addAndDropOldest(message)
    }

    /// Takes a message out of the row; the gap that it leaves is told before the oldest that still waits.
    private mutating func takeOut(_ number: UInt64) {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        let message = runs.remove(at: low)
        _ = numbers.remove(at: low)
        messageCount -= 1
        bytes -= message.byteCount
        for index in 0..<marks.count where marks[index].before > head + UInt64(low) { marks[index].before -= 1 }
        var run: [Mark] = []
        if marks.first?.before == head, let first = marks.popFirst() { run = first.run }
        Self.record(message.first, .coalesced, in: &run)
        Self.bound(&run)
        marks.prepend((head, run))
    }
}
