// Enqueued posts that are held back for a moment, in case a newer one takes their place. Pure: time comes in as an
// argument. One that is replaced never leaves this process; its place in time is kept.

struct HeldPosts: Sendable {
    /// Posts with the same key replace each other.
    struct Key: Hashable, Sendable {
        var channel: NotifyCenter.Channel
        var subject: NotifyCenter.Subject?
        /// Whatever the subject.
        var isWholeChannel = false

        init(_ channel: NotifyCenter.Channel, _ subject: NotifyCenter.Subject?) {
            (self.channel, self.subject) = (channel, subject)
        }

        init(_ draft: PostDraft, _ scope: NotifyCenter.Coalescing.Scope) {
            self.init(draft.channel, scope == .channel ? nil : draft.subject)
            isWholeChannel = scope == .channel
        }
    }

    /// When a post is due; of those due at once the one that was first.
    private struct Turn: Comparable {
        var due: UInt64
        var number: UInt64

        static func < (left: Turn, right: Turn) -> Bool { (left.due, left.number) < (right.due, right.number) }
    }

    private var posts: [Key: (turn: Turn, line: [UInt8])] = [:]
    /// By their turns. Usually a new one is the last.
    private var order: [(turn: Turn, key: Key)] = []
    private var nextNumber: UInt64 = 0

    /// Bytes of all lines.
    private(set) var bytes = 0

    var isEmpty: Bool { order.isEmpty }
    /// When the next one is due.
    var next: UInt64? { order.first?.turn.due }

    /// Takes the place of the post with this key, or waits until `due`.
    mutating func hold(_ line: [UInt8], _ key: Key, until due: UInt64) {
        bytes += line.count
        if let older = posts[key] {
            bytes -= older.line.count
            posts[key] = (older.turn, line)
            return
        }
        let turn = Turn(due: due, number: nextNumber)
        nextNumber += 1
        posts[key] = (turn, line)
        order.insert((turn, key), at: place(of: turn))
    }

    /// Takes one out, whether it is due or not.
    mutating func remove(_ key: Key) -> [UInt8]? {
        guard let post = posts.removeValue(forKey: key) else { return nil }
        order.remove(at: place(of: post.turn))
        bytes -= post.line.count
        return post.line
    }

    /// Takes out those that are due by now, in their order.
    mutating func remove(dueBy now: UInt64) -> [[UInt8]] {
        let count = order.firstIndex { $0.turn.due > now } ?? order.count
        let lines = order[..<count].compactMap { posts.removeValue(forKey: $0.key)?.line }
        order.removeFirst(count)
        bytes -= lines.reduce(0) { $0 + $1.count }
        return lines
    }

    /// The first index that has not an earlier turn.
    private func place(of turn: Turn) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].turn < turn { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
