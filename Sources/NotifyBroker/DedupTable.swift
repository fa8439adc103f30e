// Posts that must not be made twice: what was answered to the first of them, for a while. Whose account has no room for more
// has further posts with `dedup` refused, because forgetting one early would let its double pass.

import NotifyWire

struct DedupTable: ~Copyable {
    struct Key: Hashable {
        let uid: UInt32
        /// The channel, a line feed (which no channel has), and the client's string.
        let text: [UInt8]

        init(_ request: RequestRef, uid: UInt32) {
            self.uid = uid
            text = [UInt8](request.pointee.channel) + [10] + [UInt8](request.pointee.terms.dedup)
        }

        /// One that comes back from the store.
        init(text: [UInt8], uid: UInt32) { (self.text, self.uid) = (text, uid) }

        func withChannel<Result>(_ body: (ByteSlice) -> Result) -> Result? {
            text.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress, let end = bytes.firstIndex(of: 10) else { return nil }
                return body(ByteSlice(start, end))
            }
        }
    }

    private struct Record {
        var answer: Broker.Answer
        /// Monotonic nanoseconds.
        var expires: UInt64
    }

    private var records: [Key: Record] = [:]
    /// The keys in the order in which they came, from `head` on.
    private var order: [(key: Key, account: AccountRef)] = []
    private var head = 0
    private(set) var bytes = 0

    var isEmpty: Bool { head == order.count }

    /// A record besides its text: its key twice, its entry in the table, its place in the order.
    private static let overhead = 192

    static func cost(_ key: Key) -> Int { overhead + key.text.count }

    func answer(to key: Key, at now: UInt64) -> Broker.Answer? {
        guard let record = records[key], record.expires > now else { return nil }
        return record.answer
    }

    /// Usually later than all that is remembered. After the window was made shorter it may be earlier, and is forgotten
    /// late; it counts no longer than it should.
    mutating func remember(_ key: Key, _ answer: Broker.Answer, on account: AccountRef, until expires: UInt64) {
        records[key] = Record(answer: answer, expires: expires)
        order.append((key, account))
        bytes += Self.cost(key)
        account.pointee.charge(.dedupBytes, Self.cost(key))
    }

    /// When there is something to be forgotten; nil when nothing is remembered.
    var next: UInt64? { isEmpty ? nil : records[order[head].key]?.expires }

    mutating func forget(at now: UInt64) {
        while !isEmpty {
            let (key, account) = order[head]
            if let record = records[key] {
                guard record.expires <= now else { break }
                records[key] = nil
            }
            head += 1
            bytes -= Self.cost(key)
            account.pointee.charge(.dedupBytes, -Self.cost(key))
        }
        guard head > 1024, head * 2 > order.count else {
            if isEmpty { (order, head) = ([], 0) }
            return
        }
        order.removeFirst(head)
        head = 0
    }
}
