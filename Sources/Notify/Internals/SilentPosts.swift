// Posts that were sent without asking for a receipt. The daemon answers none of them, and works in order: so a ping is
// sent behind many of them, or some time after the first, and its answer vouches for all that stands before it. One ping
// is on its way at a time.

struct SilentPosts: Sendable {
    private struct Post: Sendable {
        let line: [UInt8]
        /// Where it begins in everything sent on this connection.
        let offset: UInt64
    }

    private var sent = Fifo<Post>()
    /// The ping on its way: its id, and where it begins.
    private var ping: (id: UInt64, offset: UInt64)?

    /// Bytes of all that nothing vouches for yet.
    private(set) var pendingBytes = 0

    var isEmpty: Bool { sent.isEmpty }
    var isPinging: Bool { ping != nil }

    /// When a ping is due at the latest.
    private(set) var pingAt: UInt64?

    /// A ping is due when so many bytes wait for one, or after so many nanoseconds.
    private static let pingBytes = 64 << 10
    private static let patience: UInt64 = 500_000_000

    /// Whether a ping is due: at once when somebody waits for the end.
    func wantsPing(_ now: UInt64, isUrgent: Bool = false) -> Bool {
        ping == nil && !sent.isEmpty && (isUrgent || pendingBytes >= Self.pingBytes || now >= pingAt ?? .max)
    }

    mutating func send(_ line: [UInt8], at offset: UInt64, _ now: UInt64) {
        pendingBytes += line.count
        if pingAt == nil, ping == nil { pingAt = now &+ Self.patience }
        sent.append(Post(line: line, offset: offset))
    }

    mutating func sendPing(_ id: UInt64, at offset: UInt64) {
        ping = (id, offset)
        pingAt = nil
    }

    /// An answer has come; answers whether it is the ping's.
    mutating func confirm(_ id: UInt64, _ now: UInt64) -> Bool {
        guard let ping, ping.id == id else { return false }
        self.ping = nil
        while let first = sent.first, first.offset < ping.offset, let post = sent.popFirst() {
            pendingBytes -= post.line.count
        }
        pingAt = sent.isEmpty ? nil : now &+ Self.patience
        return true
    }

    /// The connection is gone: all that nothing vouches for.
    mutating func disconnect() -> [(line: [UInt8], offset: UInt64)] {
        ping = nil
        pingAt = nil
        pendingBytes = 0
        return sent.removeAll().map { ($0.line, $0.offset) }
    }
}
