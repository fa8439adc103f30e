// How many requests and bytes of them may come in a second, of a connection or of an account.

import NotifyWire

struct Rates {
    private var messages = TokenBucket()
    private var bytes = TokenBucket()

    init() {}

    init(messages: Int, bytes: Int, _ limits: Limits, at now: UInt64) {
        change(messages: messages, bytes: bytes, limits, at: now)
    }

    /// A burst is what comes in `burst_s`, but always lets the longest line pass.
    mutating func change(messages: Int, bytes: Int, _ limits: Limits, at now: UInt64) {
        self.messages.change(rate: messages, burst: messages * limits.burstSeconds, at: now)
        self.bytes.change(rate: bytes, burst: max(bytes * limits.burstSeconds, limits.lineBytes), at: now)
    }

    var isOff: Bool { messages.rate == 0 && bytes.rate == 0 }

    /// What cannot be had now, and nanoseconds until it can.
    struct Excess {
        var name: StaticString
        var rate: Int
        var wait: UInt64
    }

    mutating func excess(messages: Int, bytes: Int, at now: UInt64) -> Excess? {
        let (one, other) = (self.messages.wait(for: messages, at: now), self.bytes.wait(for: bytes, at: now))
        if one == 0, other == 0 { return nil }
        return one >= other
            ? Excess(name: "messages_per_s", rate: self.messages.rate, wait: one)
            : Excess(name: "bytes_per_s", rate: self.bytes.rate, wait: other)
    }

    mutating func take(messages: Int, bytes: Int) {
        self.messages.take(messages)
        self.bytes.take(bytes)
    }

    mutating func isFull(at now: UInt64) -> Bool { messages.isFull(at: now) && bytes.isFull(at: now) }
}
